import { t } from "@lingui/core/macro"

/** Texts that the order and customer pages share. */
export const recordTexts = {
  none: t`None`,
  unnamedCustomer: t`Unnamed customer`,
  orderStatus: {
    open: t`Open`,
    completed: t`Completed`,
    cancelled: t`Cancelled`
  }
} as const
