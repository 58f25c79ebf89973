import { assert, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { findServer } from "../../../src/layers/postgres/Postmaster.ts"
import { makeClient, pageOf } from "../../support/http/Api.ts"
import { dataFolder } from "../../support/postgres/DataFolder.ts"
import { runNode, startServer } from "../../support/process/Process.ts"

const Demo = Schema.fromJsonString(Schema.Struct({ accessToken: Schema.String }))
const StoreMade = Schema.fromJsonString(Schema.Struct({ storeId: Schema.String.check(Schema.isUUID()) }))

const createStore = (dataDir: string) =>
  Effect.map(
    runNode("cli", ["stores", "create", "--name", "Shop", "--plan", "free", "--currency", "EUR", "--json"], {
      DATA_DIR: dataDir
    }),
    ({ code, stderr, stdout }) => {
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      return Schema.decodeSync(StoreMade)(stdout).storeId
    }
  )

it.live("without DATABASE_URL the CLI starts the embedded database and stops it afterwards", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const first = yield* createStore(dataDir)
    assert.isTrue(Option.isNone(yield* findServer(dataDir)))
    assert.notStrictEqual(yield* createStore(dataDir), first)
  })
)

it.live("without DATABASE_URL the server starts the embedded database and keeps its data after SIGKILL", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const start = Effect.gen(function* () {
      const server = yield* startServer({ DATA_DIR: dataDir })
      yield* server.greeted
      const { accessToken } = Schema.decodeSync(Demo)(readFileSync(join(dataDir, "demo.json"), "utf8"))
      return { server, client: makeClient(server.base, accessToken) }
    })
    const first = yield* start
    const key = readFileSync(join(dataDir, "secret.key"), "utf8")
    assert.strictEqual(statSync(join(dataDir, "secret.key")).mode & 0o777, 0o600)
    assert.strictEqual((yield* first.client.post("/products", { name: "Kept" })).status, 201)
    yield* createStore(dataDir)
    assert.strictEqual((yield* first.client.get("/products")).status, 200)
    first.server.kill("SIGKILL")
    yield* first.server.ended

    const second = yield* start
    assert.strictEqual(readFileSync(join(dataDir, "secret.key"), "utf8"), key)
    const products = pageOf(yield* second.client.get("/products?limit=200")).items
    assert.include(
      products.map(({ name }) => name),
      "Kept"
    )
    second.server.kill("SIGTERM")
    const { code, stderr } = yield* second.server.ended
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.isTrue(Option.isNone(yield* findServer(dataDir)))
  })
)
