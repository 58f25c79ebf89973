import { Context, Effect, Layer } from "effect"
import type { EventLoop } from "../domain/Events.ts"
import { CATALOG_KINDS, type CatalogKind } from "../domain/journal/Kinds.ts"
import { type Change, ChangeRecorder, type Snapshot, type Write, type WriteContext, Writes } from "../domain/Write.ts"
import { JournalEntries } from "./journal/Journal.ts"
import { UnitOfWork } from "./sql/UnitOfWork.ts"
import { Outbox, type OutboxMessage } from "./webhooks/Outbox.ts"

/** Records changes, with one statement for all of them. */
export const recordAll = (changes: ReadonlyArray<Change>): Write<void> =>
  changes.length > 0 ? Effect.flatMap(ChangeRecorder, ({ record }) => record(changes)) : Effect.void

/** Records a change. */
export const record = (
  { at, eventId }: { readonly at: Date; readonly eventId: string },
  resource: CatalogKind,
  { id, version }: { readonly id: string; readonly version: number },
  before: Snapshot | null,
  after: Snapshot | null,
  reason: string | null = null
): Write<void> => recordAll([{ id: eventId, at, resource, resourceId: id, version, before, after, reason }])

/** Runs a write and passes its changes to `observe` before they are recorded. */
export const observeChanges = <A, E>(
  write: Write<A, E>,
  observe: (changes: ReadonlyArray<Change>) => void
): Write<A, E> =>
  Effect.updateService(write, ChangeRecorder, ({ record }) => ({
    record: (changes) => {
      observe(changes)
      return record(changes)
    }
  }))

/** Runs a part of a write and returns its changes, which are not recorded. */
export const collectChanges = <A, E>(
  part: Effect.Effect<A, E, ChangeRecorder>
): Effect.Effect<{ readonly value: A; readonly changes: ReadonlyArray<Change> }, E> =>
  Effect.suspend(() => {
    const changes: Array<Change> = []
    const record = (some: ReadonlyArray<Change>) => Effect.sync(() => void changes.push(...some))
    return Effect.map(Effect.provideService(part, ChangeRecorder, { record }), (value) => ({ value, changes }))
  })

/** Returns the event of a change, if it has one. Deletions have none (contract, section 6). */
export const messagesOf = (
  { actor, changeSetId, isSilent, storeId }: WriteContext,
  hops: number,
  { after, at, id, resource, resourceId, version }: Change
): ReadonlyArray<OutboxMessage> => {
  if (after === null || version === null || isSilent) return []
  const kind = CATALOG_KINDS[resource].updated
  const event = { id, kind, occurredAt: at, storeId, actor, changeSetId, hops, json: after.json }
  return [{ event, resource: { id: resourceId, version } }]
}

/** Stores the changes of a write as journal entries, events and deliveries. */
export class Recording extends Context.Service<Recording>()("layers/Recording", {
  make: Effect.gen(function* () {
    const journal = yield* JournalEntries
    const outbox = yield* Outbox
    const unitOfWork = yield* UnitOfWork

    return {
      /** Provides the recorder of a write. Its statements are part of the unit of work. */
      recorded: <A, E>(
        context: WriteContext,
        key: string | null,
        write: Write<A, E>
      ): Effect.Effect<A, E | EventLoop> =>
        Effect.flatMap(
          context.cause === null ? Effect.succeed(0) : outbox.hopsAfter(context.storeId, context.cause),
          (hops) => {
            const record = Effect.fnUntraced(function* (changes: ReadonlyArray<Change>): Effect.fn.Return<void> {
              const messages = changes.flatMap((change) => messagesOf(context, hops, change))
              yield* unitOfWork.add(journal.insertStatement(context, hops, key, changes))
              for (const { deliveries, events } of yield* outbox.insertStatements(messages)) {
                yield* unitOfWork.add(events)
                yield* unitOfWork.addObserved(deliveries, outbox.notifyAfterCommit)
              }
            })
            return Effect.provideService(write, ChangeRecorder, { record })
          }
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export const WritesLive = Layer.effect(
  Writes,
  Effect.gen(function* () {
    const { recorded } = yield* Recording
    const { run } = yield* UnitOfWork
    return Writes.of({
      perform: (context, write) => run(recorded(context, null, write), context.mode)
    })
  })
)
