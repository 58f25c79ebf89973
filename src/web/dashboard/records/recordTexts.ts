/** Texts that the order and customer pages share. */
export const recordTexts = {
  none: "None",
  unnamedCustomer: "Unnamed customer",
  filter: {
    since: "Created or updated since",
    lastWeek: "Last 7 days",
    lastMonth: "Last 30 days",
    showAll: "Show all",
    noMatchesAdvice: "Choose an earlier date, or show all."
  },
  orderStatus: {
    open: "Open",
    completed: "Completed",
    canceled: "Canceled"
  }
} as const
