import type { JsonText } from "../Document.ts"
import { type JsonObject, stringify } from "../Json.ts"
import { type Change, Encoded, type Snapshot } from "../Write.ts"

/** Characters of JSON that an entry keeps, of both sides together: it is kept for more than a year. */
export const MAX_KEPT = 64 * 1024

/** What the journal keeps of a change: a resource that was made or deleted, or what an update changed of it. */
export interface Kept {
  /** An object of the members that differ, as they were. A member that only the other side has was not there. */
  readonly before: JsonText | null
  /** The same, as they are. */
  readonly after: JsonText | null
  /** Members that differ, too, and are on neither side: they are too large to keep. */
  readonly omitted: ReadonlyArray<string>
}

/** A member that a change changed, as it stands in the JSON of both sides: nothing where it was not there. */
interface Difference {
  readonly name: string
  readonly before: JsonText
  readonly after: JsonText
}

const memberOf = (name: string, value: unknown): JsonText =>
  value === undefined ? "" : `${JSON.stringify(name)}:${value instanceof Encoded ? value.json : stringify(value)}`

/** An update leaves most values the same, which is seen without a look at their JSON. */
const differences = (before: Snapshot["fields"], after: Snapshot["fields"]): ReadonlyArray<Difference> =>
  Object.keys({ ...before, ...after })
    .filter((name) => before[name] !== after[name])
    .map((name) => ({ name, before: memberOf(name, before[name]), after: memberOf(name, after[name]) }))
    .filter(({ after, before }) => before !== after)

const sizeOf = ({ after, before }: Difference) => before.length + after.length

/** As many as there is room for, the smallest first. */
const fitting = (all: ReadonlyArray<Difference>): ReadonlyArray<Difference> => {
  let room = MAX_KEPT
  return all
    .toSorted((a, b) => sizeOf(a) - sizeOf(b))
    .filter((difference) => {
      room -= sizeOf(difference)
      return room >= 0
    })
}

const objectOf = (members: ReadonlyArray<JsonText>): JsonText => `{${members.filter((one) => one !== "").join(",")}}`

/** What is kept of a change. A resource that was made or deleted is its JSON as it is, unless that is too large. */
export const keptOf = ({ after, before }: Pick<Change, "before" | "after">): Kept => {
  const whole = { before: before?.json ?? null, after: after?.json ?? null, omitted: [] }
  if (before === null && after !== null && after.json.length <= MAX_KEPT) return whole
  if (after === null && before !== null && before.json.length <= MAX_KEPT) return whole
  const all = differences(before?.fields ?? {}, after?.fields ?? {})
  const kept = fitting(all)
  return {
    before: before && objectOf(kept.map(({ before }) => before)),
    after: after && objectOf(kept.map(({ after }) => after)),
    omitted: all.filter((difference) => !kept.includes(difference)).map(({ name }) => name)
  }
}

/** A resource whose members that a change changed are again as they were before it. */
export const turnedBack = (fields: JsonObject, before: JsonObject, after: JsonObject): JsonObject => ({
  ...Object.fromEntries(Object.entries(fields).filter(([name]) => name in before || !(name in after))),
  ...before
})
