import type { FieldVisibility } from "../../domain/records/Records.ts"
import type { StoreId } from "../../domain/Store.ts"
import { type Fragment, sql } from "../sql/Statement.ts"

/* Search of orders and customers by the texts that the schema defines (layers/migrations/baseline/recordSearch.ts). */

/** Function that returns the searched texts of a record, one a line. */
export type TextFunction = "order_text" | "customer_text"

/** Minimum number of characters that an index can find. */
const TRIGRAM = 3

/** Minimum number of digits that find a phone number. Fewer are in too many. */
const PHONE_DIGITS = 4

const or = sql.join(" or ", false)

/** Removes the # before a number. People write it, and shops store numbers with or without it. */
export const withoutHash = (text: string): string => text.replace(/^#(?=.)/u, "")

/** Digits of a text that may be a phone number. The prefix of national or international calls is not stored with each. */
const phoneDigits = (text: string): ReadonlyArray<string> => {
  if (!/^[\d\s()+./-]+$/.test(text)) return []
  const digits = text.replaceAll(/\D+/g, "").replace(/^0+/, "")
  return digits.length < PHONE_DIGITS ? [] : [digits]
}

/** Texts of which a record contains one: the search, and its digits if it may be a phone number. */
const searchedTexts = (search: string): ReadonlyArray<string> => [
  ...new Set([withoutHash(search), ...phoneDigits(search)])
]

/** Condition that a searched text of a record contains the search. Without access to personal data, visible ones count. */
export const containsText = (texts: TextFunction, search: string, { isPersonal }: FieldVisibility): Fragment => {
  const personal = isPersonal ? sql`personal` : sql`null`
  const isFound = searchedTexts(search).map((text) => sql`strpos(texts, folded_text(${text}::text)) > 0`)
  // offset 0: the texts are computed once.
  return sql`(
    select ${or(isFound)} from (select ${sql.literal(texts)}(opening, ${personal}) as texts offset 0) as searched
  )`
}

/** Condition that a record has all trigrams of the search, which an index finds, or undefined if it is too short. */
export const textCandidates = (texts: TextFunction, store: StoreId, search: string): Fragment | undefined => {
  const searched = searchedTexts(search)
  if (searched.some((text) => [...text].length < TRIGRAM)) return undefined
  const hasTrigrams = searched.map(
    (text) => sql`
      line_trigrams(store_id, ${sql.literal(texts)}(opening, personal))
        @> line_trigrams(${store}::uuid, folded_text(${text}::text))
    `
  )
  return sql`(${or(hasTrigrams)})`
}
