import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { migrations, MigrationsLive } from "../../src/layers/Migrations.ts"
import { PostgresTest } from "../support/postgres/PostgresTest.ts"

/** Tables of tokens and codes, which are looked up before their store is known. */
const EXCEPTIONS = [
  "access_tokens",
  "agent_tokens",
  "authorization_codes",
  "invitations",
  "password_resets",
  "refresh_tokens",
  "token_stores"
]

layer(PostgresTest, { excludeTestServices: true, timeout: "60 seconds" })("Database schema", (it) => {
  it.effect("a second run of all migrations does not change the schema", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const objects = sql`
        select relname, relkind, oid::integer from pg_class where relnamespace = 'public'::regnamespace order by oid
      `
      const before = yield* objects
      yield* Layer.build(Layer.fresh(MigrationsLive)).pipe(Effect.scoped)
      assert.deepStrictEqual(yield* objects, before)
      const applied = yield* sql`select name from effect_sql_migrations`
      assert.lengthOf(applied, Object.keys(migrations).length)
    })
  )

  it.effect("every unique index of a table with store_id starts with store_id", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const indexes = yield* sql<{ readonly table: string; readonly name: string; readonly first: string }>`
        select t.relname as table, i.relname as name, a.attname as first
        from pg_index x
        join pg_class t on t.oid = x.indrelid
        join pg_class i on i.oid = x.indexrelid
        left join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
        where t.relnamespace = 'public'::regnamespace and x.indisunique
          and exists (select 1 from pg_attribute s where s.attrelid = t.oid and s.attname = 'store_id')
        order by 1, 2
      `
      const tables = [...new Set(indexes.map(({ table }) => table))]
      assert.includeMembers(tables, ["products", "collections", "installations", "events", "idempotency_records"])
      const others = indexes.filter(({ first, table }) => first !== "store_id" && !EXCEPTIONS.includes(table))
      assert.deepStrictEqual(others, [])
      assert.includeMembers(
        indexes.map(({ first, table }) => `${table} by ${first}`),
        EXCEPTIONS.map((table) => `${table} by ${table === "authorization_codes" ? "code_hash" : "token_hash"}`)
      )
    })
  )

  it.effect("every table has a primary key, which includes store_id in tables of a store", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ readonly table: string; readonly key: string | null; readonly owned: boolean }>`
        select t.relname as table,
          (select string_agg(a.attname, ',' order by a.attnum) from pg_constraint c
            join pg_attribute a on a.attrelid = t.oid and a.attnum = any(c.conkey)
            where c.conrelid = t.oid and c.contype = 'p') as key,
          exists (select 1 from pg_attribute s where s.attrelid = t.oid and s.attname = 'store_id') as owned
        from pg_class t where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') order by 1
      `
      const without = tables.filter(({ key, owned, table }) =>
        owned && !EXCEPTIONS.includes(table) ? key?.split(",").includes("store_id") !== true : key === null
      )
      assert.deepStrictEqual(without, [])
      // Tables that belong to no store.
      assert.deepStrictEqual(
        tables.filter(({ owned }) => !owned).map(({ table }) => table),
        [
          "agent_clients",
          "app_plans",
          "apps",
          "cells",
          "client_secrets",
          "effect_sql_migrations",
          "endpoints",
          "housekeeping",
          "media_deletions",
          "merchant_call_windows",
          "merchants",
          "plans",
          "sessions",
          "sign_in_attempts",
          "stores",
          "wakeups",
          "webhooks"
        ]
      )
    })
  )

  it.effect("every foreign key between two tables of a store includes store_id", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const strays = yield* sql`
        select c.conrelid::regclass::text as table, c.conname as name
        from pg_constraint c
        where c.contype = 'f'
          and exists (select 1 from pg_attribute s where s.attrelid = c.conrelid and s.attname = 'store_id')
          and exists (select 1 from pg_attribute s where s.attrelid = c.confrelid and s.attname = 'store_id')
          and not exists (
            select 1 from unnest(c.conkey, c.confkey) as pair (own, other)
            join pg_attribute a on a.attrelid = c.conrelid and a.attnum = pair.own and a.attname = 'store_id'
            join pg_attribute b on b.attrelid = c.confrelid and b.attnum = pair.other and b.attname = 'store_id'
          )
      `
      assert.deepStrictEqual(strays, [])
    })
  )

  it.effect("constraints reject negative counts, prices and stocks, unknown plans and invalid currency codes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = "01890a5d-ac96-774b-bcce-b302099a8057"
      yield* sql`insert into stores (id, name, plan, currency_code) values (${id}, 'A store', 'free', 'EUR')`
      const refused = [
        sql`update stores set product_count = -1 where id = ${id}`,
        sql`update stores set plan = 'gold' where id = ${id}`,
        sql`update stores set currency_code = 'eur' where id = ${id}`,
        ...[
          [-1, 0],
          [0, -1]
        ].map(
          ([price, stock]) => sql`
            insert into product_keys (store_id, id, price, stock, terms) values (${id}, ${id}, ${price}, ${stock}, '{}')
          `
        )
      ]
      for (const statement of refused) {
        const failure = yield* Effect.flip(statement)
        assert.match(String(failure.reason.cause), /violates (check|foreign key) constraint/)
      }
    })
  )
})
