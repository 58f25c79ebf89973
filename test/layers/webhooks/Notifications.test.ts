import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { webhookWorker } from "../../../src/layers/webhooks/Worker.ts"
import { ServerLive } from "../../../src/Server.ts"
import { freshClient, TemporaryData } from "../../support/http/Api.ts"
import { Listening } from "../../support/http/Installation.ts"
import { OneConnectionTest } from "../../support/postgres/PostgresTest.ts"
import { waitUntil } from "../../support/process/Process.ts"
import { scene, waitForRequests } from "../../support/webhooks/Webhooks.ts"

const decodeCount = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct({ sent: Schema.Int })]))

/** Notifications of workers that this process has sent. All its statements use one connection, in order. */
const notificationsSent = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql`
      select coalesce(sum(custom_plans + generic_plans), 0)::integer as sent
      from pg_prepared_statements where statement like 'select pg_notify(%'
    `,
    (rows) => decodeCount(rows)[0].sent
  )
)

const DeliveringTest = Layer.merge(ServerLive, webhookWorker(8)).pipe(
  Layer.provideMerge(Listening),
  Layer.provideMerge(Layer.provide(DomainLive, TemporaryData)),
  Layer.provideMerge(OneConnectionTest)
)

layer(DeliveringTest, { excludeTestServices: true, timeout: "60 seconds" })("Notifications of workers", (it) => {
  it.effect("a write notifies the workers if it has a delivery, and only then", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* client.post("/products", { name: "Cup" })
      assert.strictEqual(yield* notificationsSent, 0)

      const { endpoint, writer } = yield* scene()
      yield* writer.post("/products", { name: "Lantern" })
      yield* waitForRequests(endpoint, 1)
      yield* waitUntil(notificationsSent, (sent) => sent === 1)

      yield* writer.post("/products", { name: "Lamp" }, { headers: { prefer: "handling=dry-run" } })
      yield* client.post("/products", { name: "Mug" })
      assert.strictEqual(yield* notificationsSent, 1)
    }).pipe(Effect.scoped)
  )
})
