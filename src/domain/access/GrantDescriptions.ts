import type { Language } from "../Language.ts"
import type { Capability } from "./Capability.ts"
import type { Scope } from "./Scope.ts"

/** Description of a scope or capability for the merchant who grants it. */
export interface GrantDescription {
  readonly title: string
  readonly text: string
  readonly warning?: string
}

/** Descriptions in one language. A missing one does not compile. */
export interface GrantDescriptions {
  /** Access that every installed app has. */
  readonly always: GrantDescription
  readonly grants: Readonly<Record<Scope | Capability, GrantDescription>>
}

const DELETION_WARNING = "Deletions take effect immediately. You can undo them in Activity."

const english: GrantDescriptions = {
  always: {
    title: "See store details",
    text: "Name, settings and plan."
  },
  grants: {
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
}

const GERMAN_DELETION_WARNING = "Löschungen wirken sofort. Sie können sie unter Aktivität widerrufen."

const german: GrantDescriptions = {
  always: {
    title: "Angaben zum Shop sehen",
    text: "Name, Einstellungen und Tarif."
  },
  grants: {
    read_products: {
      title: "Produkte sehen",
      text: "Namen, Beschreibungen, Preise, Kosten und Bestand, auch von verborgenen Produkten."
    },
    write_products: {
      title: "Produkte erstellen, ändern und löschen",
      text: "Alle Felder, auch Preise und Bestand.",
      warning: GERMAN_DELETION_WARNING
    },
    read_collections: {
      title: "Kollektionen sehen",
      text: "Namen, Regeln und ihre Produkte, auch von verborgenen Kollektionen."
    },
    write_collections: {
      title: "Kollektionen erstellen, ändern und löschen",
      text: "Alle Felder, auch Regeln und Produkte.",
      warning: GERMAN_DELETION_WARNING
    },
    read_orders: {
      title: "Bestellungen sehen",
      text: "Positionen, Daten, Kunden, Beträge und Notizen."
    },
    read_customers: {
      title: "Kunden sehen",
      text: "Namen, Zahl der Bestellungen, Umsatz und Tags."
    },
    write_inventory: {
      title: "Den Bestand von Produkten ändern",
      text: "Bestand von Produkten und Varianten, und sonst nichts."
    },
    read_files: {
      title: "Dateien sehen",
      text: "Namen, Beschreibungen und Adressen von Bildern."
    },
    write_files: {
      title: "Dateien hochladen und löschen",
      text: "Bilder von Produkten und Kollektionen.",
      warning: "Ein gelöschtes Bild verschwindet aus den Produkten, die es zeigen. Sie können das nicht widerrufen."
    },
    app_storage: {
      title: "Eigene Daten in Ihrem Shop speichern",
      text: "Zum Beispiel Einstellungen. Sie werden 48 Stunden nach der Deinstallation der App gelöscht."
    },
    customer_pii: {
      title: "Personenbezogene Daten von Kunden sehen",
      text: "E-Mail-Adressen, Telefonnummern und Anschriften von Kunden und in Bestellungen."
    }
  }
}

/** Descriptions of all scopes and capabilities, by language. */
export const GRANT_DESCRIPTIONS: Readonly<Record<Language, GrantDescriptions>> = { en: english, de: german }
