import { isObject, type JsonObject } from "./json/Json.ts"

/*
 * Characters that people do not see and models read: tags, zero-width characters, controls of direction, and variation
 * selectors. They can hide instructions in a text (docs/mcp.md).
 */

/** White space is kept, and so are emoji sequences, such as a family or a flag of a region. */
const KEPT = [
  String.raw`[\t\n\r]`,
  String.raw`[0-9#*]\uFE0F\u20E3`,
  // The flags of England, Scotland and Wales.
  String.raw`\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}`,
  ((emoji) => String.raw`${emoji}(?:\u200D${emoji})*`)(
    String.raw`\p{Extended_Pictographic}(?:[\uFE0E\uFE0F]|\p{Emoji_Modifier})?`
  ),
  // Variants of a letter.
  String.raw`\p{Script=Han}[\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
  String.raw`[\u1820-\u18AA][\u180B-\u180F]`
]

/** Scripts in which a joiner or non-joiner after a letter changes its form. */
const JOINING =
  "Arabic Syriac Nko Mandaic Mongolian Adlam Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Myanmar Tibetan Balinese Javanese"
    .split(" ")
    .map((script) => String.raw`\p{Script=${script}}`)

const JOINER = String.raw`(?<=(?=[\p{L}\p{M}])[${JOINING.join("")}\u064B-\u0655\u0670])[\u200C\u200D]`

const INVISIBLE = String.raw`[\p{Default_Ignorable_Code_Point}\p{Cc}\uFFF9-\uFFFB]`

const hasInvisible = new RegExp(String.raw`(?![\t\n\r])${INVISIBLE}`, "u")

/** Sequences that are kept are the first group. */
const SEQUENCES = new RegExp(`(${[...KEPT, JOINER].join("|")})|${INVISIBLE}`, "gu")

/**
 * Copies a JSON value without invisible characters, and counts them. Keeps those that belong to emoji and to letters of
 * scripts that need them.
 */
export const removeInvisible = (value: JsonObject): { readonly visible: JsonObject; readonly removed: number } => {
  let removed = 0
  const clean = (text: string) =>
    hasInvisible.test(text)
      ? text.replaceAll(SEQUENCES, (_, kept: string | undefined) => {
          if (kept === undefined) removed += 1
          return kept ?? ""
        })
      : text
  const visit = (one: unknown): unknown => {
    if (typeof one === "string") return clean(one)
    if (Array.isArray(one)) return one.map(visit)
    return isObject(one) ? visitObject(one) : one
  }
  const visitObject = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([key, member]) => [clean(key), visit(member)]))
  return { visible: visitObject(value), removed }
}
