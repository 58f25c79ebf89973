import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { partnerApi } from "../../../src/cli/Program.ts"
import { embeddedPostgres } from "../../../src/layers/postgres/EmbeddedPostgres.ts"
import { dataOf, makeClient } from "../../support/http/Api.ts"
import { fetchBytes, picture, uploadTo } from "../../support/http/Files.ts"
import { carelessDataFolder, dataFolder } from "../../support/postgres/DataFolder.ts"
import { AppMade, Installed, runInProcess, StoreMade } from "../../support/process/Cli.ts"
import { connection, duringWork, rowsOf, runNode, waitUntil } from "../../support/process/Process.ts"
import { createUntilSuccess, startSender } from "../../support/process/Workers.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { standardSignature } from "../../support/webhooks/Signing.ts"
import { eventOf } from "../../support/webhooks/Webhooks.ts"

const command = Effect.fn(function* <A, I>(
  schema: Schema.Codec<A, I>,
  dataDir: string,
  ...args: ReadonlyArray<string>
) {
  const { code, stderr, stdout } = yield* runInProcess(partnerApi([...args, "--json"]), { DATA_DIR: dataDir })
  assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  return Schema.decodeSync(Schema.fromJsonString(schema))(stdout)
})

const Listener = Schema.Struct({ ...AppMade.fields, webhookSecret: Schema.String })
const Created = Schema.Struct({ createdAt: Schema.String })
const Verified = Schema.Struct({ stores: Schema.Int })

const SCOPES = ["read_products", "write_products", "read_files", "write_files"].flatMap((scope) => ["--scope", scope])

/** A store with an app that listens and another one that writes: apps get no events of their own writes. */
const setUp = Effect.fn(function* (dataDir: string, url: string) {
  const store = ["stores", "create", "--name", "Shop", "--plan", "scale", "--currency", "EUR"]
  const { storeId } = yield* command(StoreMade, dataDir, ...store)
  const create = ["apps", "create", "--name", "App", ...SCOPES]
  const webhook = ["--webhook-url", url, "--event", "catalog.product.updated.v1"]
  const install = (appId: string) =>
    command(Installed, dataDir, "installations", "create", "--store", storeId, "--app", appId, ...SCOPES)
  const listener = yield* command(Listener, dataDir, ...create, ...webhook)
  yield* install(listener.appId)
  const { appId } = yield* command(AppMade, dataDir, ...create)
  const { accessToken, installationId } = yield* install(appId)
  return { installationId, token: accessToken, secret: listener.webhookSecret }
})

it.live("a backup under writes restores everything acknowledged before its end, and webhooks resume", () =>
  Effect.gen(function* () {
    const [dataDir, restored, other] = [yield* carelessDataFolder, yield* dataFolder, yield* dataFolder]
    const backup = join(other, "backup")
    const endpoint = yield* receiver(() => "hang")
    const server = yield* startSender({ DATA_DIR: dataDir })
    yield* server.greeted
    const { installationId, secret, token } = yield* setUp(dataDir, endpoint.url)

    const bytes = yield* picture("png")
    const uploaded = yield* uploadTo(server.base, token, bytes, { key: "picture" })
    assert.strictEqual(uploaded.status, 201, uploaded.text)

    const acknowledged: Array<{ readonly id: unknown; readonly at: number }> = []
    const write = Effect.gen(function* () {
      const answer = yield* createUntilSuccess(() => server.base, token, randomUUID())
      acknowledged.push({ id: dataOf(answer)["id"], at: Date.now() })
      yield* Effect.sleep("50 millis")
    })
    const writing = yield* Effect.forkChild(Effect.forever(write))
    const written = (n: number) =>
      duringWork(
        writing,
        waitUntil(
          Effect.sync(() => acknowledged.length),
          (length) => length >= n
        )
      )
    yield* written(5)
    const beganWith = acknowledged.length
    const made = yield* runNode("cli", ["backup", "create", backup, "--json"], { DATA_DIR: dataDir })
    assert.deepStrictEqual([made.code, made.stderr], [0, ""])
    const end = Date.parse(Schema.decodeSync(Schema.fromJsonString(Created))(made.stdout).createdAt)
    yield* written(acknowledged.length + 3)
    yield* Fiber.interrupt(writing)
    const { accessToken: later } = yield* command(Installed, dataDir, "installations", "token", installationId)
    assert.strictEqual((yield* makeClient(server.base, later).get("/products")).status, 200)
    server.kill("SIGKILL")
    yield* server.ended

    assert.strictEqual((yield* command(Verified, dataDir, "backup", "verify", backup)).stores, 2)
    yield* command(Created, restored, "backup", "restore", backup)
    assert.strictEqual(statSync(join(restored, "secret.key")).mode & 0o777, 0o600)
    assert.strictEqual(
      readFileSync(join(restored, "secret.key"), "utf8"),
      readFileSync(join(dataDir, "secret.key"), "utf8")
    )

    const kept = acknowledged.filter(({ at }) => at < end).map(({ id }) => id)
    assert.isAbove(kept.length, beganWith)
    assert.isBelow(kept.length, acknowledged.length)
    const url = Redacted.value(yield* embeddedPostgres({ dataDir: restored }))
    const db = yield* connection(url)
    const [leases] = yield* rowsOf(db, "select count(*)::integer as n from deliveries where lease is not null")
    assert.isAbove(Number(leases?.["n"]), 0)
    // Leases and pauses between attempts would end later.
    yield* rowsOf(db, "update deliveries set next_at = clock_timestamp() where finished_at is null")
    endpoint.answerWith(() => ({}))
    const before = endpoint.received.length
    const second = yield* startSender({ DATA_DIR: restored })
    const rows = yield* rowsOf(db, "select id from products")
    const ids = rows.map(({ id }) => id)
    assert.includeMembers(ids, kept)

    const isDelivered = (id: unknown) =>
      endpoint.received.slice(before).some((delivery) => JSON.stringify(eventOf(delivery)).includes(String(id)))
    yield* waitUntil(
      Effect.sync(() => kept.filter((id) => !isDelivered(id))),
      (missing) => missing.length === 0
    )
    const delivery = endpoint.received[before]
    const [id = "", timestamp = ""] = [delivery?.headers["webhook-id"], delivery?.headers["webhook-timestamp"]]
    const signature = standardSignature(secret, { body: delivery?.body ?? "", id, timestamp })
    assert.strictEqual(delivery?.headers["webhook-signature"], signature)

    assert.strictEqual((yield* makeClient(second.base, later).get("/products")).status, 401)
    const created = yield* createUntilSuccess(() => second.base, token, randomUUID())
    for (const { id } of acknowledged) assert.isAbove(String(dataOf(created)["id"]).localeCompare(String(id)), 0)
    const { pathname } = new URL(String(dataOf(uploaded)["url"]))
    assert.isTrue((yield* fetchBytes(`${second.base}${pathname}`)).bytes.equals(bytes))
  })
)
