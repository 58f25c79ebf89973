import type { JsonText } from "../Document.ts"
import { stringify } from "../Json.ts"
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

/** A member that a change changed, in JSON; undefined where it was not there. */
interface Difference {
  readonly name: string
  readonly before: JsonText | undefined
  readonly after: JsonText | undefined
}

const jsonOf = (value: unknown): JsonText | undefined => {
  if (value === undefined) return undefined
  return value instanceof Encoded ? value.json : stringify(value)
}

/** An update leaves most values the same, which is seen without a look at their JSON. */
const differences = (before: Snapshot["fields"], after: Snapshot["fields"]): ReadonlyArray<Difference> =>
  Object.keys({ ...before, ...after })
    .filter((name) => before[name] !== after[name])
    .map((name) => ({ name, before: jsonOf(before[name]), after: jsonOf(after[name]) }))
    .filter(({ after, before }) => before !== after)

const sizeOf = ({ after = "", before = "", name }: Difference) => 2 * name.length + before.length + after.length

/** As many as there is room for, the smallest first. */
const fitting = (all: ReadonlyArray<Difference>): ReadonlySet<Difference> => {
  let room = MAX_KEPT
  return new Set(
    all
      .toSorted((a, b) => sizeOf(a) - sizeOf(b))
      .filter((difference) => {
        room -= sizeOf(difference)
        return room >= 0
      })
  )
}

const objectOf = (members: ReadonlyArray<readonly [name: string, json: JsonText | undefined]>): JsonText =>
  `{${members.flatMap(([name, json]) => (json === undefined ? [] : [`${JSON.stringify(name)}:${json}`])).join(",")}}`

/** What is kept of a change. A resource that was made or deleted is its JSON as it is, unless that is too large. */
export const keptOf = ({ after, before }: Pick<Change, "before" | "after">): Kept => {
  const whole = { before: before?.json ?? null, after: after?.json ?? null, omitted: [] }
  if (before === null && after !== null && after.json.length <= MAX_KEPT) return whole
  if (after === null && before !== null && before.json.length <= MAX_KEPT) return whole
  const all = differences(before?.fields ?? {}, after?.fields ?? {})
  const fit = fitting(all)
  const kept = all.filter((difference) => fit.has(difference))
  return {
    before: before && objectOf(kept.map(({ before, name }) => [name, before])),
    after: after && objectOf(kept.map(({ after, name }) => [name, after])),
    omitted: all.filter((difference) => !fit.has(difference)).map(({ name }) => name)
  }
}
