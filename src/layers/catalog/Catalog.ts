import { Effect, Layer } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { collectionOperations } from "./Collections.ts"
import { membershipOperations } from "./Memberships.ts"
import { productQueryOperations } from "./ProductQueries.ts"
import { productOperations } from "./Products.ts"

export const CatalogLive = Layer.effect(
  Catalog,
  Effect.gen(function* () {
    return Catalog.of({
      ...(yield* productOperations),
      ...(yield* productQueryOperations),
      ...(yield* collectionOperations),
      ...(yield* membershipOperations)
    })
  })
)
