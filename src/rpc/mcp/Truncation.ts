import { isObject, type JsonObject, pathOf } from "../../domain/json/Json.ts"
import { cutText } from "../../domain/Text.ts"

/** Maximum length of texts and lists in a result. */
export interface TruncationLimits {
  /** Characters. At least 255, so that slugs and other identifiers are never cut. */
  readonly text: number
  readonly items: number
}

/** Limits of a single resource. */
export const SINGLE_LIMITS: TruncationLimits = { text: 4_000, items: 100 }

/** Limits of each item of a page. */
export const PAGE_LIMITS: TruncationLimits = { text: 280, items: 10 }

/** Maximum number of lines in `cut`. */
const MAX_LINES = 20

/**
 * Cuts long texts and lists of a result, and lists their paths in `cut`. The items of a page are never dropped, because
 * `limit` bounds them.
 */
export const truncate = (content: JsonObject, limits: TruncationLimits): JsonObject => {
  const lines: Array<string> = []
  const report = (path: ReadonlyArray<string | number>, shown: number, all: number, of: string) => {
    if (lines.length < MAX_LINES) lines.push(`${pathOf(path)}: the first ${shown} of ${all} ${of}`)
    else if (lines.length === MAX_LINES) lines.push("more was cut than is listed here")
  }
  const shorten = (value: unknown, path: ReadonlyArray<string | number>): unknown => {
    if (typeof value === "string" && value.length > limits.text) {
      const shown = cutText(value, limits.text)
      report(path, shown.length, value.length, "characters")
      return `${shown}…`
    }
    if (Array.isArray(value)) {
      const isPage = path.length === 1 && (path[0] === "items" || path[0] === "changes")
      if (!isPage && value.length > limits.items) report(path, limits.items, value.length, "items")
      const shown: ReadonlyArray<unknown> = isPage ? value : value.slice(0, limits.items)
      return shown.map((item, index) => shorten(item, [...path, index]))
    }
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item, [...path, key])]))
  }
  const short = Object.fromEntries(Object.entries(content).map(([key, value]) => [key, shorten(value, [key])]))
  return lines.length === 0 ? content : { ...short, cut: lines }
}
