import { Effect, Layer } from "effect"
import type { EventKind, EventLoop } from "../domain/Events.ts"
import {
  type Change,
  type Refusal,
  type Snapshot,
  Step,
  type Write,
  type WriteContext,
  Writes
} from "../domain/Write.ts"
import { AfterCommit, Leave, type Steps } from "./database/Plan.ts"
import { Database } from "./database/Postgres.ts"
import { hopsAfter, Notifier, NotifierLive, outboxOf } from "./Events.ts"
import { entryOf } from "./Journal.ts"

/** Says what a write did to a resource. */
class Changed extends Step {
  readonly change: Change

  constructor(change: Change) {
    super()
    this.change = change
  }
}

/** The event that tells of a resource as it is; none tells of a deletion (contract, section 6). */
const UPDATED: Record<Change["resource"], EventKind> = {
  product: "catalog.product.updated.v1",
  collection: "catalog.collection.updated.v1"
}

/** Records a change: it is told in the journal and, unless it is a deletion, as an event. */
export function* record(
  { at, eventId }: { readonly at: Date; readonly eventId: string },
  resource: Change["resource"],
  { id, version }: { readonly id: string; readonly version: number },
  before: Snapshot | null,
  after: Snapshot | null,
  reason: string | null = null
): Steps<void> {
  yield new Changed({ id: eventId, at, resource, resourceId: id, version, before, after, reason })
}

/** The steps of a write that leave what each change is told by: a journal entry, an event and its deliveries. */
export function* recorded<A, E>(
  context: WriteContext,
  key: string | null,
  write: Write<A, E>,
  notify: () => void
): Steps<A, Refusal<E | EventLoop>> {
  const hops = yield* hopsAfter(context.storeId, context.cause)
  const steps = write()
  let next = steps.next()
  while (next.done !== true) {
    if (next.value instanceof Changed) {
      const { change } = next.value
      yield new Leave(entryOf(context, hops, key, change))
      if (change.after !== null) {
        const { actor, storeId } = context
        const event = {
          id: change.id,
          kind: UPDATED[change.resource],
          occurredAt: change.at,
          storeId,
          actor,
          hops,
          json: change.after.json
        }
        for (const left of outboxOf(event, { id: change.resourceId, version: change.version })) yield new Leave(left)
        yield new AfterCommit(notify)
      }
    } else {
      yield next.value
    }
    next = steps.next()
  }
  return next.value
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
