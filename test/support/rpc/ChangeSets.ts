import { Effect, Schema } from "effect"
import type { ChangeSetId } from "../../../src/domain/changeSets/ChangeSet.ts"
import { Operation } from "../../../src/domain/changeSets/Operation.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import type { Client } from "../../../src/rpc/Client.ts"
import { waitForState } from "../http/ChangeSets.ts"
import { keyedIn } from "./Proposals.ts"

const toOperations = Schema.decodeUnknownSync(Schema.Array(Operation))

/** Operations that create products. */
export const creations = (count: number) =>
  toOperations(Array.from({ length: count }, (_, n) => ({ op: "product.create", product: { name: `P ${n}` } })))

/** Creates a set over RPC and waits for its preview. */
export const previewOver = Effect.fn(function* (client: Client, storeId: StoreId, count = 1) {
  const { id } = yield* client.changeSets.create({ ...keyedIn(storeId), mode: "each", operations: creations(count) })
  yield* waitForState(id, "ready")
  return yield* client.changeSets.get({ storeId, id })
})

/** Applies a set over RPC and waits for its end. */
export const applyOver = Effect.fn(function* (client: Client, storeId: StoreId, id: ChangeSetId) {
  yield* client.changeSets.apply({ ...keyedIn(storeId), id })
  yield* waitForState(id, "applied", "failed")
  return yield* client.changeSets.get({ storeId, id })
})
