import { Effect, Option, Schedule, Stream } from "effect"
import type { ChangeSet } from "../../../domain/changeSets/ChangeSet.ts"
import type { Client, StoreId } from "../../../rpc/Client.ts"
import { isTransient } from "../../shared/data/errorMessages.ts"
import { newIdempotencyKey } from "../../shared/data/queries.ts"
import { callService } from "../../shared/data/service.ts"

/* Calls of change sets that bulk edits and imports share. */

type SetId = ChangeSet["id"]

/** Repeats a write with the same key after transient errors. */
export const retried = Effect.retry({ times: 3, while: isTransient, schedule: Schedule.exponential("500 millis") })

export const keyed = (storeId: StoreId) => ({ storeId, idempotencyKey: newIdempotencyKey() })

/** Follows a set until no job works on it. */
export const follow = (client: Client, storeId: StoreId, id: SetId, onSet: (set: ChangeSet) => void = () => {}) =>
  client.changeSets.follow({ storeId, id }).pipe(
    Stream.tap((set) => Effect.sync(() => onSet(set))),
    Stream.runLast,
    Effect.map(Option.getOrThrow)
  )

/** Undoes a set by another one, and returns that one when it has ended. */
export const undoSet = (storeId: StoreId, id: SetId): Promise<ChangeSet> =>
  callService((client) =>
    Effect.gen(function* () {
      const undo = yield* retried(client.changeSets.undo({ ...keyed(storeId), id }))
      yield* follow(client, storeId, undo.id)
      yield* retried(client.changeSets.apply({ ...keyed(storeId), id: undo.id }))
      return yield* follow(client, storeId, undo.id)
    })
  )

/** Stops the work on a set. */
export const cancelSet = (storeId: StoreId, id: SetId): Promise<ChangeSet> =>
  callService((client) => client.changeSets.cancel({ ...keyed(storeId), id }))
