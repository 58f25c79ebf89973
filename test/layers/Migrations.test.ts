import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as FastCheck from "fast-check"
import { readdirSync } from "node:fs"
import type pg from "pg"
import { facetsJson, facetsOf } from "../../src/domain/catalog/Facets.ts"
import { newProduct, ProductId } from "../../src/domain/catalog/Product.ts"
import { Search } from "../../src/domain/catalog/Search.ts"
import { stringify } from "../../src/domain/Json.ts"
import { uuidV7 } from "../../src/domain/Uuid.ts"
import { SearchLive } from "../../src/layers/catalog/Search.ts"
import { indexOf } from "../../src/layers/catalog/Terms.ts"
import { migrate, migrations, MigrationsLive } from "../../src/layers/Migrations.ts"
import { TIMEOUTS } from "../../src/layers/database/Session.ts"
import { OutsideTransaction } from "../../src/layers/database/IndexMigration.ts"
import { postgres } from "../../src/layers/database/Postgres.ts"
import { randomProduct } from "../data/RandomProducts.ts"
import { migratedTo, start } from "../support/Migrations.ts"
import { freshDatabase } from "../support/Postgres.ts"
import { connection, duringWork, rowsOf, waiting, watch } from "../support/Process.ts"

const STORE = "01890a5d-ac96-774b-bcce-b302099a8057"

it("every migration file is registered, in order and numbered without a gap", () => {
  const files = readdirSync("src/layers/migrations")
    .map((file) => file.replace(/\.ts$/, ""))
    .toSorted()
  assert.isNotEmpty(files)
  assert.deepStrictEqual(Object.keys(migrations), files)
  assert.deepStrictEqual(
    files.map((file) => /^(\d{4})_[a-z0-9_]+$/.exec(file)?.[1]),
    files.map((_, index) => String(index + 1).padStart(4, "0"))
  )
})

it.live("servers that start at once on an empty database migrate it once, and all see it migrated", () =>
  Effect.gen(function* () {
    for (let round = 0; round < 3; round++) {
      const url = yield* freshDatabase
      const start = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return yield* sql<{ readonly name: string }>`select name from effect_sql_migrations order by migration_id`
      }).pipe(Effect.provide(Layer.provideMerge(MigrationsLive, postgres({ url, maxConnections: 2 }))))
      const seen = yield* Effect.all(
        Array.from({ length: 8 }, () => start),
        { concurrency: "unbounded" }
      )
      const names = Object.keys(migrations).map((name) => ({ name: name.slice(5) }))
      for (const applied of seen) assert.deepStrictEqual(applied, names)
    }
  })
)

/** Until a second process has asked for the lock that the first one has. */
const asking = (client: pg.Client) =>
  watch(
    rowsOf(
      client,
      `select from pg_stat_activity
       where datname = current_database() and state = 'idle' and query like '%pg_try_advisory_lock(%'`
    ),
    (rows) => rows.length > 0
  )

it.live("what is applied can be read while a migration runs, and servers that start meanwhile wait for it", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* Effect.provide(migratedTo(1), postgres({ url, maxConnections: 1 }))
    const [holder, reader] = [yield* connection(Redacted.value(url)), yield* connection(Redacted.value(url))]
    // No limit that the database sets for everybody ends the wait.
    const { pathname } = new URL(Redacted.value(url))
    yield* rowsOf(holder, `alter database ${pathname.slice(1)} set lock_timeout = '1ms'`)
    yield* rowsOf(holder, "begin")
    yield* rowsOf(holder, "lock table products")
    const first = yield* Effect.forkChild(start(url))
    yield* duringWork(first, waiting(reader, 1))
    const second = yield* Effect.forkChild(start(url))
    yield* duringWork(second, asking(reader))

    yield* rowsOf(reader, "begin")
    yield* rowsOf(reader, "lock table effect_sql_migrations in access share mode nowait")
    assert.deepStrictEqual(yield* rowsOf(reader, "select name from effect_sql_migrations"), [
      { name: "create_catalog" }
    ])
    yield* rowsOf(reader, "commit")

    yield* rowsOf(holder, "commit")
    yield* Fiber.join(first)
    yield* Fiber.join(second)
    const applied = yield* rowsOf(reader, "select name from effect_sql_migrations")
    assert.lengthOf(applied, Object.keys(migrations).length)
  })
)

it.live("a table that a dump reads is read by others while a migration wants it, which goes on after the dump", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* Effect.provide(migratedTo(3), postgres({ url, maxConnections: 1 }))
    const [dump, reader] = [yield* connection(Redacted.value(url)), yield* connection(Redacted.value(url))]
    yield* rowsOf(dump, "begin")
    yield* rowsOf(dump, "lock table products in access share mode")
    const migrating = yield* Effect.forkChild(start(url))
    // The limit of the service's own statements. The second time finds a migration that tries again.
    yield* rowsOf(reader, `set lock_timeout = ${TIMEOUTS.lock_timeout}`)
    for (let time = 0; time < 2; time++) {
      yield* duringWork(migrating, waiting(reader, 1))
      assert.deepStrictEqual(yield* rowsOf(reader, "select from products"), [])
    }
    yield* rowsOf(dump, "commit")
    yield* Fiber.join(migrating)
    assert.lengthOf(yield* rowsOf(reader, "select from effect_sql_migrations"), Object.keys(migrations).length)
  })
)

it.live("a migration in a transaction builds no index of a table that is in use", () =>
  Effect.gen(function* () {
    const database = postgres({ url: yield* freshDatabase, maxConnections: 1 })
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migratedTo(3)
      const built: Array<string> = []
      for (const [name, migration] of Object.entries(migrations).slice(3)) {
        if (migration instanceof OutsideTransaction) {
          yield* migration.steps
          continue
        }
        const known = yield* sql<{ readonly oid: number }>`select oid::integer from pg_class where relkind = 'r'`
        const held = sql<{ readonly table: string }>`
          select relation::regclass::text as table from pg_locks
          where pid = pg_backend_pid() and mode = 'ShareLock' and ${sql.in(
            "relation",
            known.map(({ oid }) => oid)
          )}
        `
        const locks = yield* sql.withTransaction(Effect.andThen(migration, held))
        built.push(...locks.map(({ table }) => `${name}: ${table}`))
      }
      // 0011 removes duplicates under the lock that keeps new ones out. Apps are few.
      assert.deepStrictEqual(built, ["0011_install_an_app_once: installations", "0031_create_oauth: apps"])
    }).pipe(Effect.provide(database))
  })
)

it.live(
  "products from before rules had rows of their own, and before the search, get theirs as a write today would make them",
  () =>
    Effect.gen(function* () {
      const database = postgres({ url: yield* freshDatabase, maxConnections: 2 })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migratedTo(1)
        yield* sql`insert into stores (id, name, plan, currency_code) values (${STORE}, 'Shop', 'free', 'EUR')`
        const expected = new Map<unknown, unknown>()
        for (const [n, input] of FastCheck.sample(randomProduct, { numRuns: 50, seed: 7 }).entries()) {
          const id = ProductId.make(uuidV7(n + 1))
          const product = newProduct(input, { id, slug: `p-${n}`, at: new Date(), currencyCode: "EUR" })
          const facets = facetsOf(product)
          yield* sql`
          insert into products (store_id, document, facets, terms, description)
          values (${STORE}, ${stringify(product)}, ${facetsJson(facets)}, '{}', ${facets.description})
        `
          expected.set(id, { same: true, terms: indexOf(STORE, facets).terms.toSorted() })
        }
        yield* Layer.build(MigrationsLive)
        const { catchUp } = yield* Effect.provide(Search, SearchLive)
        assert.strictEqual(yield* catchUp, 50)
        const rows = yield* sql<{ readonly id: string; readonly same: boolean; readonly terms: ReadonlyArray<string> }>`
        select k.id, k.price = (p.facets ->> 'price')::numeric and k.stock = (p.facets ->> 'stock')::numeric as same, to_json(k.terms) as terms
        from product_keys k join products p using (store_id, id)
      `
        assert.lengthOf(rows, 50)
        for (const { id, same, terms } of rows) {
          const plain = terms.map((term) => term.replaceAll("-", "")).toSorted()
          assert.deepStrictEqual({ same, terms: plain }, expected.get(id))
        }
      }).pipe(Effect.provide(database))
    })
)

it.live(
  "of an app that was installed on a store twice the newest active installation stays, with tokens and keys",
  () =>
    Effect.gen(function* () {
      const database = postgres({ url: yield* freshDatabase, maxConnections: 2 })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { "0011_install_an_app_once": installOnce, ...before } = migrations
        yield* migrate(before)
        yield* sql`insert into stores (id, name, plan, currency_code) values (${STORE}, 'Shop', 'free', 'EUR')`
        const [app, other] = [uuidV7(1), uuidV7(2)]
        yield* sql`insert into apps (id, name, scopes) values (${app}, 'One', '{}'), (${other}, 'Other', '{}')`
        // The first two are in use, the third was shut out; the last is of another app.
        const ids = [11, 12, 13, 14].map(uuidV7)
        for (const [n, id] of ids.entries()) {
          yield* sql`
          insert into installations (store_id, id, app_id, scopes, is_active)
          values (${STORE}, ${id}, ${n === 3 ? other : app}, ${[`scope-${n}`]}, ${n !== 2})
        `
          yield* sql`insert into rate_windows (store_id, installation_id) values (${STORE}, ${id})`
          yield* sql`
          insert into access_tokens (token_hash, store_id, installation_id, expires_at)
          values (${Buffer.from([n])}, ${STORE}, ${id}, now() + interval '1 hour')
        `
          yield* sql`
          insert into idempotency_records (store_id, installation_id, key, fingerprint, status, body, expires_at)
          select ${STORE}, ${id}, key, '', 201, ${`answer ${n}`}, now() + interval '1 day'
          from unnest(${n === 1 ? ["shared"] : ["shared", `own-${n}`, "old"]}::text[]) as key
        `
        }
        yield* sql.withTransaction(installOnce)

        const [, kept, , apart] = ids
        assert.deepStrictEqual(yield* sql`select id, scopes from installations order by id`, [
          { id: kept, scopes: ["scope-1"] },
          { id: apart, scopes: ["scope-3"] }
        ])
        assert.deepStrictEqual(
          yield* sql`select get_byte(token_hash, 0) as n, installation_id as of from access_tokens order by n`,
          [
            { n: 0, of: kept },
            { n: 1, of: kept },
            { n: 3, of: apart }
          ]
        )
        const answered = yield* sql<{ readonly key: string; readonly body: string }>`
        select key, body from idempotency_records where installation_id = ${kept ?? ""} order by key
      `
        assert.deepStrictEqual(
          answered.map(({ key }) => key),
          ["old", "own-0", "own-2", "shared"]
        )
        assert.strictEqual(answered.at(-1)?.body, "answer 1")
        const again = yield* Effect.flip(sql`
        insert into installations (store_id, id, app_id, scopes) values (${STORE}, ${uuidV7(15)}, ${app}, '{}')
      `)
        assert.match(String(again.reason.cause), /installations_by_app/)
      }).pipe(Effect.provide(database))
    })
)

it.live("a merchant keeps the calls of the last minute when their window moves out of the account", () =>
  Effect.gen(function* () {
    const database = postgres({ url: yield* freshDatabase, maxConnections: 2 })
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migratedTo(42)
      const [busy, idle] = [uuidV7(1), uuidV7(2)]
      yield* sql`
        insert into merchants (id, email, name, password_hash, hits)
        values (${busy}, 'a@example.com', 'Ada', '', '{1,2,3}'), (${idle}, 'b@example.com', 'Bob', '', '{}')
      `
      yield* Layer.build(MigrationsLive)
      assert.deepStrictEqual(
        yield* sql`select merchant_id as id, hits from merchant_call_windows order by merchant_id`,
        [
          { id: busy, hits: [1n, 2n, 3n] },
          { id: idle, hits: [] }
        ]
      )
    }).pipe(Effect.provide(database))
  })
)
