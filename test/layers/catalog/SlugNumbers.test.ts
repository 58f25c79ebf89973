import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccessLive } from "../../../src/layers/access/Access.ts"
import { makeStore } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { RepositoriesLive } from "../../../src/layers/Domain.ts"

const times = (n: number) => Array.from({ length: n }, (_, index) => index)

/** Returns the slugs of `count` resources with the same name. */
const numberedTo = (count: number) => times(count).map((n) => (n === 0 ? "lamp" : `lamp-${n + 1}`))

const STATISTICS = `
  select coalesce(idx_scan, 0)::integer as probes, seq_scan::integer as scans
  from pg_stat_xact_user_tables where relname = $1
`

const decodeStatistics = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ probes: Schema.Int, scans: Schema.Int })])
)
const decodeNumber = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct({ number: Schema.Int })]))

layer(Layer.provideMerge(Layer.provide(AccessLive, RepositoriesLive), PostgresTest), {
  excludeTestServices: true,
  timeout: "60 seconds"
})("Slug numbers", (it) => {
  for (const [table, choose] of [
    ["products", "free_product_slug"],
    ["collections", "free_collection_slug"]
  ] as const) {
    /** Creates a store with resources of these slugs. The database generates them, which is fastest. */
    const makeStoreWith = Effect.fn(function* (slugs: ReadonlyArray<string>) {
      const sql = yield* SqlClient.SqlClient
      const store = yield* makeStore()
      const document = sql`json_build_object('id', made.id, 'version', 1, 'slug', slug)`
      const slug = sql`unnest(${slugs}::text[]) as slug, lateral (select uuid_v7(clock_micros()) as id where slug <> '') as made`
      yield* table === "products"
        ? sql`
              insert into products (store_id, id, version, slug, document, facets)
              select ${store}, made.id, 1, slug, ${document}, '{}' from ${slug}
            `
        : sql`insert into collections (store_id, document) select ${store}, ${document} from ${slug}`
      return store
    })

    /** Returns the number for `lamp` and how often the session accessed the table. */
    const chooseNumber = Effect.fn(function* (store: string) {
      const sql = yield* SqlClient.SqlClient
      const statistics = Effect.map(sql.unsafe(STATISTICS, [table]), decodeStatistics)
      const steps = Effect.gen(function* () {
        const [before] = yield* statistics
        const [{ number }] = decodeNumber(yield* sql.unsafe(`select ${choose}($1, 'lamp') as number`, [store]))
        const [after] = yield* statistics
        return { number, probes: after.probes - before.probes, scans: after.scans - before.scans }
      })
      return yield* sql.withTransaction(steps)
    })

    it.effect(`the number of ${table} with 5,000 equal slugs takes at most 26 index lookups`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* makeStoreWith(["lamp"])
        // A plan made while the table had one row would scan it.
        yield* sql.unsafe(`analyze ${table}`)
        for (const _ of times(10)) yield* chooseNumber(store)
        assert.deepStrictEqual(yield* chooseNumber(store), { number: 2, probes: 2, scans: 0 })
        const large = yield* chooseNumber(yield* makeStoreWith(numberedTo(5000)))
        assert.deepInclude(large, { number: 5001, scans: 0 })
        assert.isAtMost(large.probes, 26)
      })
    )

    it.effect(`the number of ${table} is free, whatever slugs exist`, () =>
      Effect.gen(function* () {
        for (const [taken, number] of [
          [[], 1],
          [["lamp-2", "lamp-3"], 1],
          [["lamp", "lamp-2", "lamp-7"], 3],
          [["lamp", "lamp-2", "lamp-4"], 5],
          [["lamp", "lamp-2", "lamp-3", "lamp-shade", "lamp-2-2", "lamp-04"], 4],
          [numberedTo(12).filter((slug) => slug !== "lamp-3"), 13]
        ] as const) {
          assert.deepInclude(yield* chooseNumber(yield* makeStoreWith(taken)), { number })
        }
      })
    )

    it.effect(`the number of ${table} takes at most 64 lookups if all powers of two are taken`, () =>
      Effect.gen(function* () {
        const hostile = times(64).map((power) => (power === 0 ? "lamp" : `lamp-${2n ** BigInt(power)}`))
        const { number, probes } = yield* chooseNumber(yield* makeStoreWith(hostile))
        assert.isAbove(number, 2 ** 30)
        assert.isAtMost(probes, 64)
      })
    )
  }
})
