import { Predicate } from "effect"
import type { Write } from "../../domain/Write.ts"
import type { Fragment } from "./Statement.ts"

const TypeId = "layers/sql/SingleStatement"

/** Parts of the statement that performs a write together with its idempotency record. */
export interface SingleStatement<A> {
  /** Common table expressions that write. */
  readonly expressions: Fragment
  /**
   * Query of one row with the column `document`. Null aborts the statement, and the write runs in a transaction instead, for
   * a refusal or a case that takes more statements.
   */
  readonly document: Fragment
  /** Maximum size of the document in bytes. */
  readonly maxBytes: number
  /** Converts a document to the result of the write. */
  readonly toResult: (document: string) => A
}

/** Write that records no changes and can be sent as one statement. */
export interface SingleStatementWrite<A, E> extends Write<A, E> {
  readonly [TypeId]: SingleStatement<A>
}

/**
 * Adds the statement that performs a write. `Idempotency.once` sends it without BEGIN and COMMIT. A dry run, and a write that
 * this one is a part of, run the write itself.
 */
export const withSingleStatement = <A, E>(
  write: Write<A, E>,
  statement: SingleStatement<A>
): SingleStatementWrite<A, E> => Object.assign(write, { [TypeId]: statement } as const)

const isSingleStatement = <A, E>(write: Write<A, E>): write is SingleStatementWrite<A, E> =>
  Predicate.hasProperty(write, TypeId)

/** Returns the statement of a write, if it has one. */
export const singleStatementOf = <A, E>(write: Write<A, E>): SingleStatement<A> | undefined =>
  isSingleStatement(write) ? write[TypeId] : undefined
