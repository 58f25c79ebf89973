import { Struct } from "effect"
import { canonical } from "../../domain/Json.ts"

/* What becomes of what somebody typed when somebody else saved meanwhile. */

/** Whether two values of a form say the same. */
export const isSame = (a: unknown, b: unknown): boolean => a === b || canonical(a) === canonical(b)

/** The fields in which two forms differ. */
export const differences = <Draft extends object>(a: Draft, b: Draft): ReadonlyArray<keyof Draft> =>
  Struct.keys(a).filter((field) => !isSame(a[field], b[field]))

/** A form with these fields of another. */
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
  /** What they saved, and over it what was typed here. */
  readonly draft: Draft
  /** Fields that they alone changed. */
  readonly changedByThem: ReadonlyArray<keyof Draft>
  /** Fields that both changed, and not to the same: somebody has to choose. */
  readonly conflicts: ReadonlyArray<keyof Draft>
}

/** Puts what was typed (`mine`), which began with `base`, upon what was saved meanwhile (`theirs`). Nothing typed is lost. */
export const merge = <Draft extends object>(base: Draft, mine: Draft, theirs: Draft): Merged<Draft> => {
  const typed = differences(base, mine)
  const saved = differences(base, theirs)
  return {
    draft: withFields(theirs, mine, typed),
    changedByThem: saved.filter((field) => !typed.includes(field)),
    conflicts: saved.filter((field) => typed.includes(field) && !isSame(mine[field], theirs[field]))
  }
}
