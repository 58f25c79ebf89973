import { Effect } from "effect"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Client, type CreateProduct, performed } from "../../../src/rpc/Client.ts"
import { newKey } from "../rpc/Rpc.ts"

/** A member of a store, with their client. */
interface Member {
  readonly client: Client
  readonly storeId: StoreId
}

/** Creates products in a store, in this order. */
export const makeProducts = ({ client, storeId }: Member, products: ReadonlyArray<CreateProduct>) =>
  Effect.forEach(products, (product) =>
    performed(client.products.create({ storeId, idempotencyKey: newKey(), product }))
  )
