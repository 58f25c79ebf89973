import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Installation } from "../../../src/domain/access/Installations.ts"
import { MAX_REQUESTS, Requests } from "../../../src/domain/access/Requests.ts"
import { RequestsLive } from "../../../src/layers/access/Requests.ts"
import { ApiTest, makeApp, makeInstallation } from "../../support/http/Api.ts"
import { waitUntil } from "../../support/process/Process.ts"
import { freshMember } from "../../support/rpc/Rpc.ts"
import { installApp } from "../../support/webhooks/Webhooks.ts"

const decodeRequests = Schema.decodeSync(
  Schema.fromJsonString(Schema.Array(Schema.Struct({ requestId: Schema.String })))
)

const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => `${from + n}`)

/** Requests of another process, which stores them when it stops. */
const noteInOtherProcess = (installation: Installation, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { note } = yield* Requests
    for (const requestId of ids) {
      note(installation, {
        at: new Date().toISOString(),
        method: "GET",
        route: "/",
        status: 200,
        milliseconds: 1,
        requestId
      })
    }
  }).pipe(Effect.provide(Layer.fresh(RequestsLive)))

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Recent requests of an installation", (it) => {
  it.effect("only members of the store list the requests of an installation, newest first", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const { client: app, installation } = yield* installApp(storeId, yield* makeApp(), ["read_products"])
      const target = { storeId, id: installation.id }
      assert.deepStrictEqual(yield* client.installations.requests(target), [])

      yield* app.get("/products?limit=1")
      const headers = { "x-request-id": "mine" }
      yield* app.patch("/products/01890a5d-ac96-774b-bcce-b302099a8057", { name: "Cup" }, { headers })
      const [last, first] = yield* waitUntil(client.installations.requests(target), ({ length }) => length === 2)
      assert.deepInclude(first, { method: "GET", route: "/api/platform/v1/products", status: 200 })
      assert.deepInclude(last, {
        method: "PATCH",
        route: "/api/platform/v1/products/:id",
        status: 403,
        requestId: "mine"
      })
      assert.match(last?.at ?? "", /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

      const stranger = yield* freshMember()
      const refused = yield* Effect.flip(
        stranger.client.installations.requests({ ...target, storeId: stranger.storeId })
      )
      assert.strictEqual(refused._tag, "InstallationNotFound")
    })
  )

  it.effect("the last 50 requests of all processes are stored in one row", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { recent } = yield* Requests
      const installation = yield* makeInstallation()
      yield* noteInOtherProcess(installation, ids(0, 30))
      yield* noteInOtherProcess(installation, ids(30, 30))
      yield* noteInOtherProcess(yield* makeInstallation(), ids(0, 1))
      yield* noteInOtherProcess(installation, ids(60, 200))
      yield* noteInOtherProcess(installation, ids(260, 10))
      const stored = decodeRequests(yield* recent(installation.storeId, installation.id))
      assert.deepStrictEqual(
        stored.map(({ requestId }) => requestId),
        ids(270 - MAX_REQUESTS, MAX_REQUESTS).toReversed()
      )
      assert.lengthOf(yield* sql`select from recent_requests where store_id = ${installation.storeId}`, 1)
    })
  )
})
