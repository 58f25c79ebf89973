/** Texts of the navigation, and of the page of accounts without a store. */
export const dashboardTexts = {
  pages: {
    home: "Home",
    products: "Products",
    collections: "Collections",
    orders: "Orders",
    customers: "Customers",
    apps: "Apps",
    agents: "Agents",
    proposals: "Proposals",
    activity: "Activity",
    imports: "Import and export",
    settings: "Settings",
    store: "Store"
  },
  noStore: {
    title: "You are not a member of any store",
    reason: "Ask a store owner to add your e-mail address",
    advice: "Owners add members under Settings > Members."
  }
} as const
