import { isObject, type JsonObject, pathOf } from "../../domain/Json.ts"

/** How much of each text and each list is shown. */
export interface TruncationLimits {
  /** Characters: no fewer than the 255 of what has a form to keep, as a slug has. */
  readonly text: number
  readonly items: number
}

/** Of one thing that was asked for. */
export const SINGLE_LIMITS: TruncationLimits = { text: 4_000, items: 100 }

/** Of each of the things in a list. */
export const PAGE_LIMITS: TruncationLimits = { text: 280, items: 10 }

/** Lines that tell what was cut short. */
const MAX_LINES = 20

/**
 * A result that a model can read: long texts and lists cut short, and under `cut` where, if anything was. The items of a
 * page are as many as were asked for.
 */
export const truncate = (content: JsonObject, measure: TruncationLimits): JsonObject => {
  const lines: Array<string> = []
  const tell = (path: ReadonlyArray<string | number>, shown: number, all: number, of: string) => {
    if (lines.length < MAX_LINES) lines.push(`${pathOf(path)}: the first ${shown} of ${all} ${of}`)
    else if (lines.length === MAX_LINES) lines.push("more is cut short than is listed here")
  }
  const shorten = (value: unknown, path: ReadonlyArray<string | number>): unknown => {
    if (typeof value === "string" && value.length > measure.text) {
      tell(path, measure.text, value.length, "characters")
      return `${value.slice(0, measure.text).toWellFormed()}…`
    }
    if (Array.isArray(value)) {
      const isPage = path.length === 1 && path[0] === "items"
      if (!isPage && value.length > measure.items) tell(path, measure.items, value.length, "items")
      const shown: ReadonlyArray<unknown> = isPage ? value : value.slice(0, measure.items)
      return shown.map((item, index) => shorten(item, [...path, index]))
    }
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item, [...path, key])]))
  }
  const short = Object.fromEntries(Object.entries(content).map(([key, value]) => [key, shorten(value, [key])]))
  return lines.length === 0 ? content : { ...short, cut: lines }
}
