import type { ChangeSetState } from "../../../domain/changeSets/ChangeSet.ts"
import type { StatusLabel } from "../../shared/ui/display/Badge.tsx"
import { count, number } from "../../shared/data/format.ts"

/** Singular and plural of members of products, as their changes are counted. */
const fieldNouns: Readonly<Record<string, readonly [string, string]>> = {
  price: ["price", "prices"],
  discountedPrice: ["sale price", "sale prices"],
  costPrice: ["cost", "costs"],
  stock: ["stock level", "stock levels"],
  isActive: ["status", "statuses"],
  vendorName: ["vendor", "vendors"],
  category: ["category", "categories"],
  productType: ["product type", "product types"],
  name: ["name", "names"]
}

const states: Readonly<Record<ChangeSetState, StatusLabel>> = {
  previewing: { word: "Preview running", tone: "accent" },
  ready: { word: "Ready to apply", tone: "warn" },
  scheduled: { word: "Scheduled", tone: "accent" },
  applying: { word: "Applying", tone: "accent" },
  applied: { word: "Applied", tone: "good" },
  canceled: { word: "Canceled", tone: "plain" },
  failed: { word: "Failed", tone: "alert" }
}

/** Texts of change sets: their preview, their pages and their progress. */
export const changeTexts = {
  states,
  fieldNouns,
  things: {
    product: ["product", "products"],
    collection: ["collection", "collections"],
    item: ["item", "items"]
  },
  preview: {
    changes: (changes: number, [singular, plural]: readonly [string, string]) =>
      `${count(changes, singular, plural)} ${changes === 1 ? "changes" : "change"}`,
    created: (items: number) => `${count(items, "item")} will be created`,
    deleted: (items: number, [singular, plural]: readonly [string, string]) =>
      `${count(items, singular, plural)} will be deleted`,
    unchanged: (items: number) => `${number(items)} unchanged`,
    refused: (items: number) => `${number(items)} refused`,
    enters: (products: number, collection: string) =>
      `${count(products, "product")} ${products === 1 ? "enters" : "enter"} ${collection}`,
    leaves: (products: number, collection: string) =>
      `${count(products, "product")} ${products === 1 ? "leaves" : "leave"} ${collection}`,
    moreCollections: (collections: number) => `${count(collections, "more collection")} affected`,
    notCounted: "Products that enter or leave collections were not counted, because it takes too long",
    notified: (apps: number, names: string) =>
      apps === 0 ? "No app is notified" : `${count(apps, "app is", "apps are")} notified: ${names}`,
    newPrices: (lowest: string, highest: string) =>
      lowest === highest ? `New price: ${lowest}` : `New prices: lowest ${lowest}, highest ${highest}`
  },
  titles: {
    undo: "Undo of a change",
    import: (kind: string) => `Import of ${kind}`,
    price: "Change of prices",
    discountedPrice: "Change of sale prices",
    stock: "Change of stock",
    tags: "Change of tags",
    collections: "Change of collections",
    patch: "Change of products",
    delete: "Deletion of products",
    other: "Bulk change"
  },
  page: {
    all: "All bulk changes",
    created: "Created",
    by: "By",
    approvedBy: "Approved by",
    finished: "Finished",
    starts: "Starts",
    note: "Note",
    related: "Undo",
    undoes: "Open the change that this one undoes",
    undoneBy: "Undone. Open the undo",
    preview: "Preview",
    result: "Result",
    done: (changed: number, unchanged: number, refused: number) =>
      `${number(changed)} changed, ${number(unchanged)} unchanged, ${number(refused)} refused`,
    stopped: "The counts include the preview of rows that were not applied.",
    progress: "Progress",
    progressOf: (done: number, total: number) => `${number(done)} of ${number(total)} done`,
    refused: "Refused",
    reasons: (reason: string, rows: number) => `${reason} (${number(rows)})`,
    moreRefused: (rows: number) => `${number(rows)} more refused.`,
    overwrite: "Also restore products that others changed since",
    overwriteHint: "Later changes of the same fields are lost.",
    apply: (rows: number) => `Apply ${count(rows, "change")}`,
    delete: (rows: number) => `Delete ${count(rows, "product")}`,
    discard: "Discard",
    stop: "Stop applying",
    cancelSchedule: "Cancel schedule",
    undo: "Undo the whole change",
    deletedProduct: "A deleted product",
    collection: "A collection"
  },
  list: {
    title: "Bulk changes",
    advice:
      "Bulk edits, imports and undos of the last 90 days. A preview that is not applied is discarded after 7 days.",
    empty: "No bulk changes yet",
    emptyAdvice: "Select products in the list and choose Edit selected to change many at once.",
    change: "Change",
    state: "State",
    changed: "Changed",
    created: "Created",
    actions: "Actions",
    discard: (title: string) => `Discard ${title}`
  },
  running: {
    one: (title: string, done: number, total: number) => `${title}: ${number(done)} of ${number(total)} done`,
    many: (changes: number) => `${number(changes)} bulk changes are running`,
    view: "View change",
    viewAll: "View all"
  }
} as const
