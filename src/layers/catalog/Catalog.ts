import { Effect, Layer } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { Database } from "../sql/Postgres.ts"
import { makeCollections } from "./Collections.ts"
import { makeMemberships } from "./Memberships.ts"
import { makeProducts } from "./Products.ts"
import { makeSummaries } from "./Summaries.ts"

export const CatalogLive = Layer.effect(
  Catalog,
  Effect.map(Database, (database) =>
    Catalog.of({
      ...makeProducts(database),
      ...makeSummaries(database),
      ...makeCollections(database),
      ...makeMemberships(database)
    })
  )
)
