import { Effect } from "effect"
import { hasMoved } from "../../domain/cells/Cells.ts"
import { type Fragment, sql } from "../sql/Statement.ts"

/**
 * Condition of the rows whose store is moving to or from this database, which workers and purges leave alone. The list is
 * read once a statement and almost always empty. `alias` names a table with a `store_id`.
 */
export const isMoving = (alias: string): Fragment => sql`
  ${sql.literal(alias)}.store_id = any(array(select store_id from store_fences))
`

/** Condition of a store that another cell serves: the fence refuses each write to it. `store` is an expression. */
export const isElsewhere = (store: string): Fragment => sql`
  ${sql.literal(store)} = any(array(select store_id from store_fences where state <> 'draining'))
`

/** Maximum number of stores that are fenced while a statement begins. */
const MAX_FENCES = 3

/**
 * Repeats a statement that writes rows of many stores and leaves out those behind a fence. It fails with `StoreMoved` if a
 * store is fenced after its snapshot, and the next snapshot has the fence.
 */
export const retryFenced = <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const attempt = (left: number): Effect.Effect<A, E, R> =>
    left === 0 ? statement : Effect.catchCauseIf(statement, hasMoved, () => attempt(left - 1))
  return attempt(MAX_FENCES)
}
