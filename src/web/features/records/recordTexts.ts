/** Texts that the order and customer pages share. */
export const recordTexts = {
  none: "None",
  unnamedCustomer: "Unnamed customer",
  filter: {
    clear: "Clear filters",
    noMatchesAdvice: "Try a shorter search or remove a filter.",
    loading: "Loading"
  },
  orderStatus: {
    open: "Open",
    completed: "Completed",
    cancelled: "Cancelled"
  }
} as const
