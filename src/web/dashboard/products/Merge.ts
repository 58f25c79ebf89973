import { Struct } from "effect"
import { changedFields } from "./DraftInput.ts"
import { type Draft, type Field, isSame } from "./ProductDraft.ts"

/** What becomes of a form when the product was changed meanwhile. */
export interface Merged {
  /** What somebody else says, and over it what the form alone changed. */
  readonly draft: Draft
  /** Fields that they changed and the form did not. */
  readonly taken: ReadonlyArray<Field>
  /** Fields in which both changed something, and not to the same: somebody has to choose. */
  readonly conflicts: ReadonlyArray<Field>
}

/** Puts a form upon what the product says now. Of fields in conflict it says what they say, until somebody chooses. */
export const merge = (base: Draft, mine: Draft, theirs: Draft): Merged => {
  const isMine = new Set(changedFields(base, mine))
  const isTheirs = new Set(changedFields(base, theirs))
  const conflicts = [...isMine].filter((field) => isTheirs.has(field) && !isSame(field, mine, theirs))
  const kept = [...isMine].filter((field) => !isTheirs.has(field))
  return {
    draft: choose(theirs, mine, kept),
    taken: [...isTheirs].filter((field) => !isMine.has(field)),
    conflicts
  }
}

/** A form with these fields of another. */
export const choose = (draft: Draft, other: Draft, fields: ReadonlyArray<Field>): Draft => ({
  ...draft,
  ...Struct.pick(other, ...fields)
})
