import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { ConnectionPool } from "../sql/Postgres.ts"
import { makeCollections } from "./Collections.ts"
import { makeMemberships } from "./Memberships.ts"
import { makeProducts } from "./Products.ts"

export const CatalogLive = Layer.effect(
  Catalog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return Catalog.of({
      ...makeProducts(sql, yield* ConnectionPool),
      ...makeCollections(sql),
      ...makeMemberships(sql)
    })
  })
)
