import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface WeekTable {
  readonly table: string
  /** Storage parameters, which a partitioned table does not have. */
  readonly storage: string
}

/**
 * Creates the first partitions of a table by weeks, and returns their names. The first one is for all rows until the end of
 * the next week; the housekeeping makes those of the following weeks, with the storage parameters of the default one. The
 * default partition is for rows without a partition of their week, such as events of a wrong clock.
 */
export const createWeeks = Effect.fnUntraced(function* ({ storage, table }: WeekTable) {
  const sql = yield* SqlClient.SqlClient
  const [{ until, week } = { week: "", until: "" }] = yield* sql<{ readonly week: string; readonly until: string }>`
    select week::text, (lpad(to_hex((week + 1) * 604800000), 12, '0') || repeat('0', 20))::uuid::text as until
    from (select floor(extract(epoch from now()) / 604800)::bigint + 1 as week) next
  `
  const [first, other] = [`${table}_${week}`, `${table}_default`]
  yield* sql`
    create table ${sql(first)} partition of ${sql(table)} for values from (minvalue) to (${sql.literal(`'${until}'`)})
    with (${sql.literal(storage)})
  `
  yield* sql`create table ${sql(other)} partition of ${sql(table)} default with (${sql.literal(storage)})`
  return [first, other]
})
