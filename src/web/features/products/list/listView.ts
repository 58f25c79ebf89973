import type { QueryClient, QueryKey } from "@tanstack/react-query"
import { Result, Schema } from "effect"
import type { QueryCursor } from "../../../../domain/Query.ts"
import type { Product } from "../../../../domain/catalog/Product.ts"
import { ProductQuery } from "../../../../domain/catalog/Queries.ts"
import type { Rule } from "../../../../domain/catalog/Rule.ts"
import { canonical } from "../../../../domain/json/Json.ts"
import type { Client, StoreId } from "../../../../rpc/Client.ts"
import { followedKey } from "../../../shared/data/liveUpdates.tsx"
import { listQuery } from "../../../shared/data/queries.ts"

/* View of the product list: filters, sort order and columns. */

/** Row of the list. */
export type Row = Product

/** Filters and sort order, as in the URL. */
export type View = ProductQuery

const decodeView = Schema.decodeUnknownResult(ProductQuery)

/** Parses the URL. Invalid filters are dropped. */
export const parseView = (search: unknown): View => Result.getOrElse(decodeView(search), () => ({}))

/** The view without its sort order. */
export const filterOf = ({ sort: _, ...filter }: View): Omit<View, "sort"> => filter

export const isFiltered = ({ rules = [], search }: View): boolean => rules.length > 0 || search !== undefined

/** Order of a view without one: newest first. */
export const DEFAULT_SORT = "-createdAt"

/** Changes a view. Filters that are empty are left out of the URL. */
export const withView = (view: View, change: View): View => {
  const { disjunctive = false, rules = [], search = "", sort = DEFAULT_SORT } = { ...view, ...change }
  return {
    ...(search === "" ? {} : { search }),
    ...(rules.length === 0 ? {} : { rules }),
    ...(disjunctive && rules.length > 1 ? { disjunctive } : {}),
    ...(sort === DEFAULT_SORT ? {} : { sort })
  }
}

/** Largest stock that counts as low. */
export const LOW_STOCK = 5

/** Filter of one field that is chosen from a list: rules by name. */
type Presets = Readonly<Record<string, ReadonlyArray<Rule>>>

export const STATUSES = {
  active: [{ field: "isActive", relation: "equals", value: true }],
  inactive: [{ field: "isActive", relation: "equals", value: false }]
} as const satisfies Presets

const TRACKED = { field: "trackInventory", relation: "equals", value: true } as const

export const STOCKS = {
  out: [TRACKED, { field: "stock", relation: "less_or_equal", value: 0 }],
  low: [
    TRACKED,
    { field: "stock", relation: "greater_than", value: 0 },
    { field: "stock", relation: "less_or_equal", value: LOW_STOCK }
  ],
  in: [TRACKED, { field: "stock", relation: "greater_than", value: 0 }]
} as const satisfies Presets

const isOf =
  (presets: Presets) =>
  ({ field }: Rule) =>
    Object.values(presets).some((rules) => rules.some((rule) => rule.field === field))

/** Name of the preset that the rules of a view contain: empty without rules of its field, `custom` with other ones. */
export const presetOf = (presets: Presets, { rules = [] }: View): string => {
  const own = canonical(rules.filter(isOf(presets)))
  if (own === "[]") return ""
  return Object.entries(presets).find(([, preset]) => canonical(preset) === own)?.[0] ?? "custom"
}

/** Replaces the rules of the presets by those of one preset, or by none. */
export const withPreset = (presets: Presets, view: View, name: string): View => {
  const isOwn = isOf(presets)
  return withView(view, { rules: [...(view.rules ?? []).filter((rule) => !isOwn(rule)), ...(presets[name] ?? [])] })
}

/** Columns in their order, by the field of the product that a saved view names. */
export const COLUMNS = [
  "isActive",
  "stock",
  "price",
  "sku",
  "discountedPrice",
  "costPrice",
  "vendorName",
  "category",
  "productType",
  "tags",
  "variants",
  "updatedAt",
  "createdAt"
] as const satisfies ReadonlyArray<keyof Product>
export type ColumnName = (typeof COLUMNS)[number]

/** Columns before a selection is saved. */
const DEFAULT_COLUMNS: ReadonlyArray<ColumnName> = ["isActive", "stock", "price", "sku", "vendorName"]

const decodeColumns = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Array(Schema.Literals([...COLUMNS]))))

const storageKey = (storeId: StoreId) => `columns of products ${storeId}`

/** Columns saved for a store in this browser. */
const loadColumns = (storeId: StoreId): ReadonlyArray<ColumnName> =>
  Result.getOrElse(decodeColumns(localStorage.getItem(storageKey(storeId))), () => DEFAULT_COLUMNS)

const isColumn = (name: string): name is ColumnName => COLUMNS.some((column) => column === name)

/** Columns of a saved view, or those of this browser if the list has none of them. */
export const columnsOf = (storeId: StoreId, names: ReadonlyArray<string>): ReadonlyArray<ColumnName> => {
  const columns = names.filter(isColumn)
  return columns.length > 0 ? columns : loadColumns(storeId)
}

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

/** Small first page, so that the list appears fast. */
const FIRST_PAGE_SIZE = 50
export const PAGE_SIZE = 200

/** Query key of the lists of all views. */
export const productListsKey = (storeId: StoreId): QueryKey => followedKey(storeId, "products")

export const productListKey = (storeId: StoreId, view: View): QueryKey => [...productListsKey(storeId), view]

/** Loads a page of the products of a view. */
export const listProducts =
  (storeId: StoreId, view: View) => (from: { readonly cursor?: QueryCursor }) => (client: Client) =>
    client.products.query({
      storeId,
      ...view,
      limit: from.cursor === undefined ? FIRST_PAGE_SIZE : PAGE_SIZE,
      ...from
    })

/** Loads the first page in parallel with the code of the products page. */
export const prefetchProducts = (queryClient: QueryClient, storeId: StoreId, view: View): void =>
  void queryClient.prefetchInfiniteQuery({
    ...listQuery(productListKey(storeId, view), listProducts(storeId, view)),
    staleTime: Number.POSITIVE_INFINITY
  })
