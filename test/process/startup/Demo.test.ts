import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeClient, pageOf } from "../../support/http/Api.ts"
import {
  connection,
  duringWork,
  temporaryFolder,
  freePort,
  makeMigratedDatabase,
  rowsOf,
  startNode,
  startServer,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"

const Demo = Schema.fromJsonString(
  Schema.Struct({
    baseUrl: Schema.String,
    storeId: Schema.String.check(Schema.isUUID()),
    installationId: Schema.String.check(Schema.isUUID()),
    webhookAppId: Schema.String.check(Schema.isUUID()),
    webhookSecret: Schema.String.pipe(Schema.check(Schema.isStartingWith("whsec_"))),
    merchantEmail: Schema.String.pipe(Schema.check(Schema.isEndingWith("@example.com"))),
    merchantPassword: Schema.String.pipe(Schema.check(Schema.isMinLength(20))),
    agentToken: Schema.String.pipe(Schema.check(Schema.isStartingWith("agent_"))),
    exampleClientId: Schema.String.check(Schema.isUUID()),
    exampleWebhookSecret: Schema.String.pipe(Schema.check(Schema.isStartingWith("whsec_"))),
    accessToken: Schema.NonEmptyString,
    accessTokenExpiresAt: Schema.DateTimeUtcFromString
  })
)

/** Decodes `demo.json`. Fails on missing and additional keys. */
const readDemo = (dataDir: string) =>
  Schema.decodeSync(Demo, { onExcessProperty: "error" })(readFileSync(join(dataDir, "demo.json"), "utf8"))

it.live("DEMO=true creates a demo store and writes its credentials to demo.json, readable by the owner only", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const dataDir = yield* temporaryFolder
    const server = yield* startServer({ DATABASE_URL: url, DATA_DIR: dataDir, DEMO: "true" })
    yield* server.greeted
    assert.strictEqual(statSync(join(dataDir, "demo.json")).mode & 0o777, 0o600)
    const demo = readDemo(dataDir)
    assert.strictEqual(demo.baseUrl, server.base)
    const client = makeClient(demo.baseUrl, demo.accessToken)
    assert.isNotEmpty(pageOf(yield* client.get("/products")).items)
    assert.isNotEmpty(pageOf(yield* client.get("/collections")).items)
    assert.strictEqual((yield* client.post("/products", { name: "Cup" })).status, 201)
    assert.include(server.output.stdout, `curl -H "Authorization: Bearer ${demo.accessToken}"`)
  })
)

/** Kinds of damage to `demo.json` and their log lines. */
const damageCases: Readonly<Record<string, { readonly damage: (file: string) => void; readonly logged: RegExp }>> = {
  "is cut off": {
    damage: (file) => writeFileSync(file, readFileSync(file, "utf8").slice(0, 100)),
    logged: /demo\.json is damaged and was renamed to \S+demo\.json\.damaged/
  },
  "is empty": { damage: (file) => writeFileSync(file, ""), logged: /demo\.json is damaged/ },
  "holds values of other types": {
    damage: (file) => writeFileSync(file, readFileSync(file, "utf8").replace(/("merchantPassword": )"[^"]+"/, "$17")),
    logged: /demo\.json is damaged/
  },
  "is gone": { damage: (file) => rmSync(file), logged: /demo\.json is missing/ }
}

it.live(
  "later starts keep the demo store with its changes, also when demo.json is damaged, and issue new credentials",
  () =>
    Effect.gen(function* () {
      const { client: database, url } = yield* makeMigratedDatabase
      const environment = { DATABASE_URL: url, DATA_DIR: yield* temporaryFolder, DEMO: "true" }
      const file = join(environment.DATA_DIR, "demo.json")
      /** Starts the server, runs `use`, and stops it. */
      const duringStart = (use: (client: ReturnType<typeof makeClient>, base: string) => Effect.Effect<void>) =>
        Effect.gen(function* () {
          const server = yield* startServer(environment)
          yield* server.greeted
          const demo = readDemo(environment.DATA_DIR)
          assert.strictEqual(demo.baseUrl, server.base)
          yield* use(makeClient(demo.baseUrl, demo.accessToken), demo.baseUrl)
          server.kill("SIGTERM")
          yield* server.ended
          return { demo, stdout: server.output.stdout }
        })
      const first = yield* duringStart((client) => Effect.asVoid(client.post("/products", { name: "Kept" })))
      assert.notInclude(first.stdout, "is kept")

      const second = yield* duringStart((client) =>
        Effect.map(client.get("/products?limit=200"), (page) => {
          assert.lengthOf(
            pageOf(page).items.filter(({ name }) => name === "Kept"),
            1
          )
        })
      )
      assert.strictEqual(second.demo.storeId, first.demo.storeId)
      assert.strictEqual(second.demo.installationId, first.demo.installationId)
      assert.notStrictEqual(second.demo.accessToken, first.demo.accessToken)

      for (const [how, { damage, logged }] of Object.entries(damageCases)) {
        damage(file)
        const damaged = existsSync(file) ? readFileSync(file, "utf8") : undefined
        const next = yield* duringStart((client, base) =>
          Effect.gen(function* () {
            assert.strictEqual((yield* client.get("/products")).status, 200, how)
            const { merchantEmail: email, merchantPassword: password } = readDemo(environment.DATA_DIR)
            const signIn = yield* client.send("POST", `${base}/auth/sign-in`, { key: null, body: { email, password } })
            assert.strictEqual(signIn.status, 200, how)
          })
        )
        assert.strictEqual(next.demo.storeId, first.demo.storeId, how)
        assert.strictEqual(next.demo.installationId, first.demo.installationId, how)
        assert.match(next.stdout, logged)
        assert.include(next.stdout, `The demo store ${first.demo.storeId} is kept`)
        if (damaged === undefined) continue
        assert.strictEqual(readFileSync(`${file}.damaged`, "utf8"), damaged, how)
        assert.strictEqual(statSync(`${file}.damaged`).mode & 0o777, 0o600)
      }
      assert.deepStrictEqual(yield* rowsOf(database, "select id from stores"), [{ id: first.demo.storeId }])
    })
)

it.live("the service is alive but not ready until its demo store exists", () =>
  Effect.gen(function* () {
    const { client: lockHolder, url } = yield* makeMigratedDatabase
    const reader = yield* connection(url)
    const dataDir = yield* temporaryFolder
    // The lock blocks the registration of the demo app. Reads continue.
    yield* rowsOf(lockHolder, "begin")
    yield* rowsOf(lockHolder, "lock table apps in share mode")
    const port = yield* freePort
    const server = yield* startNode("main", [], {
      DATABASE_URL: url,
      DATA_DIR: dataDir,
      DEMO: "true",
      PORT: String(port)
    })
    const status = (path: string) =>
      Effect.promise(() =>
        fetch(`http://127.0.0.1:${port}${path}`).then(
          (response) => response.status,
          () => 0
        )
      )
    const ended = yield* Effect.forkChild(server.ended)
    yield* duringWork(ended, waitForLockWaits(reader, 1))
    yield* duringWork(
      ended,
      waitUntil(status("/healthz"), (seen) => seen === 200)
    )
    assert.strictEqual(yield* status("/readyz"), 503)
    assert.isFalse(existsSync(join(dataDir, "demo.json")))

    yield* rowsOf(lockHolder, "commit")
    yield* duringWork(
      ended,
      waitUntil(status("/readyz"), (seen) => seen === 200)
    )
    const { accessToken, baseUrl } = readDemo(dataDir)
    assert.strictEqual((yield* makeClient(baseUrl, accessToken).get("/products")).status, 200)
  })
)

it.live("DATABASE_URL without DEMO creates no demo data and no demo.json", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const dataDir = yield* temporaryFolder
    const server = yield* startServer({ DATABASE_URL: url, DATA_DIR: dataDir })
    // Creating a demo store takes a few dozen statements. It would exist after this many round trips.
    const api = makeClient(server.base)
    yield* Effect.repeat(api.get(`${server.base}/readyz`), { times: 100 })
    server.kill("SIGTERM")
    yield* server.ended
    assert.isFalse(existsSync(join(dataDir, "demo.json")))
    const counts = yield* rowsOf(
      client,
      "select (select count(*)::int from stores) as stores, (select count(*)::int from apps) as apps"
    )
    assert.deepStrictEqual(counts, [{ stores: 0, apps: 0 }])
  })
)
