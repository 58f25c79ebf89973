import type { JsonText } from "../json/Document.ts"
import { type JsonObject } from "../json/Json.ts"
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

/** Restores the members that a change changed to their values before it. */
export const restoreMembers = (fields: JsonObject, before: JsonObject, after: JsonObject): JsonObject => ({
  ...Object.fromEntries(Object.entries(fields).filter(([name]) => name in before || !(name in after))),
  ...before
})
