import { Migrator } from "@effect/sql"
import { Layer } from "effect"
import createCatalog from "./migrations/0001_create_catalog.ts"

export const migrations = {
  "0001_create_catalog": createCatalog
}

/** Brings the database to the newest schema, once, under a table lock, before anything that is built on it. */
export const MigrationsLive = Layer.effectDiscard(Migrator.make({})({ loader: Migrator.fromRecord(migrations) }))
