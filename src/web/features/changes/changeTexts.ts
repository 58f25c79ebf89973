import { plural, t } from "@lingui/core/macro"
import type { ChangeSetState, Outcome } from "../../../domain/changeSets/ChangeSet.ts"
import type { StatusLabel } from "../../shared/ui/display/Values.tsx"
import { number } from "../../shared/data/format.ts"

/** Counts of changed members of products. */
const fieldChanges: Readonly<Record<string, (values: number) => string>> = {
  price: (values) => plural(values, { one: "# price changes", other: "# prices change" }),
  discountedPrice: (values) => plural(values, { one: "# sale price changes", other: "# sale prices change" }),
  costPrice: (values) => plural(values, { one: "# cost changes", other: "# costs change" }),
  stock: (values) => plural(values, { one: "# stock level changes", other: "# stock levels change" }),
  isActive: (values) => plural(values, { one: "# status changes", other: "# statuses change" }),
  vendorName: (values) => plural(values, { one: "# vendor changes", other: "# vendors change" }),
  category: (values) => plural(values, { one: "# category changes", other: "# categories change" }),
  productType: (values) => plural(values, { one: "# product type changes", other: "# product types change" }),
  name: (values) => plural(values, { one: "# name changes", other: "# names change" })
}

/** Counts of rows that change and that are deleted, by what the rows are. */
const rows = {
  product: {
    change: (rows: number) => plural(rows, { one: "# product changes", other: "# products change" }),
    deleted: (rows: number) => plural(rows, { one: "# product will be deleted", other: "# products will be deleted" })
  },
  collection: {
    change: (rows: number) => plural(rows, { one: "# collection changes", other: "# collections change" }),
    deleted: (rows: number) =>
      plural(rows, { one: "# collection will be deleted", other: "# collections will be deleted" })
  },
  item: {
    change: (rows: number) => plural(rows, { one: "# item changes", other: "# items change" }),
    deleted: (rows: number) => plural(rows, { one: "# item will be deleted", other: "# items will be deleted" })
  }
} as const

const states: Readonly<Record<ChangeSetState, StatusLabel>> = {
  previewing: { word: t`Preview running`, tone: "accent" },
  ready: { word: t`Ready to apply`, tone: "warn" },
  scheduled: { word: t`Scheduled`, tone: "accent" },
  applying: { word: t`Applying`, tone: "accent" },
  applied: { word: t`Applied`, tone: "good" },
  canceled: { word: t`Canceled`, tone: "plain" },
  failed: { word: t`Failed`, tone: "alert" }
}

/** Texts of change sets: their preview, their pages and their progress. */
export const changeTexts = {
  states,
  fieldChanges,
  rows,
  preview: {
    created: (items: number) => plural(items, { one: "# item will be created", other: "# items will be created" }),
    unchanged: (items: number) => t`${number(items)} unchanged`,
    refused: (items: number) => t`${number(items)} refused`,
    enters: (products: number, collection: string) =>
      plural(products, { one: `# product enters ${collection}`, other: `# products enter ${collection}` }),
    leaves: (products: number, collection: string) =>
      plural(products, { one: `# product leaves ${collection}`, other: `# products leave ${collection}` }),
    moreCollections: (collections: number) =>
      t`${plural(collections, { one: "# more collection", other: "# more collections" })} affected`,
    notCounted: t`Products that enter or leave collections were not counted, because it takes too long`,
    notified: (apps: number, names: string) =>
      apps === 0
        ? t`No app is notified`
        : t`${plural(apps, { one: "# app is", other: "# apps are" })} notified: ${names}`,
    newPrices: (lowest: string, highest: string) =>
      lowest === highest ? t`New price: ${lowest}` : t`New prices: lowest ${lowest}, highest ${highest}`
  },
  titles: {
    undo: t`Undo of a change`,
    import: (kind: string) => t`Import of ${kind}`,
    price: t`Change of prices`,
    discountedPrice: t`Change of sale prices`,
    stock: t`Change of stock`,
    tags: t`Change of tags`,
    collections: t`Change of collections`,
    patch: t`Change of products`,
    delete: t`Deletion of products`,
    other: t`Bulk change`
  },
  page: {
    all: t`All bulk changes`,
    created: t`Created`,
    by: t`By`,
    approvedBy: t`Approved by`,
    finished: t`Finished`,
    starts: t`Starts`,
    note: t`Note`,
    related: t`Undo`,
    undoes: t`Open the change that this one undoes`,
    undoneBy: t`Undone. Open the undo`,
    preview: t`Preview`,
    result: t`Result`,
    done: (changed: number, unchanged: number, refused: number) =>
      t`${number(changed)} changed, ${number(unchanged)} unchanged, ${number(refused)} refused`,
    stopped: t`The counts include the preview of rows that were not applied.`,
    progress: t`Progress`,
    progressOf: (done: number, total: number) => t`${number(done)} of ${number(total)} done`,
    refused: t`Refused`,
    reasons: (reason: string, rows: number) => `${reason} (${number(rows)})`,
    moreRefused: (rows: number) => t`${number(rows)} more refused.`,
    overwrite: t`Also restore products that others changed since`,
    overwriteHint: t`Later changes of the same fields are lost.`,
    apply: (rows: number) => t`Apply ${plural(rows, { one: "# change", other: "# changes" })}`,
    delete: (rows: number) => t`Delete ${plural(rows, { one: "# product", other: "# products" })}`,
    discard: t`Discard`,
    stop: t`Stop applying`,
    cancelSchedule: t`Cancel schedule`,
    undo: t`Undo the whole change`,
    deletedProduct: t`A deleted product`,
    collection: t`A collection`,
    order: t`An order`,
    customer: t`A customer`,
    noResource: t`A new item`,
    rows: t`Rows`,
    row: t`Row`,
    outcome: t`Outcome`,
    allRows: t`All rows`,
    outcomes: {
      created: t`Created`,
      updated: t`Updated`,
      deleted: t`Deleted`,
      unchanged: t`Unchanged`,
      refused: t`Refused`
    } satisfies Record<Outcome, string>
  },
  list: {
    title: t`Bulk changes`,
    advice: t`Bulk edits, imports and undos of the last 90 days. A preview that is not applied is discarded after 7 days.`,
    empty: t`No bulk changes yet`,
    emptyAdvice: t`Select products in the list and choose Edit selected to change many at once.`,
    change: t`Change`,
    state: t`State`,
    changed: t`Changed`,
    created: t`Created`,
    actions: t`Actions`,
    discard: (title: string) => t`Discard ${title}`
  },
  running: {
    one: (title: string, done: number, total: number) => t`${title}: ${number(done)} of ${number(total)} done`,
    many: (changes: number) => t`${number(changes)} bulk changes are running`,
    view: t`View change`,
    viewAll: t`View all`
  }
} as const
