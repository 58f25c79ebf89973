import { Effect, Layer } from "effect"
import type { EventKind, EventLoop } from "../domain/Events.ts"
import type { CatalogKind } from "../domain/journal/Kinds.ts"
import { type Change, Refusal, type Snapshot, Step, type Write, type WriteContext, Writes } from "../domain/Write.ts"
import { AfterCommit, ahead, Ask, countOf, Leave, leave, type Steps } from "./database/Plan.ts"
import { Database } from "./database/Postgres.ts"
import { statement } from "./database/Statement.ts"
import { hopsAfter, Notifier, NotifierLive, outboxOf, type Told } from "./Events.ts"
import { entriesOf } from "./Journal.ts"

/** Says what a write did to a resource, or to many of one kind. */
class Changed extends Step {
  readonly changes: ReadonlyArray<Change>

  constructor(changes: ReadonlyArray<Change>) {
    super()
    this.changes = changes
  }
}

/** The event that tells of a resource as it is; none tells of a deletion (contract, section 6). */
const UPDATED: Record<CatalogKind, EventKind> = {
  product: "catalog.product.updated.v1",
  collection: "catalog.collection.updated.v1"
}

/** Records a change: it is told in the journal and, unless it is a deletion, as an event. */
export function* record(
  { at, eventId }: { readonly at: Date; readonly eventId: string },
  resource: CatalogKind,
  { id, version }: { readonly id: string; readonly version: number },
  before: Snapshot | null,
  after: Snapshot | null,
  reason: string | null = null
): Steps<void> {
  yield new Changed([{ id: eventId, at, resource, resourceId: id, version, before, after, reason }])
}

/** Of a product that is deleted what the journal keeps beside it. */
interface Leaving extends Required<Pick<Change, "memberships" | "externalId">> {
  readonly at: Date
  readonly eventId: string
}

/** Records that a product was deleted, what held it and what it is called elsewhere. */
export function* recordDeletion(
  { at, eventId, externalId, memberships }: Leaving,
  { id, version }: { readonly id: string; readonly version: number },
  before: Snapshot
): Steps<void> {
  const kept = { memberships, externalId }
  yield new Changed([
    { id: eventId, at, resource: "product", resourceId: id, version, before, after: null, reason: null, ...kept }
  ])
}

/** Records changes of one kind of resource, which are told by a statement for all of them. */
export function* recordAll(changes: ReadonlyArray<Change>): Steps<void> {
  if (changes.length > 0) yield new Changed(changes)
}

/** The steps of a write, in place of each those that it is turned into. What the write comes to stays the same. */
function* turned<Y, Z, A>(steps: Generator<Y, A, unknown>, turn: (step: Y) => Iterable<Z>): Generator<Z, A, unknown> {
  let next = steps.next()
  while (next.done !== true) {
    yield* turn(next.value)
    next = steps.next()
  }
  return next.value
}

/** The write, whose changes are told on their way. */
export const overheard =
  <A, E>(write: Write<A, E>, hear: (changes: ReadonlyArray<Change>) => void): Write<A, E> =>
  () =>
    turned(write(), (step) => {
      if (step instanceof Changed) hear(step.changes)
      return [step]
    })

const savepoint = statement("savepoint tried")()
const rollback = statement("rollback to savepoint tried")()

/** What a write would come to and change, taken back again: of a write that goes on with something else. */
export function* tried<A, E>(
  write: Write<A, E>
): Steps<{ readonly value: A; readonly changes: ReadonlyArray<Change> }, Refusal<E>> {
  yield* countOf(savepoint)
  const changes: Array<Change> = []
  const value = yield* turned(write(), (step) => {
    if (step instanceof Changed) changes.push(...step.changes)
    return step instanceof Ask || step instanceof Refusal ? [step] : []
  })
  yield* countOf(rollback)
  return { value, changes }
}

/**
 * A part of a write that is one of many: what it leaves is sent while the next ones are made, which see it. Answers what it
 * changed, which is to be recorded with the others.
 */
export function* amongOthers<Y>(steps: Steps<void, Y>): Steps<ReadonlyArray<Change>, Y> {
  const made: Array<Change> = []
  yield* turned(steps, (step) => {
    if (step instanceof Leave) return ahead(step.statement)
    if (!(step instanceof Changed)) return [step]
    made.push(...step.changes)
    return []
  })
  return made
}

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

/** The steps of a write that leave what each change is told by: a journal entry, an event and its deliveries. */
export function* recorded<A, E>(
  context: WriteContext,
  key: string | null,
  write: Write<A, E>,
  notify: () => void
): Steps<A, Refusal<E | EventLoop>> {
  const hops = yield* hopsAfter(context.storeId, context.cause)

  function* tell(changes: ReadonlyArray<Change>): Steps<void> {
    const told = changes.flatMap((change) => toldOf(context, hops, change))
    const statements = [...entriesOf(context, hops, key, changes), ...outboxOf(told)]
    // What tells of many is large: the database works on it while the write makes the next ones.
    yield* changes.length === 1 ? leave(...statements) : ahead(...statements)
    if (told.length > 0) yield new AfterCommit(notify)
  }

  return yield* turned(write(), (step) => (step instanceof Changed ? tell(step.changes) : [step]))
}

export const WritesLive = Layer.effect(
  Writes,
  Effect.gen(function* () {
    const { perform } = yield* Database
    const { notify } = yield* Notifier
    return Writes.of({
      perform: (context, write) => perform(() => recorded(context, null, write, notify), context.mode === "perform")
    })
  })
).pipe(Layer.provide(NotifierLive))
