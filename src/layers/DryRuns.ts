import { Effect } from "effect"
import { productIn } from "../domain/catalog/Documents.ts"
import { ProductId } from "../domain/catalog/Product.ts"
import { CATALOG_KINDS } from "../domain/journal/Kinds.ts"
import type { DryRunResult } from "../domain/DryRun.ts"
import type { Change, WriteContext } from "../domain/Write.ts"
import { membershipDiff } from "./catalog/MembershipDiff.ts"
import { Outbox } from "./webhooks/Outbox.ts"
import { messagesOf } from "./Writes.ts"

/** Makes the function that describes the effects of changes: events, their recipients, and the collections of a product. */
export const dryRunResult = Effect.gen(function* () {
  const { listRecipients } = yield* Outbox
  const diff = yield* membershipDiff

  /** Returns the collections that a product enters and leaves, if the write changes one product. */
  const collectionsOf = (context: WriteContext, [change, ...others]: ReadonlyArray<Change>) => {
    if (change === undefined || change.version === null || others.length > 0) return Effect.succeed(null)
    if (!CATALOG_KINDS[change.resource].isCollected) return Effect.succeed(null)
    const id = ProductId.make(change.resourceId)
    return diff(context.storeId, id, productIn(change.before), productIn(change.after), change.undoes)
  }

  return (context: WriteContext, changes: ReadonlyArray<Change>): Effect.Effect<DryRunResult> =>
    Effect.gen(function* () {
      const messages = changes.flatMap((change) => messagesOf(context, 0, change))
      const kinds = [...new Set(messages.map(({ event }) => event.kind))]
      const recipients = new Map(
        yield* Effect.forEach(kinds, (kind) =>
          Effect.map(listRecipients(context.storeId, context.actor, kind), (found) => [kind, found] as const)
        )
      )
      const events = messages.map(({ event: { kind }, resource: { id, version } }) => ({
        kind,
        resourceId: id,
        version,
        recipients: recipients.get(kind) ?? []
      }))
      return { dryRun: true, events, collections: yield* collectionsOf(context, changes) }
    })
})
