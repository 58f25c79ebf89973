/** Texts that the order and customer pages share. */
export const recordTexts = {
  none: "None",
  unnamedCustomer: "Unnamed customer",
  orderStatus: {
    open: "Open",
    completed: "Completed",
    cancelled: "Cancelled"
  }
} as const
