import { Struct } from "effect"
import { canonical } from "../../../domain/json/Json.ts"

/* Three-way merge of a form that another user saved meanwhile. */

export const isSame = (a: unknown, b: unknown): boolean => a === b || canonical(a) === canonical(b)

/** Fields in which two drafts differ. */
export const differences = <Draft extends object>(a: Draft, b: Draft): ReadonlyArray<keyof Draft> =>
  Struct.keys(a).filter((field) => !isSame(a[field], b[field]))

/** Copies these fields from another draft. */
export const withFields = <Draft extends object>(
  draft: Draft,
  other: Draft,
  fields: ReadonlyArray<keyof Draft>
): Draft => {
  const next = { ...draft }
  for (const field of fields) next[field] = other[field]
  return next
}

export interface Merged<Draft> {
  /** Their saved values, overlaid with the local changes. */
  readonly draft: Draft
  /** Fields that only the other user changed. */
  readonly changedByThem: ReadonlyArray<keyof Draft>
  /** Fields that both changed to different values. */
  readonly conflicts: ReadonlyArray<keyof Draft>
}

/** Merges `mine` into `theirs`. Both started from `base`. Local changes are never lost. */
export const merge = <Draft extends object>(base: Draft, mine: Draft, theirs: Draft): Merged<Draft> => {
  const changedByMe = differences(base, mine)
  const changedByOther = differences(base, theirs)
  return {
    draft: withFields(theirs, mine, changedByMe),
    changedByThem: changedByOther.filter((field) => !changedByMe.includes(field)),
    conflicts: changedByOther.filter((field) => changedByMe.includes(field) && !isSame(mine[field], theirs[field]))
  }
}
