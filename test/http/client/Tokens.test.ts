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
const AWAY: Reaction = { status: 503, body: "" }

const isRefresh = ({ path }: Received) => path.endsWith("/oauth/token")
const tokenOf = ({ headers }: Received) => headers["authorization"]?.replace("Bearer ", "")

/** A small service whose access token has ended: `access-0` was good, `access-1` is what `refresh-0` is exchanged for. */
const service = Effect.fn(function* (onCall: (request: Received) => void | Promise<void> = () => undefined) {
  let generation = 0
  let away = 0
  const server = yield* receiver(async (request) => {
    if (isRefresh(request)) {
      if (away-- > 0) return AWAY
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
    end: () => void generation++,
    stayAway: (times: number) => void (away = times)
  }
})

type Kept = Awaited<ReturnType<TokenStore["load"]>>

/** A client over tokens that are kept in a variable, and what became of them. */
const keeping = (url: string, options: OAuthRequestOptions = {}, save?: TokenStore["save"]) => {
  const app = { url, clientId: "an-app", clientSecret: "its secret: ü", redirectUri: "http://localhost:4100/callback" }
  const state: { kept: Kept; saved: Array<unknown> } = {
    kept: { accessToken: "access-0", refreshToken: "refresh-0" },
    saved: []
  }
  const tokens: TokenStore = {
    app,
    load: () => state.kept,
    save:
      save ??
      ((tokens) => {
        state.saved.push(tokens)
        state.kept = tokens
      })
  }
  return { app, state, tokens, client: createClient({ url, tokens, wait: async () => undefined, ...options }) }
}

it.live("however many calls are refused at once, one request renews their token, and each is sent again", () =>
  Effect.gen(function* () {
    const all = 64
    const together = yield* Latch.make()
    const late = yield* Latch.make()
    let refused = 0
    const { calls, refreshes, server } = yield* service(async (request) => {
      if (tokenOf(request) !== "access-0") return
      if (++refused === all + 1) await Effect.runPromise(together.open)
      // One of them is refused only once the others have been answered.
      await Effect.runPromise(request.headers["x-request-id"] === "late" ? late.await : together.await)
    })
    const { client, state } = keeping(server.url)
    const last = client.store.get({ requestId: "late" })
    yield* Effect.promise(() => Promise.all(Array.from({ length: all }, () => client.store.get())))
    assert.lengthOf(refreshes(), 1)
    yield* late.open
    yield* Effect.promise(() => last)
    assert.lengthOf(refreshes(), 1)
    assert.lengthOf(calls(), 2 * (all + 1))
    assert.lengthOf(state.saved, 1)
    const { expiresAt, ...saved } = Object(state.saved[0])
    const scopes = ["read_products", "write_products"]
    assert.deepStrictEqual(saved, { accessToken: "access-1", refreshToken: "refresh-1", scopes })
    assert.isAbove(Date.parse(expiresAt), Date.now())
  })
)

it.live("a write goes on under its key, and the next call begins with the new token", () =>
  Effect.gen(function* () {
    const { calls, refreshes, server } = yield* service()
    const { client } = keeping(server.url)
    yield* Effect.promise(() => client.products.create({ name: "Lantern" }))
    yield* Effect.promise(() => client.store.get())
    assert.deepStrictEqual(calls().map(tokenOf), ["access-0", "access-1", "access-1"])
    const [first, second] = calls()
    assert.strictEqual(first?.headers["idempotency-key"], second?.headers["idempotency-key"])
    const [asked] = refreshes()
    const [, basic = ""] = asked?.headers["authorization"]?.split(" ") ?? []
    assert.strictEqual(atob(basic), "an-app:its+secret%3A+%C3%BC")
    assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(asked?.body)), {
      grant_type: "refresh_token",
      refresh_token: "refresh-0"
    })
  })
)

it.live("a call renews its token once: a new one that is refused too is an answer", () =>
  Effect.gen(function* () {
    const { end, refreshes, server } = yield* service()
    const { client } = keeping(server.url, {}, end)
    assert.strictEqual((yield* rejectionOf(ApiError, client.store.get())).status, 401)
    assert.lengthOf(refreshes(), 1)
  })
)

it.live("who has to be authorized anew is told so", () =>
  Effect.gen(function* () {
    const { end, server } = yield* service()
    end()
    const { code, status } = yield* rejectionOf(OAuthError, keeping(server.url).client.store.get())
    assert.deepStrictEqual([code, status], ["invalid_grant", 400])
  })
)

it.live("what another process renewed is used, and its refresh token not spent", () =>
  Effect.gen(function* () {
    const { calls, refreshes, server } = yield* service()
    const { client, tokens } = keeping(server.url)
    const loaded = { accessToken: "access-0", refreshToken: "refresh-0" }
    let isFirst = true
    const load = () => {
      const kept = isFirst ? loaded : tokens.load()
      isFirst = false
      return kept
    }
    const other = createClient({ url: server.url, tokens: { ...tokens, load } })
    yield* Effect.promise(() => client.store.get())
    yield* Effect.promise(() => other.store.get())
    assert.deepStrictEqual(calls().map(tokenOf), ["access-0", "access-1", "access-0", "access-1"])
    assert.lengthOf(refreshes(), 1)
  })
)

it.live("tokens that could not be kept are kept before the next call, and never asked for twice", () =>
  Effect.gen(function* () {
    const { calls, refreshes, server } = yield* service()
    const full = new Error("The disk is full")
    const saved: Array<string> = []
    const { client } = keeping(server.url, {}, async ({ accessToken }) => {
      saved.push(accessToken)
      if (saved.length === 1) throw full
    })
    assert.strictEqual(yield* rejection(client.store.get()), full)
    yield* Effect.promise(() => client.store.get())
    yield* Effect.promise(() => client.store.get())
    assert.deepStrictEqual(saved, ["access-1", "access-1"])
    assert.lengthOf(refreshes(), 1)
    assert.deepStrictEqual(calls().map(tokenOf), ["access-0", "access-1", "access-1"])
  })
)

it.live("a refresh whose answer does not come is sent again, three times in all, and then fails the call", () =>
  Effect.gen(function* () {
    const { refreshes, server, stayAway } = yield* service()
    const { client } = keeping(server.url)
    stayAway(2)
    yield* Effect.promise(() => client.store.get())
    assert.lengthOf(refreshes(), 3)

    const gone = yield* service()
    gone.stayAway(100)
    const { status } = yield* rejectionOf(OAuthError, keeping(gone.server.url).client.store.get())
    assert.strictEqual(status, 503)
    assert.lengthOf(gone.refreshes(), 3)
  })
)

it.live("who gives a call up while its token is renewed does not take it from the others", () =>
  Effect.gen(function* () {
    const saving = yield* Latch.make()
    const saved = yield* Latch.make()
    const { refreshes, server } = yield* service()
    const { client } = keeping(server.url, {}, () => Effect.runPromise(Effect.andThen(saving.open, saved.await)))
    const leaving = new AbortController()
    const left = client.store.get({ signal: leaving.signal })
    const stayed = client.store.get()
    yield* saving.await
    leaving.abort(new Error("The page was closed"))
    assert.strictEqual(yield* rejection(left), leaving.signal.reason)
    yield* saved.open
    yield* Effect.promise(() => stayed)
    assert.lengthOf(refreshes(), 1)
  })
)
