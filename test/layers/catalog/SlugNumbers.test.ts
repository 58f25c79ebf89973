import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AccessLive } from "../../../src/layers/access/Access.ts"
import { makeStore } from "../../support/Api.ts"
import { PostgresTest } from "../../support/PostgresTest.ts"

const times = (n: number) => Array.from({ length: n }, (_, index) => index)

/** What a name of `count` resources looks like when each got its slug from the one before. */
const numberedTo = (count: number) => times(count).map((n) => (n === 0 ? "lamp" : `lamp-${n + 1}`))

const LOOKS = `
  select coalesce(idx_scan, 0)::integer as probes, seq_scan::integer as scans
  from pg_stat_xact_user_tables where relname = $1
`

const looksOf = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct({ probes: Schema.Int, scans: Schema.Int })]))
const choiceOf = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct({ number: Schema.Int })]))

layer(Layer.provideMerge(AccessLive, PostgresTest), { excludeTestServices: true, timeout: "60 seconds" })(
  "The number of a slug",
  (it) => {
    for (const [table, choose] of [
      ["products", "free_product_slug"],
      ["collections", "free_collection_slug"]
    ] as const) {
      /** A store with resources of these slugs, which nothing but the database could make so many of in a second. */
      const storeWith = Effect.fn(function* (slugs: ReadonlyArray<string>) {
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

      /** The choice for a lamp, and how often the session looked at the table for it. */
      const chosen = Effect.fn(function* (store: string) {
        const sql = yield* SqlClient.SqlClient
        const looks = Effect.map(sql.unsafe(LOOKS, [table]), looksOf)
        const steps = Effect.gen(function* () {
          const [before] = yield* looks
          const [{ number }] = choiceOf(yield* sql.unsafe(`select ${choose}($1, 'lamp') as number`, [store]))
          const [after] = yield* looks
          return { number, probes: after.probes - before.probes, scans: after.scans - before.scans }
        })
        return yield* sql.withTransaction(steps)
      })

      it.effect(`of ${table} costs the 5,000th of a name some two dozen looks, all of them by the index`, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const store = yield* storeWith(["lamp"])
          // A plan from when the table had one row would go on to scan it.
          yield* sql.unsafe(`analyze ${table}`)
          for (const _ of times(10)) yield* chosen(store)
          assert.deepStrictEqual(yield* chosen(store), { number: 2, probes: 2, scans: 0 })
          const large = yield* chosen(yield* storeWith(numberedTo(5000)))
          assert.deepInclude(large, { number: 5001, scans: 0 })
          assert.isAtMost(large.probes, 26)
        })
      )

      it.effect(`of ${table} is free, whatever was chosen by hand or left by others`, () =>
        Effect.gen(function* () {
          for (const [taken, number] of [
            [[], 1],
            [["lamp-2", "lamp-3"], 1],
            [["lamp", "lamp-2", "lamp-7"], 3],
            [["lamp", "lamp-2", "lamp-4"], 5],
            [["lamp", "lamp-2", "lamp-3", "lamp-shade", "lamp-2-2", "lamp-04"], 4],
            [numberedTo(12).filter((slug) => slug !== "lamp-3"), 13]
          ] as const) {
            assert.deepInclude(yield* chosen(yield* storeWith(taken)), { number })
          }
        })
      )

      it.effect(`of ${table} costs no more where all powers of two were taken to make it long`, () =>
        Effect.gen(function* () {
          const hostile = times(64).map((power) => (power === 0 ? "lamp" : `lamp-${2n ** BigInt(power)}`))
          const { number, probes } = yield* chosen(yield* storeWith(hostile))
          assert.isAbove(number, 2 ** 30)
          assert.isAtMost(probes, 64)
        })
      )
    }
  }
)
