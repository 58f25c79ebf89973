import { Result, Schema } from "effect"
import type { Product } from "../../../../domain/catalog/Product.ts"
import type { ProductSummary } from "../../../../domain/catalog/ProductSummary.ts"
import type { StoreId } from "../../../../rpc/Client.ts"

/* View of the product list: filters and columns. */

/** Row of the list. Search results contain only the summary. */
export type Row = ProductSummary & Partial<Product>

export const STATUSES = ["any", "active", "inactive"] as const
export const STOCKS = ["any", "out", "low", "in"] as const

/** Largest stock that counts as low. */
export const LOW_STOCK = 5

const View = Schema.Struct({
  q: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(Schema.Literals([...STATUSES])),
  stock: Schema.optionalKey(Schema.Literals([...STOCKS]))
})
/** Filters in the URL. */
export type View = typeof View.Type

const decodeView = Schema.decodeUnknownResult(View)

/** Parses the URL. Invalid filters are dropped. */
export const parseView = (search: unknown): View => Result.getOrElse(decodeView(search), () => ({}))

const stockMatches = (stock: number, filter: View["stock"] = "any") => {
  switch (filter) {
    case "any":
      return true
    case "out":
      return stock <= 0
    case "low":
      return stock > 0 && stock <= LOW_STOCK
    case "in":
      return stock > 0
  }
}

/** True if a row passes the filters. */
export const matches =
  ({ status = "any", stock }: View) =>
  (row: Row): boolean =>
    (status === "any" || row.isActive === (status === "active")) && stockMatches(row.stock, stock)

export const isFiltered = ({ status = "any", stock = "any" }: View): boolean => status !== "any" || stock !== "any"

/** Columns in their order. Search results contain only the first group. */
export const SEARCH_COLUMNS = ["status", "stock", "price", "sku"] as const
export const DETAIL_COLUMNS = [
  "discountedPrice",
  "costPrice",
  "vendorName",
  "category",
  "productType",
  "tags",
  "variants",
  "updatedAt",
  "createdAt"
] as const
export const COLUMNS = [...SEARCH_COLUMNS, ...DETAIL_COLUMNS]
export type ColumnName = (typeof COLUMNS)[number]

/** Columns before a selection is saved. */
const DEFAULT_COLUMNS: ReadonlyArray<ColumnName> = ["status", "stock", "price", "sku", "vendorName"]

const decodeColumns = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Array(Schema.Literals([...COLUMNS]))))

const storageKey = (storeId: StoreId) => `columns of products ${storeId}`

/** Columns saved for a store in this browser. */
export const loadColumns = (storeId: StoreId): ReadonlyArray<ColumnName> =>
  Result.getOrElse(decodeColumns(localStorage.getItem(storageKey(storeId))), () => DEFAULT_COLUMNS)

export const saveColumns = (storeId: StoreId, columns: ReadonlyArray<ColumnName>): void =>
  localStorage.setItem(storageKey(storeId), JSON.stringify(columns))

/** Selection after a click on a row. `isRange` extends it from the last row. */
export const toggleSelection = <Id>(
  before: ReadonlySet<Id>,
  ids: ReadonlyArray<Id>,
  from: number,
  to: number,
  isRange: boolean
): ReadonlySet<Id> => {
  const next = new Set(before)
  const id = ids[to]
  if (id === undefined) return next
  if (isRange) for (const one of ids.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(one)
  else if (!next.delete(id)) next.add(id)
  return next
}
