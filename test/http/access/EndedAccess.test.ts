import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { request as sendRequest } from "node:http"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { ApiTest, baseUrl, freshClient, install } from "../../support/http/Api.ts"
import { createProduct, startOf } from "../../support/http/Feed.ts"
import { performIn, suspend } from "../../support/data/Writes.ts"
import { freshAgent, messageOf, META } from "../../support/rpc/Mcp.ts"
import { agentOf, clientOf, freshMember, memberOf, newKey, sessionOf } from "../../support/rpc/Rpc.ts"

type Installed = Effect.Success<ReturnType<typeof install>>["installation"]

/** Milliseconds until a waiting request is answered: a check every 500, and a busy machine. */
const SOON = 3_000

/** Ends access, and asserts that a request that waited for it is answered soon. */
const answeredSoon = <A, E, R, E2, R2>(request: Effect.Effect<A, E, R>, end: Effect.Effect<unknown, E2, R2>) =>
  Effect.gen(function* () {
    const waiting = yield* Effect.forkChild(request)
    yield* end
    const endedAt = performance.now()
    const answer = yield* Fiber.join(waiting)
    assert.isBelow(performance.now() - endedAt, SOON)
    return answer
  })

const withScopes = (scopes: ReadonlyArray<string>) => (installation: Installed) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update installations set scopes = ${[...scopes]} where store_id = ${installation.storeId} and id = ${installation.id}
    `
  )

const uninstall = ({ id, storeId }: Installed) =>
  Effect.gen(function* () {
    const perform = yield* performIn(storeId)
    const installations = yield* Installations
    yield* perform(installations.uninstall(storeId, id))
  })

const revokeTokens = ({ id }: Installed) => Effect.flatMap(Tokens, ({ revoke }) => revoke(id))

/** Ends the sessions of a merchant, but not that of the client. */
const endSessions = (client: Effect.Success<ReturnType<typeof clientOf>>) =>
  Effect.gen(function* () {
    const sessions = yield* client.sessions.list({})
    for (const { isCurrent, sessionId } of sessions) if (!isCurrent) yield* client.sessions.end({ sessionId })
  })

/** Begins a request with a body that never ends. `received` is done when the service waits for the body. */
const beginBody = Effect.fnUntraced(function* (
  path: string,
  headers: Record<string, string>,
  start: string | Uint8Array
) {
  const base = yield* baseUrl
  const received = yield* Deferred.make<void>()
  const answer = Effect.callback<{ readonly status: number | undefined; readonly text: string }>((resume) => {
    const request = sendRequest(`${base}${path}`, {
      method: "POST",
      headers: {
        "idempotency-key": randomUUID(),
        "transfer-encoding": "chunked",
        expect: "100-continue",
        ...headers
      }
    })
    request.on("continue", () => {
      request.write(start)
      Deferred.doneUnsafe(received, Effect.void)
    })
    request.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk))
      response.on("end", () => {
        resume(Effect.succeed({ status: response.statusCode, text }))
        request.destroy()
      })
    })
    request.on("error", () => undefined)
    request.flushHeaders()
    return Effect.sync(() => request.destroy())
  })
  return { answer, received: Deferred.await(received) }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Access that ends during a request", (it) => {
  it.effect.each([
    ["suspension", suspend, 403],
    ["uninstallation", uninstall, 401],
    ["revocation of its token", revokeTokens, 401],
    ["loss of the scope", withScopes(["read_orders"]), 403]
  ] as const)("a request that waits for changes ends with the %s of its installation", ([, end, status]) =>
    Effect.gen(function* () {
      const { client, installation, storeId } = yield* freshClient()
      const { client: other } = yield* install(storeId)
      const after = yield* startOf(client)
      const answer = yield* answeredSoon(
        client.get(`/changes?after=${after}&wait=30&include=document`),
        Effect.gen(function* () {
          // The waiting request is admitted before this one.
          yield* client.get("/store")
          yield* end(installation)
          yield* createProduct(other, { name: "Written afterwards" })
        })
      )
      assert.strictEqual(answer.status, status, answer.text)
    })
  )

  it.effect("a request that waits ends with its right although nothing changes", () =>
    Effect.gen(function* () {
      const { client, installation } = yield* freshClient()
      const after = yield* startOf(client)
      const answer = yield* answeredSoon(
        client.get(`/changes?after=${after}&wait=30`),
        Effect.andThen(client.get("/store"), suspend(installation))
      )
      assert.strictEqual(answer.status, 403, answer.text)
    })
  )

  it.effect("a procedure that waits for changes ends with the session or the agent", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const { nextPosition: after } = yield* client.changes.list({ storeId })
      const { client: leaving, email } = yield* memberOf(storeId)
      const wait = { storeId, after, wait: 30 }

      const elsewhere = yield* clientOf(yield* sessionOf(email))
      const session = yield* answeredSoon(Effect.flip(leaving.changes.list(wait)), endSessions(elsewhere))
      assert.strictEqual(session._tag, "NotSignedIn")

      const agent = yield* agentOf({ client, storeId })
      const revoked = yield* answeredSoon(
        Effect.flip(agent.client.changes.list(wait)),
        client.agents.revoke({ storeId, id: agent.id, idempotencyKey: newKey() })
      )
      assert.strictEqual(revoked._tag, "InvalidToken")
    })
  )

  it.effect("a tool that waits for a job is answered when its agent is revoked", () =>
    Effect.gen(function* () {
      const { agent, client, storeId, token } = yield* freshAgent()
      const base = yield* baseUrl
      // No job runner runs here, so the preview never ends.
      const { body, headers } = messageOf("tools/call", {
        name: "changeSets_create",
        arguments: {
          idempotencyKey: randomUUID(),
          mode: "each",
          operations: [{ op: "product.create", product: { name: "Cup" } }]
        },
        _meta: { ...META, progressToken: 1 }
      })
      const sent = { ...headers, accept: "application/json, text/event-stream", authorization: `Bearer ${token}` }
      const response = yield* Effect.promise(() => fetch(`${base}/mcp`, { method: "POST", body, headers: sent }))
      const text = yield* answeredSoon(
        Effect.promise(() => response.text()),
        client.agents.revoke({ storeId, id: agent.id, idempotencyKey: newKey() })
      )
      assert.include(text, "previewing")
    })
  )

  const bytes = { "content-type": "application/octet-stream" }
  const ndjson = { "content-type": "application/x-ndjson" }
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47])
  const settings = { kind: "products", format: "shopify" }

  it.effect.each([
    ["file", "/api/platform/v1/files", bytes, png],
    ["change set", "/api/platform/v1/change-sets", ndjson, '{"mode":"each"}\n']
  ] as const)("the reception of a %s ends with the suspension of its installation", ([, path, headers, start]) =>
    Effect.gen(function* () {
      const { client, installation } = yield* freshClient()
      const { answer, received } = yield* beginBody(
        path,
        { ...headers, authorization: `Bearer ${client.token}` },
        start
      )
      const end = Effect.gen(function* () {
        yield* received
        // The upload is admitted before this one.
        yield* client.get("/store")
        yield* suspend(installation)
      })
      const { status, text } = yield* answeredSoon(answer, end)
      assert.strictEqual(status, 403, text)
    })
  )

  it.effect.each([
    ["import", "/rpc/imports", "Handle", (storeId: string) => ({ import: JSON.stringify({ storeId, settings }) })],
    ["picture", "/rpc/files", png, (storeId: string) => ({ storeId, name: "A" })]
  ] as const)("the reception of an uploaded %s ends with the session", ([, path, start, query]) =>
    Effect.gen(function* () {
      const { cookie, email, storeId } = yield* freshMember()
      const base = yield* baseUrl
      const { answer, received } = yield* beginBody(
        `${path}?${new URLSearchParams(query(storeId)).toString()}`,
        { ...bytes, cookie, origin: base },
        start
      )
      const elsewhere = yield* clientOf(yield* sessionOf(email))
      const { status, text } = yield* answeredSoon(answer, Effect.andThen(received, endSessions(elsewhere)))
      assert.strictEqual(status, 401, text)
    })
  )
})
