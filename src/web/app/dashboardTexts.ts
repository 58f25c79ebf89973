import { t } from "@lingui/core/macro"
/** Texts of the navigation and the command palette, and of the page of accounts without a store. */
export const dashboardTexts = {
  pages: {
    home: t`Home`,
    products: t`Products`,
    collections: t`Collections`,
    files: t`Files`,
    orders: t`Orders`,
    customers: t`Customers`,
    apps: t`Apps`,
    agents: t`Agents`,
    proposals: t`Proposals`,
    activity: t`Activity`,
    imports: t`Import and export`,
    settings: t`Settings`,
    store: t`Store`
  },
  palette: {
    search: t`Search`,
    placeholder: t`Search pages, products, orders and customers`,
    results: t`Results`,
    searching: t`Searching…`,
    noMatches: t`Nothing found. Try a shorter search, a SKU or an order number.`,
    pages: t`Pages`,
    actions: t`Actions`,
    newProduct: t`New product`,
    newCollection: t`New collection`,
    inviteMember: t`Invite a member`,
    importFile: t`Import a file`
  },
  noStore: {
    title: t`You are not a member of any store`,
    reason: t`Ask a store owner to add your e-mail address`,
    advice: t`Owners add members under Settings > Members.`
  }
} as const
