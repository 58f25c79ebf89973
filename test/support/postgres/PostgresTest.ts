import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { migratedDatabase } from "./Postgres.ts"

const postgresOf = (maxConnections: number) =>
  Layer.unwrap(Effect.map(migratedDatabase, (url) => postgres({ url, maxConnections })))

/** A migrated database of its own. */
export const PostgresTest = postgresOf(10)

/** The same on one connection: what a statement read is counted in its session, and told when that is asked to tell. */
export const OneConnectionTest = postgresOf(1)

/** Keeps autovacuum from the tables there are: what it reads would be counted with what a test counts. */
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
