import type { Product } from "../catalog/Product.ts"
import { isObject, type JsonObject } from "../json/Json.ts"
import type { Values } from "./ShopifyVariant.ts"

/* Fields of a product that hold many columns. A file changes the values of its own columns and keeps the others. */

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
