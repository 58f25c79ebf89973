import { assert, it } from "@effect/vitest"
import { Effect, Latch } from "effect"
import {
  ApiError,
  createClient,
  OAuthError,
  type OAuthRequestOptions,
  type TokenStore
} from "../../../src/http/client/Client.ts"
import { type Reaction, type Received, receiver } from "../../support/webhooks/Receiver.ts"
import { rejection, rejectionOf } from "../../support/Rejections.ts"

const json = (status: number, body: unknown): Reaction => ({ status, body: JSON.stringify(body) })
const EXPIRED = json(401, { error: "The bearer token is missing, invalid or expired" })
const STORE = json(200, { data: { name: "Demo store" } })
const UNAVAILABLE: Reaction = { status: 503, body: "" }

const isRefresh = ({ path }: Received) => path.endsWith("/oauth/token")
const tokenOf = ({ headers }: Received) => headers["authorization"]?.replace("Bearer ", "")

/** A fake service. `access-0` is expired; `refresh-0` is exchanged for `access-1`. */
const service = Effect.fn(function* (onCall: (request: Received) => void | Promise<void> = () => undefined) {
  let generation = 0
  let refreshFailures = 0
  const server = yield* receiver(async (request) => {
    if (isRefresh(request)) {
      if (refreshFailures-- > 0) return UNAVAILABLE
      const form = new URLSearchParams(request.body)
      if (form.get("refresh_token") !== `refresh-${generation}`) return json(400, { error: "invalid_grant" })
      generation++
      const tokens = { access_token: `access-${generation}`, refresh_token: `refresh-${generation}` }
      return json(200, { ...tokens, expires_in: 3600, scope: "read_products write_products" })
    }
    const isGood = tokenOf(request) === `access-${generation}` && generation > 0
    await onCall(request)
    return isGood ? STORE : EXPIRED
  })
  return {
    server,
    refreshes: () => server.received.filter(isRefresh),
    calls: () => server.received.filter((request) => !isRefresh(request)),
    invalidateTokens: () => void generation++,
    failRefreshes: (times: number) => void (refreshFailures = times)
  }
})

type StoredTokens = Awaited<ReturnType<TokenStore["load"]>>

/** A client whose tokens are stored in a variable, with the list of saved tokens. */
const makeTokenClient = (url: string, options: OAuthRequestOptions = {}, save?: TokenStore["save"]) => {
  const app = { url, clientId: "an-app", clientSecret: "its secret: ü", redirectUri: "http://localhost:4100/callback" }
  const state: { stored: StoredTokens; saved: Array<unknown> } = {
    stored: { accessToken: "access-0", refreshToken: "refresh-0" },
    saved: []
  }
  const tokens: TokenStore = {
    app,
    load: () => state.stored,
    save:
      save ??
      ((tokens) => {
        state.saved.push(tokens)
        state.stored = tokens
      })
  }
  return { app, state, tokens, client: createClient({ url, tokens, wait: async () => undefined, ...options }) }
}

it.live("concurrent calls with an expired token share one refresh, and each is retried", () =>
  Effect.gen(function* () {
    const count = 64
    const allRejected = yield* Latch.make()
    const allCompleted = yield* Latch.make()
    let rejected = 0
    const { calls, refreshes, server } = yield* service(async (request) => {
      if (tokenOf(request) !== "access-0") return
      if (++rejected === count + 1) await Effect.runPromise(allRejected.open)
      // The late call receives its 401 only after all others have completed.
      await Effect.runPromise(request.headers["x-request-id"] === "late" ? allCompleted.await : allRejected.await)
    })
    const { client, state } = makeTokenClient(server.url)
    const lateCall = client.store.get({ requestId: "late" })
    yield* Effect.promise(() => Promise.all(Array.from({ length: count }, () => client.store.get())))
    assert.lengthOf(refreshes(), 1)
    yield* allCompleted.open
    yield* Effect.promise(() => lateCall)
    assert.lengthOf(refreshes(), 1)
    assert.lengthOf(calls(), 2 * (count + 1))
    assert.lengthOf(state.saved, 1)
    const { expiresAt, ...saved } = Object(state.saved[0])
    const scopes = ["read_products", "write_products"]
    assert.deepStrictEqual(saved, { accessToken: "access-1", refreshToken: "refresh-1", scopes })
    assert.isAbove(Date.parse(expiresAt), Date.now())
  })
)

it.live("a write is retried with its idempotency key after a refresh, and later calls use the new token", () =>
  Effect.gen(function* () {
    const { calls, refreshes, server } = yield* service()
    const { client } = makeTokenClient(server.url)
    yield* Effect.promise(() => client.products.create({ name: "Lantern" }))
    yield* Effect.promise(() => client.store.get())
    assert.deepStrictEqual(calls().map(tokenOf), ["access-0", "access-1", "access-1"])
    const [first, second] = calls()
    assert.strictEqual(first?.headers["idempotency-key"], second?.headers["idempotency-key"])
    const [refresh] = refreshes()
    const [, basic = ""] = refresh?.headers["authorization"]?.split(" ") ?? []
    assert.strictEqual(atob(basic), "an-app:its+secret%3A+%C3%BC")
    assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(refresh?.body)), {
      grant_type: "refresh_token",
      refresh_token: "refresh-0"
    })
  })
)

it.live("a call refreshes its token once, and fails with 401 if the new token is rejected too", () =>
  Effect.gen(function* () {
    const { invalidateTokens, refreshes, server } = yield* service()
    const { client } = makeTokenClient(server.url, {}, invalidateTokens)
    assert.strictEqual((yield* rejectionOf(ApiError, client.store.get())).status, 401)
    assert.lengthOf(refreshes(), 1)
  })
)

it.live("a call fails with invalid_grant if the refresh token is rejected", () =>
  Effect.gen(function* () {
    const { invalidateTokens, server } = yield* service()
    invalidateTokens()
    const { code, status } = yield* rejectionOf(OAuthError, makeTokenClient(server.url).client.store.get())
    assert.deepStrictEqual([code, status], ["invalid_grant", 400])
  })
)

it.live("tokens that another process refreshed are loaded and not refreshed again", () =>
  Effect.gen(function* () {
    const { calls, refreshes, server } = yield* service()
    const { client, tokens } = makeTokenClient(server.url)
    const loaded = { accessToken: "access-0", refreshToken: "refresh-0" }
    let isFirst = true
    const load = () => {
      const stored = isFirst ? loaded : tokens.load()
      isFirst = false
      return stored
    }
    const other = createClient({ url: server.url, tokens: { ...tokens, load } })
    yield* Effect.promise(() => client.store.get())
    yield* Effect.promise(() => other.store.get())
    assert.deepStrictEqual(calls().map(tokenOf), ["access-0", "access-1", "access-0", "access-1"])
    assert.lengthOf(refreshes(), 1)
  })
)

it.live("tokens that could not be saved are saved before the next call, without another refresh", () =>
  Effect.gen(function* () {
    const { calls, refreshes, server } = yield* service()
    const saveError = new Error("The disk is full")
    const saved: Array<string> = []
    const { client } = makeTokenClient(server.url, {}, async ({ accessToken }) => {
      saved.push(accessToken)
      if (saved.length === 1) throw saveError
    })
    assert.strictEqual(yield* rejection(client.store.get()), saveError)
    yield* Effect.promise(() => client.store.get())
    yield* Effect.promise(() => client.store.get())
    assert.deepStrictEqual(saved, ["access-1", "access-1"])
    assert.lengthOf(refreshes(), 1)
    assert.deepStrictEqual(calls().map(tokenOf), ["access-0", "access-1", "access-1"])
  })
)

it.live("a refresh that fails with 503 is sent up to three times, then the call fails", () =>
  Effect.gen(function* () {
    const { failRefreshes, refreshes, server } = yield* service()
    const { client } = makeTokenClient(server.url)
    failRefreshes(2)
    yield* Effect.promise(() => client.store.get())
    assert.lengthOf(refreshes(), 3)

    const unavailable = yield* service()
    unavailable.failRefreshes(100)
    const { status } = yield* rejectionOf(OAuthError, makeTokenClient(unavailable.server.url).client.store.get())
    assert.strictEqual(status, 503)
    assert.lengthOf(unavailable.refreshes(), 3)
  })
)

it.live("aborting a call during a refresh does not cancel the refresh for other calls", () =>
  Effect.gen(function* () {
    const saving = yield* Latch.make()
    const saved = yield* Latch.make()
    const { refreshes, server } = yield* service()
    const { client } = makeTokenClient(server.url, {}, () =>
      Effect.runPromise(Effect.andThen(saving.open, saved.await))
    )
    const controller = new AbortController()
    const aborted = client.store.get({ signal: controller.signal })
    const continued = client.store.get()
    yield* saving.await
    controller.abort(new Error("The page was closed"))
    assert.strictEqual(yield* rejection(aborted), controller.signal.reason)
    yield* saved.open
    yield* Effect.promise(() => continued)
    assert.lengthOf(refreshes(), 1)
  })
)
