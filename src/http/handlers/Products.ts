import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { CreateProduct, UpdateProduct } from "../../domain/catalog/Product.ts"
import { CurrentInstallation } from "../../domain/Installation.ts"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { json } from "../Responses.ts"
import { makeWrites } from "./Writes.ts"

export const ProductsHandlers = HttpApiBuilder.group(PartnerApi, "Products", (handlers) =>
  Effect.gen(function* () {
    const catalog = yield* Catalog
    const writes = yield* makeWrites
    const create = writes.ofResource(201, CreateProduct, catalog.createProduct)

    return handlers
      .handle("listProducts", ({ urlParams: { cursor, limit = DEFAULT_LIMIT } }) =>
        Effect.gen(function* () {
          const { storeId } = yield* CurrentInstallation
          const { items, nextCursor } = yield* catalog.listProducts(storeId, { cursor, limit })
          return json(`{"products":${items},"nextCursor":${JSON.stringify(nextCursor)}}`)
        })
      )
      .handleRaw("createProduct", () => create)
      .handleRaw("updateProduct", ({ path: { id } }) =>
        writes.ofResource(200, UpdateProduct, (actor, patch, condition) =>
          catalog.updateProduct(actor, id, patch, condition)
        )
      )
      .handleRaw("deleteProduct", ({ path: { id } }) =>
        writes.ofDeletion(id, (actor, condition) => catalog.deleteProduct(actor, id, condition))
      )
  })
)
