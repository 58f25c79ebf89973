import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { EventKind, EventLoop } from "../domain/Events.ts"
import type { CatalogKind } from "../domain/journal/Kinds.ts"
import { type Change, ChangeRecorder, type Snapshot, type Write, type WriteContext, Writes } from "../domain/Write.ts"
import { makeOutbox, Notifier, NotifierLive, type OutboxMessage } from "./webhooks/Outbox.ts"
import { makeJournalEntries } from "./journal/Journal.ts"
import { orDefectOf } from "./sql/Errors.ts"
import { deferToCommit, performWrite, sendAll } from "./sql/Transaction.ts"

/** Kinds of the events of creations and updates. */
const UPDATED: Record<CatalogKind, EventKind> = {
  product: "catalog.product.updated.v1",
  collection: "catalog.collection.updated.v1"
}

/** Records changes of one kind of resource, with one statement for all of them. */
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

/** Facts of a deleted product that the journal stores. */
interface DeletedProduct extends Required<Pick<Change, "memberships" | "externalId">> {
  readonly at: Date
  readonly eventId: string
}

/** Records the deletion of a product, the collections that contained it, and its external id. */
export const recordDeletion = (
  { at, eventId, externalId, memberships }: DeletedProduct,
  { id, version }: { readonly id: string; readonly version: number },
  before: Snapshot
): Write<void> => {
  const facts = { memberships, externalId }
  return recordAll([
    { id: eventId, at, resource: "product", resourceId: id, version, before, after: null, reason: null, ...facts }
  ])
}

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
  { actor, isSilent, storeId }: WriteContext,
  hops: number,
  { after, at, id, resource, resourceId, version }: Change
): ReadonlyArray<OutboxMessage> => {
  if (after === null || version === null || isSilent) return []
  const kind = UPDATED[resource]
  const event = { id, kind, occurredAt: at, storeId, actor, hops, json: after.json }
  return [{ event, resource: { id: resourceId, version } }]
}

/** Makes a function that stores the changes of a write as journal entries, events and deliveries. */
export const makeRecording = (sql: SqlClient.SqlClient, notify: Effect.Effect<void>) => {
  const insertEntries = makeJournalEntries(sql)
  const { hopsAfter, insertMessages } = makeOutbox(sql)

  return <A, E>(context: WriteContext, key: string | null, write: Write<A, E>): Effect.Effect<A, E | EventLoop> =>
    Effect.flatMap(hopsAfter(context.storeId, context.cause), (hops) => {
      const record = Effect.fnUntraced(function* (changes: ReadonlyArray<Change>): Effect.fn.Return<void> {
        const messages = changes.flatMap((change) => messagesOf(context, hops, change))
        const statements = [...insertEntries(context, hops, key, changes), ...insertMessages(messages)]
        // Statements of many changes are large: they are sent before the write creates the next ones.
        yield* changes.length === 1 ? deferToCommit(...statements) : sendAll(statements)
        if (messages.length > 0) yield* sql.afterCommit(notify)
      })
      return Effect.provideService(write, ChangeRecorder, { record })
    })
}

export const WritesLive = Layer.effect(
  Writes,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { notify } = yield* Notifier
    const recorded = makeRecording(sql, notify)
    return Writes.of({
      perform: <A, E>(context: WriteContext, write: Write<A, E>) =>
        orDefectOf<E | EventLoop>()(performWrite(sql, recorded(context, null, write), context.mode))
    })
  })
).pipe(Layer.provide(NotifierLive))
