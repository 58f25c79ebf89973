import { Effect, Layer } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { Imports } from "../../domain/imports/Imports.ts"
import { makePutCollection } from "./Collections.ts"
import { putProducts } from "./Products.ts"

export const ImportsLive = Layer.effect(
  Imports,
  Effect.map(Catalog, (catalog) => Imports.of({ putProducts, putCollection: makePutCollection(catalog) }))
)
