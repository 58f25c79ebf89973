import { Result, Schema } from "effect"
import { isBelow, type JsonNumber } from "../../../domain/Json.ts"
import type { Product } from "../../../domain/catalog/Product.ts"
import type { ProductSummary } from "../../../domain/catalog/ProductSummary.ts"
import type { StoreId } from "../../../rpc/Client.ts"

/* What a list of products shows: which of them, and what of each. */

/** A product as a list or a search has it: of one that was found the rest is not known. */
export type Row = ProductSummary & Partial<Product>

export const STATUSES = ["any", "active", "inactive"] as const
export const STOCKS = ["any", "out", "low", "in"] as const

/** At most so many at hand are few. */
export const LOW_STOCK = 5

const View = Schema.Struct({
  q: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(Schema.Literals([...STATUSES])),
  stock: Schema.optionalKey(Schema.Literals([...STOCKS]))
})
/** Which products are shown, as it stands in the address of the page. */
export type View = typeof View.Type

const decodeView = Schema.decodeUnknownResult(View)

/** Of an address that somebody wrote by hand. */
export const parseView = (search: unknown): View => Result.getOrElse(decodeView(search), () => ({}))

const stockMatches = (stock: JsonNumber, filter: View["stock"] = "any") => {
  switch (filter) {
    case "any":
      return true
    case "out":
      return !isBelow(0, stock)
    case "low":
      return isBelow(0, stock) && !isBelow(LOW_STOCK, stock)
    case "in":
      return isBelow(0, stock)
  }
}

/** Whether the filters let a product through. */
export const matches =
  ({ status = "any", stock }: View) =>
  (row: Row): boolean =>
    (status === "any" || row.isActive === (status === "active")) && stockMatches(row.stock, stock)

export const isFiltered = ({ status = "any", stock = "any" }: View): boolean => status !== "any" || stock !== "any"

/** Columns beside the product's name, in their order. Search knows the first of them alone. */
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

/** What is shown until somebody chooses. */
const DEFAULT_COLUMNS: ReadonlyArray<ColumnName> = ["status", "stock", "price", "sku", "vendorName"]

const decodeColumns = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Array(Schema.Literals([...COLUMNS]))))

const storageKey = (storeId: StoreId) => `columns of products ${storeId}`

/** Which columns were chosen for a store in this browser. */
export const loadColumns = (storeId: StoreId): ReadonlyArray<ColumnName> =>
  Result.getOrElse(decodeColumns(localStorage.getItem(storageKey(storeId))), () => DEFAULT_COLUMNS)

export const saveColumns = (storeId: StoreId, columns: ReadonlyArray<ColumnName>): void =>
  localStorage.setItem(storageKey(storeId), JSON.stringify(columns))

/** What is marked after a row was: with `reach`, all from the row that was marked before. */
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
