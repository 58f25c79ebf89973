import type { Product } from "../catalog/Product.ts"
import type { FieldRow } from "../catalog/ProductFieldRow.ts"
import { PRODUCT_FIELDS } from "../catalog/ProductFields.ts"
import { columnFields } from "../catalog/ProductFieldSets.ts"
import { isObject, type JsonObject } from "../json/Json.ts"
import type { ShopifyRow } from "./ShopifyColumns.ts"
import { COLUMN_OF_FIELD, type ShopifyCells } from "./ShopifyTable.ts"
import type { CellsOf, Values } from "./ShopifyVariant.ts"

/*
 * Fields of a product that columns lead to, and those that hold many columns. A file changes the values of its own columns
 * and keeps the others.
 */

/** Returns the first value of a column, null if all its cells are empty, or undefined if the file does not have it. */
export const firstOf = <F extends keyof ShopifyCells>(rows: ReadonlyArray<ShopifyRow>, field: F) =>
  (rows.find(({ cells }) => cells[field] !== null && cells[field] !== undefined) ?? rows[0])?.cells[field]

/** Value of an empty cell in a field that cannot be null: that of a new product. */
export const orDefault = <A, D>(value: A | null | undefined, empty: D): A | D | undefined =>
  value === null ? empty : value

/** Returns the cells of the columns that one row of a product sets for the whole product. */
export const cellsOfProduct = (rows: ReadonlyArray<ShopifyRow>) => ({
  handle: firstOf(rows, "handle"),
  category: firstOf(rows, "category"),
  published: firstOf(rows, "published"),
  status: firstOf(rows, "status"),
  giftCard: firstOf(rows, "giftCard")
})

/** Reads the fields with a column of their own. */
export const fieldsOfColumns = (rows: ReadonlyArray<ShopifyRow>) =>
  Object.fromEntries(
    columnFields.map((field) => {
      const row: FieldRow = PRODUCT_FIELDS[field]
      return [field, orDefault(firstOf(rows, COLUMN_OF_FIELD[field]), row.default ?? null)]
    })
  )

const METAFIELD = /\(product\.metafields\.([^.()]+)\.([^()]+)\)\s*$/

export const isMetafield = (column: string): boolean => METAFIELD.test(column)

const isSet = ([, value]: readonly [string, unknown]) => value !== null

/** Merges values into custom fields, which are a list of keys and values or an object. */
export const mergeCustomFields = (stored: Product["customFields"], values: Values): unknown => {
  if (!Array.isArray(stored)) return Object.fromEntries([...Object.entries(stored), ...values].filter(isSet))
  const left = new Map(values)
  const merged = stored.flatMap((field: JsonObject) => {
    const { key } = field
    if (typeof key !== "string" || !values.has(key)) return [field]
    const value = left.get(key)
    // A key that the list repeats is kept once.
    return left.delete(key) && value !== null ? [{ ...field, value }] : []
  })
  return [...merged, ...[...left].filter(isSet).map(([key, value]) => ({ key, value }))]
}

/** Merges values of metafield columns into metafields, which are objects by namespace. */
export const mergeMetafields = (stored: Product["metafields"], values: Values): unknown => {
  const merged = new Map<string, unknown>(isObject(stored) ? Object.entries(stored) : [])
  for (const [column, value] of values) {
    const [, namespace = "", key = ""] = METAFIELD.exec(column) ?? []
    const known = merged.get(namespace)
    const { [key]: _, ...others } = isObject(known) ? known : {}
    const fields = value === null ? others : { ...others, [key]: value }
    if (Object.keys(fields).length > 0) merged.set(namespace, fields)
    else if (isObject(known)) merged.delete(namespace)
  }
  return Object.fromEntries(merged)
}

/** Reads the picture of a row. */
export const pictureOf = ({ image, imageAlt, imagePosition }: CellsOf<"image" | "imageAlt" | "imagePosition">) =>
  image ? { url: image, alt: imageAlt, position: imagePosition } : undefined

/** Picture of a file. Undefined members keep their stored values. */
export interface ImportedPicture {
  readonly url: string
  readonly position: number | null | undefined
  readonly alt: string | null | undefined
  readonly others: JsonObject
}

/** Builds the media of a product from the pictures of a file, sorted by position. */
export const mergeMedia = (
  stored: Product["media"],
  pictures: ReadonlyArray<ImportedPicture>
): ReadonlyArray<JsonObject> => {
  const known = new Map(stored.map((medium) => [medium.url, medium]))
  return pictures
    .map(({ alt, others, position, url }, index) => {
      const { alt: storedAlt, position: storedPosition, ...before } = known.get(url) ?? {}
      const text = alt === undefined ? storedAlt : alt
      const place = (position === undefined ? storedPosition : position) ?? index + 1
      return {
        place,
        medium: {
          ...before,
          ...others,
          url,
          type: "image",
          position: place,
          ...(typeof text === "string" && { alt: text })
        }
      }
    })
    .toSorted((a, b) => a.place - b.place)
    .map(({ medium }) => medium)
}
