import type { Capability } from "./Capability.ts"
import type { Scope } from "./Scope.ts"

/** Description of a scope or capability for the merchant who grants it. */
export interface GrantDescription {
  readonly title: string
  readonly text: string
  readonly warning?: string
}

/** Access that every installed app has. */
export const ALWAYS_GRANTED: GrantDescription = {
  title: "See store details",
  text: "Name, settings and plan."
}

const DELETION_WARNING = "Deletions take effect immediately. You can undo them in Activity."

/** Descriptions of all scopes and capabilities. A missing one does not compile. */
export const GRANT_DESCRIPTIONS: Readonly<Record<Scope | Capability, GrantDescription>> = {
  read_products: {
    title: "See products",
    text: "Names, descriptions, prices, costs and stock, including hidden products."
  },
  write_products: {
    title: "Create, change and delete products",
    text: "All fields, including prices and stock.",
    warning: DELETION_WARNING
  },
  read_collections: {
    title: "See collections",
    text: "Names, rules and products in them, including hidden collections."
  },
  write_collections: {
    title: "Create, change and delete collections",
    text: "All fields, including rules and products.",
    warning: DELETION_WARNING
  },
  read_orders: {
    title: "See orders",
    text: "Items, dates, customers, amounts and notes."
  },
  read_customers: {
    title: "See customers",
    text: "Names, number of orders, amounts spent and tags."
  },
  write_inventory: {
    title: "Change the stock of products",
    text: "Stock of products and variants, and nothing else."
  },
  read_files: {
    title: "See files",
    text: "Names, descriptions and addresses of pictures."
  },
  write_files: {
    title: "Upload and delete files",
    text: "Pictures of products and collections.",
    warning: "A deleted picture disappears from products that show it. You cannot undo it."
  },
  app_storage: {
    title: "Store its own data in your store",
    text: "For example settings. Deleted 48 hours after the app is uninstalled."
  },
  customer_pii: {
    title: "See personal data of customers",
    text: "E-mail addresses, phone numbers and postal addresses of customers and in orders."
  }
}
