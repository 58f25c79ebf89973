import { assert, it } from "@effect/vitest"
import { Effect, Option, Redacted, Schema } from "effect"
import { ALL_GRANTS } from "../../src/domain/access/AccessRule.ts"
import { Apps } from "../../src/domain/access/Apps.ts"
import { Stores } from "../../src/domain/access/Stores.ts"
import { Tokens } from "../../src/domain/access/Tokens.ts"
import { EventKind } from "../../src/domain/Events.ts"
import { Webhooks } from "../../src/domain/webhooks/Webhooks.ts"
import { makeClient } from "../support/http/Api.ts"
import { createApp, cli, jsonOutput } from "../support/process/Cli.ts"
import {
  freePort,
  makeMigratedDatabase,
  rowsOf,
  servicesOn,
  startNode,
  startServer,
  waitUntil
} from "../support/process/Process.ts"
import { installing } from "../support/data/Writes.ts"

const PRODUCT = "catalog.product.updated.v1"
const COLLECTION = "catalog.collection.updated.v1"
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/

const AppMade = Schema.Struct({
  appId: Schema.String.check(Schema.isUUID()),
  webhookSecret: Schema.String.pipe(Schema.check(Schema.isPattern(SECRET)))
})

const argumentsOf = (text: string) => text.split(" ")

const appWith = (url: string, target: string) =>
  jsonOutput(
    AppMade,
    url,
    ...argumentsOf(`apps create --name App --scope read_products --scope write_products`),
    ...argumentsOf(`--webhook-url ${target} --event ${PRODUCT}`)
  )

const Shown = Schema.Struct({
  appId: Schema.String.check(Schema.isUUID()),
  url: Schema.String,
  events: Schema.Array(Schema.String),
  liveSecrets: Schema.Int,
  calledAt: Schema.NullOr(Schema.DateFromString),
  testFailedAt: Schema.NullOr(Schema.DateFromString),
  failingSince: Schema.NullOr(Schema.DateFromString),
  pausedAt: Schema.NullOr(Schema.DateFromString),
  pauseReason: Schema.NullOr(Schema.String),
  pending: Schema.Int,
  oldestPendingAt: Schema.NullOr(Schema.DateFromString),
  pendingDroppedFrom: Schema.NullOr(Schema.DateFromString),
  dead: Schema.Int
})

it.live("a webhook is set, shown, paused and resumed, and its secret is printed only when rotated", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const { appId, webhookSecret } = yield* appWith(url, "https://app.example.com/hooks")
    const on = <A, I>(schema: Schema.Codec<A, I>, command: string, ...args: ReadonlyArray<string>) =>
      jsonOutput(schema, url, "apps", "webhook", command, "--app", appId, ...args)
    assert.deepInclude(yield* on(Shown, "show"), {
      url: "https://app.example.com/hooks",
      events: [PRODUCT],
      liveSecrets: 1,
      pausedAt: null,
      pending: 0
    })

    const Set = Schema.Struct({
      appId: Schema.String.check(Schema.isUUID()),
      url: Schema.String,
      events: Schema.Array(Schema.String)
    })
    const set = yield* on(
      Set,
      "set",
      "--url",
      "https://NEXT.example.com:443",
      "--event",
      PRODUCT,
      "--event",
      COLLECTION
    )
    // The normalized URL, which is stored and requested.
    assert.strictEqual(set.url, "https://next.example.com/")
    const Rotated = Schema.Struct({
      appId: Schema.String.check(Schema.isUUID()),
      webhookSecret: Schema.String.pipe(Schema.check(Schema.isPattern(SECRET))),
      previousSecretSignsUntil: Schema.DateFromString
    })
    const rotated = yield* on(Rotated, "rotate-secret")
    assert.notStrictEqual(rotated.webhookSecret, webhookSecret)
    assert.approximately(rotated.previousSecretSignsUntil.getTime(), Date.now() + 86_400_000, 60_000)
    const Ended = Schema.Struct({ ...Rotated.fields, previousSecretSignsUntil: Schema.Null })
    const ended = yield* on(Ended, "rotate-secret", "--now")
    assert.notStrictEqual(ended.webhookSecret, rotated.webhookSecret)
    assert.strictEqual((yield* on(Shown, "show")).liveSecrets, 1)
    yield* on(Rotated, "rotate-secret")
    yield* on(Schema.Struct({ appId: Schema.String.check(Schema.isUUID()), paused: Schema.Literal(true) }), "pause")
    assert.deepInclude(yield* on(Shown, "show"), {
      url: "https://next.example.com/",
      events: [PRODUCT, COLLECTION],
      liveSecrets: 2,
      pauseReason: "operator"
    })
    const Resumed = Schema.Struct({
      appId: Schema.String.check(Schema.isUUID()),
      paused: Schema.Literal(false),
      missed: Schema.Literal(0),
      missedSince: Schema.Null,
      missedUntil: Schema.Null,
      missedAre: Schema.Literal("delivered")
    })
    yield* on(Resumed, "resume")
    assert.isNull((yield* on(Shown, "show")).pausedAt)
    const { stdout } = yield* cli(url, "apps", "webhook", "show", "--app", appId)
    assert.notInclude(stdout, "whsec_")
  })
)

const Deliveries = Schema.Struct({
  deliveries: Schema.Array(
    Schema.Struct({
      eventId: Schema.String.check(Schema.isUUID()),
      kind: Schema.String,
      storeId: Schema.String.check(Schema.isUUID()),
      installationId: Schema.String.check(Schema.isUUID()),
      state: Schema.String,
      attempts: Schema.Int,
      createdAt: Schema.DateFromString,
      nextAt: Schema.NullOr(Schema.DateFromString),
      finishedAt: Schema.NullOr(Schema.DateFromString)
    })
  )
})
const Attempts = Schema.Struct({
  attempts: Schema.Array(
    Schema.Struct({
      installationId: Schema.String.check(Schema.isUUID()),
      attempt: Schema.Int,
      startedAt: Schema.DateFromString,
      durationMillis: Schema.Int,
      status: Schema.NullOr(Schema.Int),
      answer: Schema.NullOr(Schema.String),
      error: Schema.NullOr(Schema.String)
    })
  )
})

/** A store in the database at `url` with an app that writes and an app that receives webhooks. */
const subscription = (url: string, target: string) =>
  Effect.gen(function* () {
    const stores = yield* Stores
    const apps = yield* Apps
    const { install } = yield* installing
    const tokens = yield* Tokens
    const { subscribe } = yield* Webhooks
    const storeId = yield* stores.create({ name: "A store", plan: "free", currencyCode: "EUR" })
    const make = (name: string) =>
      Effect.flatMap(apps.create({ name, ...ALL_GRANTS }), (appId) =>
        Effect.map(install({ storeId, appId, ...ALL_GRANTS }), (installation) => ({ appId, installation }))
      )
    const writer = yield* make("A writer")
    const { token } = yield* tokens.issue(writer.installation)
    const { appId } = yield* make("A subscriber")
    const secret = Option.getOrThrow(yield* subscribe(appId, { url: target, kinds: EventKind.literals }))
    const other = yield* stores.create({ name: "Another store", plan: "free", currencyCode: "EUR" })
    yield* install({ storeId: other, appId, ...ALL_GRANTS })
    return { accessToken: Redacted.value(token), storeId, other, appId, secret: Redacted.value(secret) }
  }).pipe(Effect.provide(servicesOn(url)))

it.live("`webhooks listen` verifies events, and deliveries are listed with attempts and redelivered", () =>
  Effect.gen(function* () {
    const { client: database, url } = yield* makeMigratedDatabase
    const port = yield* freePort
    const environment = { DATABASE_URL: url, WEBHOOK_ALLOW_HOSTS: "127.0.0.1" }
    const { accessToken, appId, other, secret, storeId } = yield* subscription(url, `http://127.0.0.1:${port}/`)
    const listener = yield* startNode("cli", ["webhooks", "listen", "--port", `${port}`, "--secret", secret], {})
    const lines = (n: number) =>
      waitUntil(
        Effect.sync(() => listener.output.stdout.split("\n").filter((line) => line.includes("verified"))),
        (verified) => verified.length >= n
      )
    const worker = yield* startNode("cli", ["worker"], environment)
    const { base } = yield* startServer({ ...environment, WEBHOOK_WORKERS: "0" })
    assert.strictEqual((yield* makeClient(base, accessToken).post("/products", { name: "Cup" })).status, 201)
    const [line = ""] = yield* lines(1)
    assert.match(
      line,
      /✓ verified \| catalog\.product\.updated\.v1, event .*, product .* version 1, hops 0 \| responded 204/
    )

    const delivered = rowsOf(database, "select event_id from deliveries where outcome = 'delivered'")
    const [row] = yield* waitUntil(delivered, (rows) => rows.length === 1)
    const event = String(row?.["event_id"])
    const at = ["--app", appId] as const
    const { deliveries } = yield* jsonOutput(
      Deliveries,
      url,
      "apps",
      "webhook",
      "deliveries",
      ...at,
      "--state",
      "delivered"
    )
    assert.deepStrictEqual(
      deliveries.map(({ attempts, eventId, state }) => ({ attempts, eventId, state })),
      [{ attempts: 1, eventId: event, state: "delivered" }]
    )
    const expected: ReadonlyArray<readonly [store: string, events: Array<string>]> = [
      [storeId, [event]],
      [other, []]
    ]
    for (const [store, events] of expected) {
      const listed = yield* jsonOutput(Deliveries, url, "apps", "webhook", "deliveries", ...at, "--store", store)
      assert.deepStrictEqual(
        listed.deliveries.map(({ eventId }) => eventId),
        events
      )
    }
    const { attempts } = yield* jsonOutput(Attempts, url, "apps", "webhook", "attempts", ...at, "--event-id", event)
    assert.deepInclude(attempts[0], { attempt: 1, status: 204, error: null })
    const Redelivered = Schema.Struct({ appId: Schema.String.check(Schema.isUUID()), redelivered: Schema.Int })
    const redeliver = (...which: ReadonlyArray<string>) =>
      jsonOutput(Redelivered, url, "apps", "webhook", "redeliver", ...at, ...which)
    assert.strictEqual((yield* redeliver("--event-id", event)).redelivered, 1)
    yield* lines(2)
    yield* waitUntil(delivered, (rows) => rows.length === 1)
    assert.strictEqual((yield* redeliver("--since", "2026-01-01T00:00:00Z")).redelivered, 1)
    yield* lines(3)
    yield* waitUntil(delivered, (rows) => rows.length === 1)
    assert.strictEqual((yield* redeliver("--since", "2026-01-01", "--dead")).redelivered, 0)

    worker.kill("SIGTERM")
    const { stderr } = yield* worker.ended
    assert.strictEqual(stderr, "")
    for (const process of [listener, worker]) process.kill("SIGINT")
    yield* listener.ended
    assert.notInclude(listener.output.stdout + worker.output.stdout, secret)
  })
)

const NOBODY = "01890a5d-ac96-774b-bcce-b302099a8057"

/** Invalid invocations, their error lines, and the exit code if the usage is right. */
const mistakes: ReadonlyArray<readonly [invocation: string, line: RegExp, code?: number]> = [
  ...["show", "pause", "resume", "rotate-secret", "deliveries"].map(
    (command) => [`apps webhook ${command} --app ${NOBODY}`, /App .* was not found/, 1] as const
  ),
  [`apps webhook redeliver --app ${NOBODY}`, /Give either --event-id or --since/],
  [`apps webhook redeliver --app ${NOBODY} --since yesterday`, /--since: must be a time, as in/],
  [`apps webhook redeliver --app ${NOBODY} --event-id ${NOBODY}`, /No delivery of event .* was found/, 1],
  [`apps webhook redeliver --app ${NOBODY} --event-id ${NOBODY} --dead`, /Give --dead with --since/],
  [`apps webhook set --app ${NOBODY} --url https://a.example.com/ --event ${PRODUCT}`, /App .* was not found/, 1],
  [`apps webhook set --app ${NOBODY} --url http://a.example.com/ --event ${PRODUCT}`, /must begin with https:/, 1],
  [`apps webhook set --app ${NOBODY} --url https://a.example.com/`, /--event/],
  [`apps webhook deliveries --app ${NOBODY} --limit 0`, /--limit/],
  [
    `apps create --name App --scope read_products --webhook-url https://127.0.0.1/ --event ${PRODUCT}`,
    /127\.0\.0\.1/,
    1
  ],
  ["apps create --name App --scope read_products --webhook-url https://a.example.com/", /--webhook-url and --event/],
  ["webhooks listen --fail 500 --hang", /Give one of --fail, --hang and --gone/],
  ["webhooks listen --fail 99", /--fail/],
  ["worker --concurrency 0", /--concurrency/]
]

it.live(
  "an invalid webhook invocation prints one error line, exits with 2, or 1 if its usage is right, and creates nothing",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      for (const [invocation, line, expected = 2] of mistakes) {
        const { code, stderr, stdout } = yield* cli(url, ...argumentsOf(invocation))
        assert.deepStrictEqual({ invocation, code, stdout }, { invocation, code: expected, stdout: "" })
        assert.match(stderr, /^partner-api: [^\n]+\n$/, invocation)
        assert.match(stderr, line, invocation)
        assert.notMatch(stderr, /\[object|\.[jt]s:\d|undefined|NaN/, invocation)
      }
      assert.deepStrictEqual(yield* rowsOf(client, "select 1 from apps"), [])
      const { appId } = yield* createApp(url, "read_products")
      const { stderr } = yield* cli(url, "apps", "webhook", "show", "--app", appId)
      assert.match(stderr, new RegExp(`^partner-api: App ${appId} has no webhook; set its URL and events first`))
    })
)
