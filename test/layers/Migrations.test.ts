import { Migrator, SqlClient } from "@effect/sql"
import { assert, it, layer } from "@effect/vitest"
import { Effect, FastCheck, Fiber, Layer, Redacted } from "effect"
import { readdirSync } from "node:fs"
import { facetsJson, facetsOf } from "../../src/domain/catalog/Facets.ts"
import { newProduct, ProductId } from "../../src/domain/catalog/Product.ts"
import { stringify } from "../../src/domain/Json.ts"
import { uuidV7 } from "../../src/domain/Uuid.ts"
import { termsOf } from "../../src/layers/catalog/Terms.ts"
import { migrations, MigrationsLive } from "../../src/layers/Migrations.ts"
import { postgres } from "../../src/layers/Postgres.ts"
import { randomProduct } from "../data/RandomProducts.ts"
import { freshDatabase } from "../support/Postgres.ts"
import { PostgresTest } from "../support/PostgresTest.ts"
import { connection, duringWork, rowsOf, waiting } from "../support/Process.ts"

/** Tokens are looked up before their store is known. */
const EXCEPTION = "access_tokens"

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

it.scopedLive("servers that start at once on an empty database migrate it once, and all see it migrated", () =>
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

/** As the first release left a database, by the migrator that it had. */
const migratedOnce = Migrator.make({})({
  loader: Migrator.fromRecord({ "0001_create_catalog": migrations["0001_create_catalog"] })
})

it.scopedLive("what is applied can be read while a migration runs, and servers that start meanwhile wait for it", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const database = postgres({ url, maxConnections: 1, isPatient: true })
    yield* Effect.provide(migratedOnce, database)
    const [holder, reader] = [yield* connection(Redacted.value(url)), yield* connection(Redacted.value(url))]
    // No limit that the database sets for everybody ends the wait.
    const { pathname } = new URL(Redacted.value(url))
    yield* rowsOf(holder, `alter database ${pathname.slice(1)} set lock_timeout = '1ms'`)
    yield* rowsOf(holder, "begin")
    yield* rowsOf(holder, "lock table products")
    const start = Effect.fork(Effect.scoped(Layer.build(Layer.provide(MigrationsLive, database))))
    const first = yield* start
    yield* duringWork(first, waiting(reader, 1))
    const second = yield* start
    yield* duringWork(second, waiting(reader, 2))

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

it.scopedLive("products from before rules had rows of their own get them, as a write today would make them", () =>
  Effect.gen(function* () {
    const database = postgres({ url: yield* freshDatabase, maxConnections: 2 })
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migratedOnce
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
        expected.set(id, { same: true, terms: termsOf(STORE, facets).toSorted() })
      }
      yield* Layer.build(MigrationsLive)
      const rows = yield* sql<{ readonly id: string; readonly same: boolean; readonly terms: ReadonlyArray<string> }>`
        select k.id, k.price = p.price and k.stock = p.stock as same, to_json(k.terms) as terms
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

it.scopedLive(
  "of an app that was installed on a store twice the newest active installation stays, with tokens and keys",
  () =>
    Effect.gen(function* () {
      const database = postgres({ url: yield* freshDatabase, maxConnections: 2 })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { "0007_install_an_app_once": installOnce, ...before } = migrations
        yield* Migrator.make({})({ loader: Migrator.fromRecord(before) })
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
        assert.match(String(again.cause), /installations_by_app/)
      }).pipe(Effect.provide(database))
    })
)

layer(PostgresTest, { excludeTestServices: true, timeout: "60 seconds" })("The schema", (it) => {
  it.effect("is there after all migrations on an empty database, and stays as it is when they run again", () =>
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

  it.effect("begins every primary key and unique index of what belongs to a store with the store", () =>
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
      const others = indexes.filter(({ first, table }) => first !== "store_id" && table !== EXCEPTION)
      assert.deepStrictEqual(others, [])
      assert.include(
        indexes.map(({ first, table }) => `${table} by ${first}`),
        `${EXCEPTION} by token_hash`
      )
    })
  )

  it.effect("gives every table a primary key, and every table of a store the store in it", () =>
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
        owned && table !== EXCEPTION ? key?.split(",").includes("store_id") !== true : key === null
      )
      assert.deepStrictEqual(without, [])
      // What belongs to no store: the ground that stores stand on.
      assert.deepStrictEqual(
        tables.filter(({ owned }) => !owned).map(({ table }) => table),
        ["apps", "effect_sql_migrations", "plans", "stores", "webhooks"]
      )
    })
  )

  it.effect("lets a foreign key between two tables of a store never leave the store", () =>
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

  it.effect("refuses by itself what the rules of the domain refuse: negative amounts, counts and unnamed plans", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = "01890a5d-ac96-774b-bcce-b302099a8057"
      yield* sql`insert into stores (id, name, plan, currency_code) values (${id}, 'A store', 'free', 'EUR')`
      const refused = [
        sql`update stores set product_count = -1 where id = ${id}`,
        sql`update stores set plan = 'gold' where id = ${id}`,
        sql`update stores set currency_code = 'eur' where id = ${id}`,
        ...["price", "stock"].map(
          (field) => sql`
            insert into products (store_id, document, facets)
            values (
              ${id}, ${JSON.stringify({ id, version: 1 })},
              ${JSON.stringify({ price: 0, stock: 0, slug: "cup", [field]: -1 })}
            )
          `
        )
      ]
      for (const statement of refused) {
        const failure = yield* Effect.flip(statement)
        assert.match(String(failure.cause), /violates (check|foreign key) constraint/)
      }
    })
  )
})
