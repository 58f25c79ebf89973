import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type pg from "pg"
import { Exports } from "../../../src/domain/exports/Exports.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { holdPart } from "../../support/data/Exports.ts"
import { importScene } from "../../support/data/Imports.ts"
import { dataOf, makeClient } from "../../support/http/Api.ts"
import { setOf } from "../../support/http/ChangeSets.ts"
import {
  connection,
  lockProduct,
  makeMigratedDatabase,
  rowsOf,
  servicesOn,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"
import {
  assertCleanEnd,
  auditReceiver,
  listening,
  makeGate,
  makeSubscribers,
  startSender,
  startWorker
} from "../../support/process/Workers.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"

/** Operations of five batches. */
const OPERATIONS = 500
const CUSTOMERS = 601

const LEASED = "select from jobs where lease is not null"

/** Waits until the only job is due for another worker. Its lease would last 15 s. */
const jobReleased = (db: pg.Client) =>
  waitUntil(rowsOf(db, "select from jobs where lease is null and next_at <= now()"), (rows) => rows.length === 1)

it.live("SIGTERM lets a worker release its change set at once, and another one applies the rest once", () =>
  Effect.gen(function* () {
    const { client: db, url } = yield* makeMigratedDatabase
    const gate = makeGate()
    const endpoint = yield* receiver(gate.answer)
    const { base } = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0", JOB_RUNNERS: "0" })
    const { tokens } = yield* makeSubscribers(url, endpoint, 1)
    const api = makeClient(base, tokens[0])
    const plate = dataOf(yield* api.post("/products", { name: "Plate" }))
    const stopped = yield* startWorker({ DATABASE_URL: url })
    const operations = Array.from({ length: OPERATIONS }, (_, n) =>
      n === OPERATIONS / 2
        ? { op: "product.update", id: plate["id"], patch: { price: 1 } }
        : { op: "product.create", product: { name: `Cup ${n}` } }
    )
    const { id } = setOf(yield* api.post("/change-sets", { mode: "each", operations }))
    const reached = (state: string) =>
      waitUntil(
        rowsOf(db, "select from change_sets where id = $1 and state = $2", [id, state]),
        ({ length }) => length > 0
      )
    yield* reached("ready")

    gate.close()
    // The batch in the middle waits for it.
    const { release, watcher } = yield* lockProduct(url, String(plate["id"]))
    yield* api.post(`/change-sets/${id}/apply`, {})
    yield* gate.holds(1)
    yield* waitForLockWaits(watcher, 1)
    const [before] = yield* rowsOf(db, "select count(*)::integer as products from products")
    assert.isBelow(Number(before?.["products"]), OPERATIONS)
    stopped.kill("SIGTERM")
    yield* listening(db, 0)
    // The running batch is committed, and no other one starts.
    yield* release
    yield* jobReleased(db)
    assert.isNull(stopped.child.exitCode)
    gate.open()
    assertCleanEnd(yield* stopped.ended)
    assert.deepStrictEqual(yield* rowsOf(db, "select from deliveries where lease is not null"), [])

    yield* startWorker({ DATABASE_URL: url })
    yield* reached("applied")
    assert.deepStrictEqual(
      yield* rowsOf(
        db,
        `select count(distinct p.id)::integer as products, count(*)::integer as entries
         from products p join journal j on j.store_id = p.store_id and j.resource_id = p.id`
      ),
      [{ products: OPERATIONS, entries: OPERATIONS + 1 }]
    )
    assert.deepStrictEqual(yield* auditReceiver(db, endpoint), {
      lost: [],
      unexpected: [],
      unexplained: [],
      unrecorded: [],
      duplicates: 0,
      expiredLeases: 0,
      due: OPERATIONS + 1
    })
  })
)

it.live("SIGTERM lets a worker release its export at once, and another one stores each row once", () =>
  Effect.gen(function* () {
    const { bring, client: db, fileOf, storeId, url } = yield* importScene()
    const customers = Array.from({ length: CUSTOMERS }, (_, n) => ({ externalId: `c${n}`, name: `Customer ${n}` }))
    yield* bring("customers", fileOf("customers.jsonl", customers))
    const hold = yield* holdPart(yield* connection(url), 1)
    const stopped = yield* startWorker({ DATABASE_URL: url })
    yield* Effect.flatMap(Exports, ({ create }) => create(StoreId.make(storeId), { kind: "customers" })).pipe(
      Effect.provide(servicesOn(url))
    )
    yield* hold.reached
    assert.lengthOf(yield* rowsOf(db, LEASED), 1)
    stopped.kill("SIGTERM")
    yield* jobReleased(db)
    assertCleanEnd(yield* stopped.ended)

    yield* hold.release
    yield* startWorker({ DATABASE_URL: url })
    yield* waitUntil(rowsOf(db, "select from exports where state = 'finished'"), ({ length }) => length > 0)
    assert.deepStrictEqual(
      yield* rowsOf(
        db,
        `select (select exported from exports) as exported, count(*)::integer as lines
         from export_parts, regexp_split_to_table(rtrim(lines, chr(10)), chr(10))`
      ),
      [{ exported: CUSTOMERS, lines: CUSTOMERS }]
    )
  })
)
