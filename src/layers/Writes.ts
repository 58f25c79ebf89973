import { Effect, Layer } from "effect"
import type { EventKind, EventLoop } from "../domain/Events.ts"
import type { CatalogKind } from "../domain/journal/Kinds.ts"
import { type Change, ChangeRecorder, type Snapshot, type Write, type WriteContext, Writes } from "../domain/Write.ts"
import { afterCommit, runAll, answerOf, deferringBy, deferToCommit, type Part, rehearsed } from "./sql/Plan.ts"
import { Database } from "./sql/Postgres.ts"
import { hopsAfter, Notifier, NotifierLive, outboxOf, type Told } from "./Events.ts"
import { entriesOf } from "./Journal.ts"

/** The event that tells of a resource as it is; none tells of a deletion (contract, section 6). */
const UPDATED: Record<CatalogKind, EventKind> = {
  product: "catalog.product.updated.v1",
  collection: "catalog.collection.updated.v1"
}

/** Records changes of one kind of resource, by one statement for all of them. */
export const recordAll = (changes: ReadonlyArray<Change>): Part<void> =>
  changes.length > 0 ? Effect.flatMap(ChangeRecorder, ({ record }) => record(changes)) : Effect.void

/** Records a change. */
export const record = (
  { at, eventId }: { readonly at: Date; readonly eventId: string },
  resource: CatalogKind,
  { id, version }: { readonly id: string; readonly version: number },
  before: Snapshot | null,
  after: Snapshot | null,
  reason: string | null = null
): Part<void> => recordAll([{ id: eventId, at, resource, resourceId: id, version, before, after, reason }])

/** A product that is deleted, and the facts that the journal keeps beside it. */
interface Leaving extends Required<Pick<Change, "memberships" | "externalId">> {
  readonly at: Date
  readonly eventId: string
}

/** Records that a product was deleted, which collections held it and what it is called elsewhere. */
export const recordDeletion = (
  { at, eventId, externalId, memberships }: Leaving,
  { id, version }: { readonly id: string; readonly version: number },
  before: Snapshot
): Part<void> => {
  const kept = { memberships, externalId }
  return recordAll([
    { id: eventId, at, resource: "product", resourceId: id, version, before, after: null, reason: null, ...kept }
  ])
}

/** The write, whose changes are passed to `hear` on their way to the recorder. */
export const overheard = <A, E>(write: Write<A, E>, hear: (changes: ReadonlyArray<Change>) => void): Write<A, E> =>
  Effect.updateService(write, ChangeRecorder, ({ record }) => ({
    record: (changes) => {
      hear(changes)
      return record(changes)
    }
  }))

/** Runs a part of a write so that its changes come back as a list and are not recorded. */
const withChanges = <A, E>(
  part: Part<A, E>
): Effect.Effect<{ readonly value: A; readonly changes: ReadonlyArray<Change> }, E> =>
  Effect.suspend(() => {
    const changes: Array<Change> = []
    const record = (some: ReadonlyArray<Change>) => Effect.sync(() => void changes.push(...some))
    return Effect.map(Effect.provideService(part, ChangeRecorder, { record }), (value) => ({ value, changes }))
  })

/** Finds out what a write would answer and change, and takes it back: for a write that goes on with something else. */
export const tried = <A, E>(write: Write<A, E>) => rehearsed(withChanges(write))

/**
 * Runs a part of a write that is one of many: what it defers is sent at once, so that the next ones see it. Answers its
 * changes, which are recorded with those of the others.
 */
export const amongOthers = <E>(part: Part<void, E>): Effect.Effect<ReadonlyArray<Change>, E> =>
  Effect.map(
    deferringBy(withChanges(part), (statement) => Effect.asVoid(answerOf(statement))),
    ({ changes }) => changes
  )

/** The event that tells of a change, if one does. */
export const toldOf = (
  { actor, isSilent, storeId }: WriteContext,
  hops: number,
  { after, at, id, resource, resourceId, version }: Change
): ReadonlyArray<Told> => {
  if (after === null || version === null || isSilent) return []
  const kind = UPDATED[resource]
  const event = { id, kind, occurredAt: at, storeId, actor, hops, json: after.json }
  return [{ event, resource: { id: resourceId, version } }]
}

/** A write whose changes are stored as journal entries, events and deliveries. */
export const recorded = <A, E>(
  context: WriteContext,
  key: string | null,
  write: Write<A, E>,
  notify: () => void
): Effect.Effect<A, E | EventLoop> =>
  Effect.flatMap(hopsAfter(context.storeId, context.cause), (hops) => {
    const record = Effect.fnUntraced(function* (changes: ReadonlyArray<Change>): Effect.fn.Return<void> {
      const told = changes.flatMap((change) => toldOf(context, hops, change))
      const statements = [...entriesOf(context, hops, key, changes), ...outboxOf(told)]
      // Statements about many changes are large: they are sent before the write makes the next ones.
      yield* changes.length === 1 ? deferToCommit(...statements) : runAll(...statements)
      if (told.length > 0) yield* afterCommit(notify)
    })
    return Effect.provideService(write, ChangeRecorder, { record })
  })

export const WritesLive = Layer.effect(
  Writes,
  Effect.gen(function* () {
    const { perform } = yield* Database
    const { notify } = yield* Notifier
    return Writes.of({
      perform: (context, write) => perform(recorded(context, null, write, notify), context.mode === "perform")
    })
  })
).pipe(Layer.provide(NotifierLive))
