import type { JsonText } from "../json/Document.ts"
import { canonical, isObject, type JsonObject } from "../json/Json.ts"
import { type Change, Encoded, type Snapshot } from "../Write.ts"

/**
 * Maximum number of JSON characters stored for both sides of an entry, because entries are kept for more than a year.
 */
export const MAX_DIFF_CHARACTERS = 64 * 1024

/** Stored part of a change: a created or deleted resource, or the members that an update changed. */
export interface JournalDiff {
  /** Object of the changed members with their old values. Members that did not exist are absent. */
  readonly before: JsonText | null
  /** Object of the changed members with their new values. */
  readonly after: JsonText | null
  /** Changed members that are on neither side because they are too large. */
  readonly omitted: ReadonlyArray<string>
}

/** Changed member, as it appears in the JSON of both sides; empty where it is absent. */
interface Difference {
  readonly name: string
  readonly before: JsonText
  readonly after: JsonText
}

const memberOf = (name: string, value: unknown): JsonText =>
  value === undefined ? "" : `${JSON.stringify(name)}:${value instanceof Encoded ? value.json : JSON.stringify(value)}`

/** Returns the changed members. Identical values, which most are, are skipped without a comparison of their JSON. */
const differences = (before: Snapshot["fields"], after: Snapshot["fields"]): ReadonlyArray<Difference> =>
  Object.keys({ ...before, ...after })
    .filter((name) => before[name] !== after[name])
    .map((name) => ({ name, before: memberOf(name, before[name]), after: memberOf(name, after[name]) }))
    .filter(({ after, before }) => before !== after)

/** Names of the members in which two states of a resource differ. */
export const changedMembers = (before: Snapshot, after: Snapshot): ReadonlyArray<string> =>
  differences(before.fields, after.fields).map(({ name }) => name)

const sizeOf = ({ after, before }: Difference) => before.length + after.length

/** Returns the smallest differences that fit into {@link MAX_DIFF_CHARACTERS}. */
const fitting = (all: ReadonlyArray<Difference>): ReadonlyArray<Difference> => {
  let remaining = MAX_DIFF_CHARACTERS
  return all
    .toSorted((a, b) => sizeOf(a) - sizeOf(b))
    .filter((difference) => {
      remaining -= sizeOf(difference)
      return remaining >= 0
    })
}

const objectOf = (members: ReadonlyArray<JsonText>): JsonText => `{${members.filter((one) => one !== "").join(",")}}`

/** Returns the stored part of a change. A created or deleted resource is stored whole unless it is too large. */
export const makeJournalDiff = ({ after, before }: Pick<Change, "before" | "after">): JournalDiff => {
  const whole = { before: before?.json ?? null, after: after?.json ?? null, omitted: [] }
  if (before === null && after !== null && after.json.length <= MAX_DIFF_CHARACTERS) return whole
  if (after === null && before !== null && before.json.length <= MAX_DIFF_CHARACTERS) return whole
  const all = differences(before?.fields ?? {}, after?.fields ?? {})
  const stored = fitting(all)
  return {
    before: before && objectOf(stored.map(({ before }) => before)),
    after: after && objectOf(stored.map(({ after }) => after)),
    omitted: all.filter((difference) => !stored.includes(difference)).map(({ name }) => name)
  }
}

const isVariant = (value: unknown): value is JsonObject & { readonly id: string } =>
  isObject(value) && typeof value["id"] === "string"

/** Returns the object with the members restored in which two states of it differ. */
const restoreDifferences = (current: JsonObject, before: JsonObject, after: JsonObject): JsonObject => {
  const changed = Object.keys({ ...before, ...after }).filter(
    (name) => canonical(before[name]) !== canonical(after[name])
  )
  const kept = Object.entries(current).filter(([name]) => !changed.includes(name) || name in before)
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(changed.flatMap((name) => (name in before ? [[name, before[name]]] : [])))
  }
}

/** Restores variants one by one, so that later changes of their other members stay. */
const restoreVariants = (current: unknown, before: unknown, after: unknown): unknown => {
  const areLists = Array.isArray(current) && Array.isArray(before) && Array.isArray(after)
  if (!areLists || ![...current, ...before, ...after].every(isVariant)) return before
  const byId = (variants: ReadonlyArray<unknown>) =>
    new Map(variants.filter(isVariant).map((one) => [one.id, one] as const))
  const [now, old, since] = [byId(current), byId(before), byId(after)]
  const isSameList = before.length === after.length && before.every(({ id }, at) => id === after[at].id)
  const ids: ReadonlyArray<string> = (isSameList ? current : before).map(({ id }) => id)
  return ids.flatMap((id): ReadonlyArray<unknown> => {
    const [ofNow, ofOld, ofSince] = [now.get(id), old.get(id), since.get(id)]
    if (ofOld === undefined) return ofNow === undefined ? [] : [ofNow]
    return [ofNow === undefined || ofSince === undefined ? ofOld : restoreDifferences(ofNow, ofOld, ofSince)]
  })
}

/** Restores the members that a change changed to their values before it. Variants are restored one by one. */
export const restoreMembers = (fields: JsonObject, before: JsonObject, after: JsonObject): JsonObject => ({
  ...Object.fromEntries(Object.entries(fields).filter(([name]) => name in before || !(name in after))),
  ...before,
  ...("variants" in before && "variants" in after
    ? { variants: restoreVariants(fields["variants"], before["variants"], after["variants"]) }
    : {})
})
