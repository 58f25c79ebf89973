import { cutText } from "../Text.ts"

/** Character that no accepted text or key contains. */
export const NUL = "\u0000"

export type JsonObject = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Serializes a value canonically: independent of key order. */
export const canonical = (value: unknown): string => JSON.stringify(sorted(value))

/** Copies a value with sorted keys. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value).toSorted()) copy[key] = sorted(value[key])
  return copy
}

/** Maximum length of a path in characters: a key can be as long as the body, and each of its values can add a line. */
const MAX_PATH = 255

/** Formats the path of a value, such as `variants.0.price`, truncated to 255 characters. */
export const pathOf = (keys: ReadonlyArray<PropertyKey>): string => {
  let path = ""
  for (const key of keys) {
    const name = String(key).slice(0, MAX_PATH + 1)
    path = path === "" ? name : `${path}.${name}`
    if (path.length > MAX_PATH) return `${cutText(path, MAX_PATH)}…`
  }
  return path
}

/** Formats a problem with its path. A problem of the whole value has no path. */
export const lineOf = (keys: ReadonlyArray<PropertyKey>, reason: string): string =>
  keys.length === 0 ? reason : `${pathOf(keys)}: ${reason}`
