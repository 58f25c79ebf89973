/** Texts of the navigation and the command palette, and of the page of accounts without a store. */
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
  palette: {
    search: "Search",
    placeholder: "Search pages, products, orders and customers",
    results: "Results",
    searching: "Searching…",
    noMatches: "Nothing found. Try a shorter search, a SKU or an order number.",
    pages: "Pages",
    actions: "Actions",
    newProduct: "New product",
    newCollection: "New collection",
    inviteMember: "Invite a member",
    importFile: "Import a file"
  },
  noStore: {
    title: "You are not a member of any store",
    reason: "Ask a store owner to add your e-mail address",
    advice: "Owners add members under Settings > Members."
  }
} as const
