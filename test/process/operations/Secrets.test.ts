import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Redacted, Schema } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { AccountLinks } from "../../../src/domain/access/AccountLinks.ts"
import { Email, Merchants } from "../../../src/domain/access/Merchants.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { putCustomers } from "../../support/data/Records.ts"
import { makeClient } from "../../support/http/Api.ts"
import { picture, uploadTo } from "../../support/http/Files.ts"
import { agreeingMember, makePoster, register } from "../../support/oauth/Oauth.ts"
import {
  connection,
  createTokens,
  freePort,
  lockStore,
  makeMigratedDatabase,
  rowsOf,
  serverUrl,
  servicesOn,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"
import { closeDatabase, listeners, openDatabase, startSender } from "../../support/process/Workers.ts"
import { callLine, exitsOf, postTo } from "../../support/rpc/Rpc.ts"
import { SECRET_KEY } from "../../support/SecretKey.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { waitForRequests } from "../../support/webhooks/Webhooks.ts"

const toEmail = Schema.decodeSync(Email)
const toStore = Schema.decodeSync(StoreId)
const decodeAgent = Schema.decodeUnknownSync(Schema.Struct({ token: Schema.String }))

/** Secrets of this run by what they are. */
const makeSecrets = () => {
  const secrets = new Map<string, string>()
  return {
    secrets,
    /** Keeps a secret that the service made. */
    keep: (kind: string, value: string) => {
      assert.isAtLeast(value.length, 16, kind)
      secrets.set(kind, value)
      return value
    },
    /** Makes a secret of a client. */
    make: (kind: string) => {
      const value = `canary-${randomBytes(12).toString("hex")}`
      secrets.set(kind, value)
      return value
    }
  }
}

it.live("no secret, query or personal data reaches logs, spans, metrics, or the responses to others", () =>
  Effect.gen(function* () {
    const { keep, make, secrets } = makeSecrets()
    const root = yield* Effect.flatMap(serverUrl, connection)
    const role = `canary_${randomBytes(4).toString("hex")}`
    const databasePassword = make("password of the database")
    // Before the database, in which the role creates partitions.
    yield* Effect.acquireRelease(
      rowsOf(root, `create role ${role} superuser login password '${databasePassword}'`),
      () => rowsOf(root, `drop role ${role}`)
    )
    const { client: db, url } = yield* makeMigratedDatabase
    const databaseUrl = new URL(url)
    databaseUrl.username = role
    databaseUrl.password = databasePassword
    const collector = yield* receiver()
    const endpoint = yield* receiver(() => ({ status: 500 }))
    const management = yield* freePort
    const server = yield* startSender({
      DATABASE_URL: databaseUrl.href,
      LOG_LEVEL: "debug",
      LOG_FORMAT: "json",
      MANAGEMENT_PORT: String(management),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${make("header of the collector")}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "100",
      OTEL_BLRP_SCHEDULE_DELAY: "100",
      OTEL_METRIC_EXPORT_INTERVAL: "500",
      // Refuses every upload.
      S3_ENDPOINT: `http://127.0.0.1:${endpoint.port}`,
      S3_BUCKET: "pictures",
      S3_ACCESS_KEY_ID: "service",
      S3_SECRET_ACCESS_KEY: make("key of S3"),
      SECRET_KEY: keep("SECRET_KEY", randomBytes(32).toString("base64")),
      // Encrypts the secrets that the test makes.
      SECRET_KEY_PREVIOUS: keep("SECRET_KEY_PREVIOUS", SECRET_KEY)
    })
    const { base } = server
    /** Responses to others than the owner of a secret, and errors. */
    const answers: Array<string> = []
    const expectStatus = ({ status, text }: { status: number; text: string }, ...expected: ReadonlyArray<number>) => {
      assert.include(expected, status, text)
      answers.push(text)
    }

    // An app and its customers.
    const { storeId, tokens } = yield* createTokens(url, 1)
    const app = makeClient(base, keep("access token", tokens[0] ?? ""))
    const other = makeClient(base, (yield* createTokens(url)).tokens[0])
    const email = `${make("email of a customer")}@example.com`
    const customer = { email, firstName: make("name of a customer"), lastName: "A" }
    const webhookPath = make("path of a webhook")
    const setUp = Effect.gen(function* () {
      yield* putCustomers(toStore(storeId), [customer])
      const [listener] = yield* listeners(url, storeId, [`${endpoint.url}/${webhookPath}`])
      keep("webhook secret", listener?.secret ?? "")
    })
    yield* Effect.provide(setUp, servicesOn(url))
    expectStatus(yield* app.post(`/products?a=${make("query")}`, { name: "Cup" }), 400)
    const created = yield* app.post("/products", { name: "Cup" })
    assert.strictEqual(created.status, 201)
    expectStatus(yield* makeClient(base, make("wrong token")).get("/store"), 401)
    expectStatus(yield* app.post("/products", `{"name": "${make("body that is not JSON")}`), 400)
    const search = (client: typeof app) => client.get(`/customers/search?search=${encodeURIComponent(email)}`)
    assert.include((yield* search(app)).text, email)
    expectStatus(yield* search(other), 200)
    expectStatus(yield* other.get("/customers"), 200)
    expectStatus(yield* uploadTo(base, app.token, yield* picture("png")), 503, 500)
    yield* app.put("/app-data/settings", { key: "a", value: make("app data") })

    // An account, its session, a reset link and an agent.
    const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
      Effect.promise(async () => {
        const text = typeof body === "string" ? body : JSON.stringify(body)
        const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body: text }
        const response = await fetch(`${base}${path}`, init)
        const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? ""
        return { status: response.status, text: await response.text(), cookie }
      })
    const address = "ada@example.com"
    const password = make("password")
    const signedUp = yield* post("/auth/sign-up", { email: address, name: "Ada", password })
    expectStatus(signedUp, 200)
    const signedIn = yield* post("/auth/sign-in", { email: address, password })
    expectStatus(signedIn, 200)
    keep("session", signedIn.cookie.replace("session=", ""))
    expectStatus(yield* post("/auth/sign-in", { email: address, password: make("wrong password") }), 401)
    expectStatus(yield* post("/auth/sign-in", `{"password":"${make("password in a body that is not JSON")}`), 400)
    expectStatus(yield* postTo(base, "", { cookie: `session=${make("wrong session")}` }), 400, 200)
    const made = yield* Effect.gen(function* () {
      const merchants = yield* Merchants
      const links = yield* AccountLinks
      const { token } = yield* links.createOperatorReset(toEmail(address))
      const person = toEmail("bob@example.com")
      const id = yield* merchants.create({
        email: person,
        name: "Bob",
        password: Redacted.make(make("password of Bob"))
      })
      const member = yield* agreeingMember(toStore(storeId), { email: person, id })
      const app = yield* register()
      return { app, form: yield* member.agree(app), second: yield* member.agree(app), reset: Redacted.value(token) }
    }).pipe(Effect.provide(servicesOn(url)))
    keep("token of a reset link", made.reset)
    expectStatus(yield* post("/auth/reset", { token: make("wrong reset token") }), 400, 404, 409, 410, 422)
    const changed = { token: made.reset, password: make("new password") }
    expectStatus(yield* post("/auth/reset/use", changed), 200)
    const renewed = yield* post("/auth/sign-in", { email: address, password: changed.password })
    keep("new session", renewed.cookie.replace("session=", ""))
    const owner = yield* post("/auth/sign-in", { email: "bob@example.com", password: secrets.get("password of Bob") })
    keep("session of the owner", owner.cookie.replace("session=", ""))
    const cookie = { cookie: owner.cookie }
    const agentCall = { storeId, idempotencyKey: randomUUID(), agent: { name: "Helper", scopes: ["read_products"] } }
    const [agent] = exitsOf((yield* postTo(base, callLine("agents.create", agentCall), cookie)).text).values()
    assert.strictEqual(agent?._tag, "Success")
    if (agent?._tag !== "Success") return
    const { token: agentToken } = decodeAgent(agent.value)
    keep("token of an agent", agentToken)
    const bearer = { authorization: `Bearer ${agentToken}` }
    yield* postTo(base, callLine("products.list", { storeId }), bearer)
    answers.push((yield* postTo(base, callLine("products.list", { storeId: make("payload") }), bearer)).text)

    // OAuth: codes, verifiers, secrets and refresh tokens, right and wrong.
    const poster = makePoster(base, made.app)
    keep("client secret", made.app.secret ?? "")
    for (const [name, form] of Object.entries({ first: made.form, second: made.second })) {
      keep(`code, ${name}`, form.code)
      keep(`verifier, ${name}`, form.code_verifier)
    }
    const wrong = { code_verifier: make("wrong verifier").padEnd(43, "a") }
    const refused = yield* poster.token({ ...made.second, ...wrong })
    expectStatus({ status: refused.status, text: JSON.stringify(refused.json) }, 400)
    const exchanged = yield* poster.token(made.form)
    assert.strictEqual(exchanged.status, 200)
    const refreshToken = keep("refresh token", String(exchanged.json["refresh_token"]))
    keep("token of a grant", String(exchanged.json["access_token"]))
    const refreshed = yield* poster.refresh(refreshToken)
    keep("second refresh token", String(refreshed.json["refresh_token"]))
    // A client that did not receive the response may repeat the request.
    const repeated = yield* poster.refresh(refreshToken)
    keep("repeated refresh token", String(repeated.json["refresh_token"]))
    const stranger = yield* makePoster(base, { ...made.app, secret: make("wrong client secret") }).refresh(
      make("refresh")
    )
    expectStatus({ status: stranger.status, text: JSON.stringify(stranger.json) }, 401)
    const page = yield* Effect.promise(() => fetch(`${base}/oauth/authorize?state=${make("state")}&client_id=nobody`))
    expectStatus({ status: page.status, text: yield* Effect.promise(() => page.text()) }, 400)
    yield* waitForRequests(endpoint, 1)

    // Faults: a constraint whose error quotes the row, a missing table, a database that closes during a write.
    const constrain = (table: string) => rowsOf(db, `alter table ${table} add constraint never check (false) not valid`)
    const release = (table: string) => rowsOf(db, `alter table ${table} drop constraint never`)
    for (const table of ["merchants", "sessions", "products", "app_data"]) yield* constrain(table)
    const failing = {
      email: `${make("email of a failed sign-up")}@example.com`,
      name: "Eve",
      password: make("its password")
    }
    expectStatus(yield* post("/auth/sign-up", failing), 500)
    expectStatus(yield* post("/auth/sign-in", { email: address, password: changed.password }), 500)
    expectStatus(yield* app.post("/products", { name: make("name of a failed product") }), 500)
    expectStatus(yield* app.put("/app-data/settings", { key: "b", value: make("failed app data") }), 500, 404)
    for (const table of ["merchants", "sessions", "products", "app_data"]) yield* release(table)
    yield* rowsOf(db, "alter table customers rename to hidden")
    expectStatus(yield* search(app), 500)
    yield* rowsOf(db, "alter table hidden rename to customers")
    const { release: unlock, watcher } = yield* lockStore(url, storeId)
    const writing = yield* Effect.forkChild(
      Effect.exit(app.post("/products", { name: make("name of a lost product") }))
    )
    yield* waitForLockWaits(watcher, 1)
    yield* closeDatabase(root, url)
    const lost = yield* Fiber.join(writing)
    assert.isTrue(Exit.isSuccess(lost))
    if (Exit.isSuccess(lost)) expectStatus(lost.value, 503)
    expectStatus(yield* post("/auth/sign-in", { email: address, password: changed.password }), 503)
    yield* openDatabase(root, url)
    yield* unlock

    const metrics = yield* Effect.promise(async () => (await fetch(`http://127.0.0.1:${management}/metrics`)).text())
    yield* waitUntil(
      Effect.sync(() => collector.received.map(({ path }) => path)),
      (paths) => ["traces", "metrics", "logs"].every((signal) => paths.some((path) => path.endsWith(`/v1/${signal}`)))
    )
    server.kill("SIGTERM")
    const { stderr, stdout } = yield* server.ended
    const exported = collector.received.map(({ body }) => body).join("\n")
    for (const text of [stdout, exported]) assert.include(text, "A request failed")
    const places = { stdout, stderr, exported, metrics, answers: answers.join("\n") }
    const leaks = Object.entries(places).flatMap(([place, text]) =>
      [...secrets]
        .filter(([, secret]) => text.includes(secret) || text.includes(encodeURIComponent(secret)))
        .map(([kind]) => `${kind} in ${place}`)
    )
    assert.deepStrictEqual(leaks, [])
  })
)
