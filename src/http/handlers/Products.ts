import { Effect } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { CreateProduct, ProductId, UpdateProduct } from "../../domain/catalog/Product.ts"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import { pageQuery } from "../api/Catalog.ts"
import { decodeWith } from "../Body.ts"
import type { Handler } from "../Call.ts"
import { makeWrites } from "./Writes.ts"

const decodeQuery = decodeWith(pageQuery(ProductId))

export const makeProductHandlers = Effect.gen(function* () {
  const catalog = yield* Catalog
  const writes = yield* makeWrites

  const listProducts: Handler = Effect.fnUntraced(function* ({ installation, query }) {
    const { cursor, limit = DEFAULT_LIMIT } = yield* decodeQuery(query, false)
    const { items, nextCursor } = yield* catalog.listProducts(installation.storeId, { cursor, limit })
    return { status: 200, body: `{"products":${items},"nextCursor":${JSON.stringify(nextCursor)}}` }
  })

  return {
    listProducts,
    createProduct: writes.create(CreateProduct, catalog.createProduct),
    updateProduct: writes.update(ProductId, UpdateProduct, catalog.updateProduct),
    deleteProduct: writes.remove(ProductId, catalog.deleteProduct)
  }
})
