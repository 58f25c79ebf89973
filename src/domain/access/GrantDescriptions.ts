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
  title: "See the store itself",
  text: "Its name, its settings and its plan."
}

/** Descriptions of all scopes and capabilities. A missing one does not compile. */
export const GRANT_DESCRIPTIONS: Readonly<Record<Scope | Capability, GrantDescription>> = {
  read_products: {
    title: "See products",
    text: "Names, descriptions, prices, stock and what they cost you, of hidden products too."
  },
  write_products: {
    title: "Create, change and delete products",
    text: "Everything about them, prices and stock too.",
    warning: "What it deletes is gone at once: nobody is asked to confirm."
  },
  read_collections: {
    title: "See collections",
    text: "Their names, their rules and the products in them, of hidden collections too."
  },
  write_collections: {
    title: "Create, change and delete collections",
    text: "Everything about them, rules and products too.",
    warning: "What it deletes is gone at once: nobody is asked to confirm."
  },
  read_orders: {
    title: "See orders",
    text: "What was bought, when, by which customer and for how much, and the notes on it."
  },
  read_customers: {
    title: "See customers",
    text: "Their names, what they ordered in number and money, and how they are tagged."
  },
  write_inventory: {
    title: "Change the stock of products",
    text: "How many of each product and variant there are, and nothing else about them."
  },
  app_storage: {
    title: "Keep data of its own with your store",
    text: "Such as settings. It is deleted 48 hours after the app is uninstalled."
  },
  customer_pii: {
    title: "See personal data of customers",
    text: "E-mail addresses, telephone numbers and postal addresses, wherever it sees customers or orders."
  }
}
