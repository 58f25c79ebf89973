import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { migratedDatabase } from "./Postgres.ts"

const postgresOf = (maxConnections: number) =>
  Layer.unwrap(Effect.map(migratedDatabase, (url) => postgres({ url, maxConnections })))

/** A new migrated database. */
export const PostgresTest = postgresOf(10)

/** A new migrated database with one connection, whose session counts the reads of every statement. */
export const OneConnectionTest = postgresOf(1)

/** Disables autovacuum of all tables, because its reads would be counted. */
export const withoutAutovacuum = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    do $$
      declare name text;
      begin
        for name in select oid::regclass from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
          execute format('alter table %s set (autovacuum_enabled = off)', name);
        end loop;
      end
    $$
  `
)
