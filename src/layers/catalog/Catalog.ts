import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { Events } from "../../domain/Events.ts"
import { Pool } from "../Postgres.ts"
import { makeReads } from "../Reads.ts"
import { makeCollections } from "./Collections.ts"
import { makeProducts } from "./Products.ts"

export const CatalogLive = Layer.effect(
  Catalog,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = makeReads(yield* Pool)
    const events = yield* Events
    return Catalog.of({ ...makeProducts(sql, reads, events), ...makeCollections(sql, reads, events) })
  })
)
