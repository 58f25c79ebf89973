import { Effect, Layer } from "effect"
import { Imports } from "../../domain/imports/Imports.ts"
import { collectionImport } from "./Collections.ts"
import { productImport } from "./Products.ts"
import { customerImport, orderImport } from "./Records.ts"

export const ImportsLive = Layer.effect(
  Imports,
  Effect.gen(function* () {
    return Imports.of({
      putProducts: yield* productImport,
      putCollection: yield* collectionImport,
      putOrders: yield* orderImport,
      putCustomers: yield* customerImport
    })
  })
)
