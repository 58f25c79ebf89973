import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Proposed } from "../../../src/domain/access/Proposals.ts"
import { CreateProduct, type ProductId } from "../../../src/domain/catalog/Product.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Client, performed } from "../../../src/rpc/Client.ts"
import { agentOf, freshMember, newKey } from "./Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)

export const keyedIn = (storeId: StoreId) => ({ storeId, idempotencyKey: newKey() })

/** A store with a product, and an agent whose writes become proposals. */
export const proposer = Effect.gen(function* () {
  const member = yield* freshMember()
  const { storeId } = member
  const agent = yield* agentOf(member, { proposalsOnly: true })
  const cup = { ...keyedIn(storeId), product: toProduct({ name: "Cup", price: 3, stock: 5 }) }
  return { ...member, agent, product: yield* performed(member.client.products.create(cup)) }
})

/** Returns the response to a write that became a proposal. */
export const proposed = <A extends object, E>(write: Effect.Effect<A | typeof Proposed.Type, E>) =>
  Effect.map(write, (answer) => ("proposal" in answer ? answer.proposal : assert.fail(JSON.stringify(answer))))

/** Proposes a price. */
export const proposePrice = (client: Client, storeId: StoreId, id: ProductId, price: number) =>
  proposed(client.products.update({ ...keyedIn(storeId), id, patch: { price } }))

/** Tag of the error of a call, or "Success". */
export const tagOf = <A, E extends { readonly _tag: string }>(call: Effect.Effect<A, E>) =>
  Effect.match(call, { onSuccess: () => "done", onFailure: ({ _tag }): string => _tag })
