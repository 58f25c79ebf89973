import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Metric, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { reads } from "../../../src/domain/Metrics.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { jobRunner } from "../../../src/layers/jobs/JobRunner.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { ServerLive } from "../../../src/Server.ts"
import { exported, holdPart } from "../../support/data/Exports.ts"
import { type Client, dataOf, install, makeClient, makeStore, pageOf, TemporaryData } from "../../support/http/Api.ts"
import { Listening } from "../../support/http/Installation.ts"
import { wayTo } from "../../support/postgres/SilentDatabase.ts"
import { primaryAndStandby } from "../../support/postgres/Standby.ts"
import { connection, rowsOf, waitUntil } from "../../support/process/Process.ts"

const serverOn = (url: string, readUrl: string) =>
  ServerLive.pipe(
    Layer.provideMerge(Listening),
    Layer.provideMerge(Layer.provide(DomainLive, TemporaryData)),
    Layer.provideMerge(postgres({ url: Redacted.make(url), readUrl: Redacted.make(readUrl), maxConnections: 6 })),
    Layer.fresh
  )

const addressOf = (context: Context.Context<HttpServer.HttpServer>) =>
  HttpServer.formatAddress(Context.get(context, HttpServer.HttpServer).address)

const countOf = (target: "primary" | "replica") =>
  Effect.map(Metric.value(Metric.withAttributes(reads, { target })), ({ count }) => Number(count))

/** Sends a read and returns its names and the server that answered it. */
const namesOf = Effect.fn(function* (client: Client) {
  const before = yield* countOf("replica")
  const answer = yield* client.get("/products")
  assert.strictEqual(answer.status, 200, answer.text)
  const isReplica = (yield* countOf("replica")) > before
  return { names: pageOf(answer).items.map(({ name }) => name), isReplica }
})

const PAUSE = "100 millis"

it.live(
  "reads go to a delayed replica, but no client reads older than its own write, and none fails without the replica",
  () =>
    Effect.gen(function* () {
      const { primary, readUrl, standby, stopStandby } = yield* primaryAndStandby("2s")
      const way = yield* wayTo(readUrl)
      const first = yield* Layer.build(Layer.provideMerge(jobRunner(1), serverOn(primary, way.url)))
      const second = addressOf(yield* Layer.build(serverOn(primary, way.url)))
      const db = yield* connection(primary)
      // The window admits 100 requests a minute.
      const admit = rowsOf(db, "update rate_windows set hits = '{}'")
      yield* Effect.forkScoped(Effect.forever(Effect.delay(admit, "500 millis")))

      const { reader, storeId, writer } = yield* Effect.gen(function* () {
        const storeId = yield* makeStore()
        return { storeId, reader: (yield* install(storeId)).client, writer: (yield* install(storeId)).client }
      }).pipe(Effect.provideContext(first))
      const elsewhere = makeClient(second, writer.token)
      const onReplica = (client: Client) =>
        waitUntil(Effect.delay(namesOf(client), PAUSE), ({ isReplica }) => isReplica)

      const created = dataOf(yield* writer.post("/products", { name: "0" }))
      assert.deepStrictEqual((yield* namesOf(elsewhere)).names, ["0"])
      const seen = yield* onReplica(reader)
      assert.include([0, 1], seen.names.length)

      for (const name of ["1", "2", "3"]) {
        const updated = yield* writer.patch(`/products/${String(created["id"])}`, { name })
        assert.strictEqual(updated.status, 200, updated.text)
        let replicas = 0
        while (replicas < 2) {
          const answers = [yield* namesOf(elsewhere), yield* namesOf(writer)]
          for (const { names } of answers) assert.deepStrictEqual(names, [name])
          replicas = answers.filter(({ isReplica }) => isReplica).length
          yield* Effect.sleep(PAUSE)
        }
      }
      const older = new Set<unknown>()
      const looking = yield* Effect.forkChild(
        Effect.forever(
          Effect.tap(Effect.delay(namesOf(reader), PAUSE), ({ names }) => Effect.sync(() => older.add(names[0])))
        )
      )
      yield* writer.patch(`/products/${String(created["id"])}`, { name: "4" })
      yield* waitUntil(
        Effect.sync(() => older),
        (names) => names.has("3") && names.has("4")
      )
      yield* Fiber.interrupt(looking)

      const replica = yield* connection(standby)
      const { reached, release } = yield* holdPart(yield* connection(primary), 0)
      yield* writer.patch(`/products/${String(created["id"])}`, { name: "5" })
      const exporting = yield* Effect.forkChild(Effect.provideContext(exported(storeId, "products"), first))
      yield* reached
      assert.lengthOf(yield* rowsOf(replica, "select 1 from pg_stat_activity where state = 'idle in transaction'"), 1)
      yield* release
      assert.deepStrictEqual(
        (yield* Fiber.join(exporting)).lines.map(({ name }) => name),
        ["5"]
      )

      yield* rowsOf(replica, "select pg_wal_replay_pause()")
      yield* waitUntil(Effect.delay(namesOf(reader), PAUSE), ({ isReplica }) => !isReplica)
      yield* rowsOf(replica, "select pg_wal_replay_resume()")
      yield* onReplica(reader)

      way.freeze()
      assert.deepStrictEqual((yield* namesOf(reader)).names, ["5"])
      assert.isFalse((yield* namesOf(reader)).isReplica)
      way.thaw()
      assert.deepStrictEqual((yield* onReplica(reader)).names, ["5"])

      yield* stopStandby
      for (const client of [reader, writer, elsewhere]) {
        const { isReplica, names } = yield* namesOf(client)
        assert.deepStrictEqual([names, isReplica], [["5"], false])
      }
    })
)
