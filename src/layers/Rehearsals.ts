import { Effect } from "effect"
import { ProductId } from "../domain/catalog/Product.ts"
import type { DryRunResult } from "../domain/DryRun.ts"
import type { Change, Snapshot, WriteContext } from "../domain/Write.ts"
import { makeMoves } from "./catalog/Moves.ts"
import { productOf } from "./catalog/ProductRepo.ts"
import type { DatabaseOf } from "./sql/Database.ts"
import { makeTold } from "./Events.ts"
import { toldOf } from "./Writes.ts"

/** Finds out what changes lead to: the events that tell of them, to whom, and where products come and go. */
export const makeRehearsals = (database: DatabaseOf) => {
  const recipientsOf = makeTold(database)
  const movesOf = makeMoves(database)

  /** The collections that a product enters and leaves, where it is one that changes. */
  const collectionsOf = (context: WriteContext, [change, ...others]: ReadonlyArray<Change>) => {
    if (change === undefined || change.resource !== "product" || others.length > 0) return Effect.succeed(null)
    const id = ProductId.make(change.resourceId)
    const sideOf = (side: Snapshot | null) => side && productOf(side.json, id)
    return movesOf(context.storeId, id, sideOf(change.before), sideOf(change.after), change.undoes)
  }

  return (context: WriteContext, changes: ReadonlyArray<Change>): Effect.Effect<DryRunResult> =>
    Effect.gen(function* () {
      const told = changes.flatMap((change) => toldOf(context, 0, change))
      const kinds = [...new Set(told.map(({ event }) => event.kind))]
      const recipients = new Map(
        yield* Effect.forEach(kinds, (kind) =>
          Effect.map(recipientsOf(context.storeId, context.actor, kind), (found) => [kind, found] as const)
        )
      )
      const events = told.map(({ event: { kind }, resource: { id, version } }) => ({
        kind,
        resourceId: id,
        version,
        recipients: recipients.get(kind) ?? []
      }))
      return { dryRun: true, events, collections: yield* collectionsOf(context, changes) }
    })
}
