/** The day that budgets are of, by the database's clock. */
export const TODAY = "(clock_timestamp() at time zone 'UTC')::date"
