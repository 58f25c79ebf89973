import { assert, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { setOf } from "../../support/http/ChangeSets.ts"
import { type Client, makeClient } from "../../support/http/Api.ts"
import { createTokens, makeMigratedDatabase, rowsOf, startServer, waitUntil } from "../../support/process/Process.ts"

const KILLS = 3
/** Ten batches, so that a kill interrupts them. */
const PRODUCTS = 1_000

const CHANGED = `
  select count(*)::integer as changed from products where store_id = $1 and (document ->> 'price')::numeric = 2
`

it.live("a change set whose server is killed repeatedly changes each product once, and its undo too", () =>
  Effect.gen(function* () {
    const { client: db, url } = yield* makeMigratedDatabase
    const testScope = yield* Effect.scope
    const start = Effect.gen(function* () {
      const scope = yield* Scope.fork(testScope)
      const server = yield* Scope.provide(startServer({ DATABASE_URL: url }), scope)
      return { base: server.base, kill: Scope.close(scope, Exit.void) }
    })
    let server = yield* start
    const { storeId, tokens } = yield* createTokens(url, 1)
    const client = (): Client => makeClient(server.base, tokens[0])
    const admit = rowsOf(db, "update rate_windows set hits = '{}'")
    const setIn = (id: string, states: ReadonlyArray<string>) =>
      waitUntil(Effect.andThen(admit, Effect.map(client().get(`/change-sets/${id}`), setOf)), ({ state }) =>
        states.includes(state)
      )
    const made = Array.from({ length: PRODUCTS }, (_, n) => ({
      op: "product.create",
      product: { name: `Cup ${n}`, price: 1 }
    }))
    const creation = setOf(yield* client().post("/change-sets", { mode: "each", operations: made }))
    yield* setIn(creation.id, ["ready"])
    yield* client().post(`/change-sets/${creation.id}/apply`, {})
    yield* setIn(creation.id, ["applied"])

    const change = { mode: "each", where: { rules: [] }, change: { price: { add: 1 } } }
    const set = setOf(yield* client().post("/change-sets", change))
    // Killed while it previews, too.
    yield* server.kill
    server = yield* start
    yield* setIn(set.id, ["ready"])
    assert.deepStrictEqual(yield* rowsOf(db, CHANGED, [storeId]), [{ changed: 0 }])

    const progress = Effect.map(rowsOf(db, CHANGED, [storeId]), ([row]) => Number(row?.["changed"]))
    yield* client().post(`/change-sets/${set.id}/apply`, {}, { key: "apply" })
    let interruptions = 0
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = yield* progress
      yield* waitUntil(progress, (now) => now > before || now === PRODUCTS)
      yield* server.kill
      if ((yield* progress) < PRODUCTS) interruptions += 1
      // The lease of a killed runner ends by itself; the test does not wait for it.
      yield* rowsOf(db, "update jobs set next_at = now() where lease is not null")
      server = yield* start
    }
    assert.isAbove(interruptions, 1)
    const applied = yield* setIn(set.id, ["applied", "failed"])
    assert.deepInclude(applied, {
      state: "applied",
      counts: { total: PRODUCTS, changed: PRODUCTS, unchanged: 0, refused: 0 }
    })
    const repeated = yield* client().post(`/change-sets/${set.id}/apply`, {}, { key: "apply" })
    assert.strictEqual(repeated.headers.get("idempotent-replayed"), "true")

    const written = (version: number, changeSet: string) =>
      rowsOf(
        db,
        `
          select count(*)::integer as products, count(distinct j.resource_id)::integer as entries, count(e.id)::integer as events
          from products p
          left join journal j on j.store_id = p.store_id and j.resource_id = p.id and j.change_set_id = $3
          left join events e on e.store_id = j.store_id and e.id = j.id and e.payload::json ->> 'changeSetId' = $3::text
          where p.store_id = $1 and p.version = $2
        `,
        [storeId, version, changeSet]
      )
    assert.deepStrictEqual(yield* written(2, set.id), [{ products: PRODUCTS, entries: PRODUCTS, events: PRODUCTS }])
    assert.deepStrictEqual(yield* rowsOf(db, "select count(*)::integer as jobs from jobs"), [{ jobs: 0 }])

    const undo = setOf(yield* client().post(`/change-sets/${set.id}/undo`, undefined))
    yield* setIn(undo.id, ["ready"])
    yield* client().post(`/change-sets/${undo.id}/apply`, {})
    yield* waitUntil(progress, (now) => now < PRODUCTS)
    yield* server.kill
    yield* rowsOf(db, "update jobs set next_at = now() where lease is not null")
    server = yield* start
    yield* setIn(undo.id, ["applied", "failed"])
    assert.deepStrictEqual(yield* written(3, undo.id), [{ products: PRODUCTS, entries: PRODUCTS, events: PRODUCTS }])
  })
)
