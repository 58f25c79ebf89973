import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { LookupFunction } from "node:net"
import { AgentClients } from "../../../src/domain/oauth/AgentClients.ts"
import { ClientId } from "../../../src/domain/oauth/Clients.ts"
import { NO_HOSTS } from "../../../src/domain/webhooks/AllowedHosts.ts"
import { agentClients } from "../../../src/layers/oauth/AgentClients.ts"
import { described, documentHost, documentOf, OPENED, OpenedClients } from "../../support/oauth/ClientDocuments.ts"
import { watchConnects } from "../../support/webhooks/Connects.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { type Answer, respondWith, pollUntil } from "../../support/webhooks/RawReceiver.ts"

const find = (id: string) => Effect.flatMap(AgentClients, (clients) => clients.find(ClientId.make(id)))
const errorOf = (id: string) => Effect.map(Effect.flip(find(id)), ({ message }) => message)

/** Serves a valid document with the changes of a case. */
const documentWith = (more: object) => (id: string) => documentOf(described(id, more))

const redirects = (...uris: ReadonlyArray<unknown>) => documentWith({ redirect_uris: uris })

/** Invalid documents and the reason in the error. */
const INVALID: Readonly<Record<string, readonly [answer: (id: string) => Answer, reason: RegExp]>> = {
  "returns 404": [() => respondWith("HTTP/1.1 404 No", "content-length: 0", "", ""), /status 404/],
  redirects: [
    (id) => respondWith("HTTP/1.1 302 Found", `location: ${id}`, "content-length: 0", "", ""),
    /redirects are not followed/
  ],
  "is an HTML page": [
    () => respondWith("HTTP/1.1 200 OK", "content-type: text/html", "content-length: 2", "", "{}"),
    /Content-Type/
  ],
  "is not valid JSON": [
    () => respondWith("HTTP/1.1 200 OK", "content-type: application/json", "content-length: 1", "", "{"),
    /not valid JSON/
  ],
  "is not a JSON object": [() => documentOf(["a"]), /not a JSON object/],
  "is longer than 16 KiB": [documentWith({ client_name: "x".repeat(20_000) }), /longer than 16384 bytes/],
  "has the client_id of another URL": [
    () => documentOf(described("https://example.com/client.json")),
    /client_id must be the URL/
  ],
  "has no client_id": [() => documentOf({ redirect_uris: ["https://example.com/"] }), /client_id must be the URL/],
  "has a secret": [documentWith({ client_secret: "s" }), /must be none/],
  "authenticates with a secret": [documentWith({ token_endpoint_auth_method: "client_secret_basic" }), /must be none/],
  "authenticates with a key": [documentWith({ token_endpoint_auth_method: "private_key_jwt" }), /must be none/],
  "does not use authorization codes": [
    documentWith({ grant_types: ["implicit"] }),
    /grant_types must contain authorization_code/
  ],
  "has a name with a bidirectional override": [documentWith({ client_name: "\u202Eteg" }), /client_name/],
  "has no redirect URI": [redirects(), /redirect_uris must be a list/],
  "has a javascript: redirect URI": [redirects("javascript:alert(1)"), /The redirect URI /],
  "has a redirect URI without TLS": [
    redirects("http://example.com/"),
    /The redirect URI http:\/\/example\.com\/ must begin with https/
  ],
  "has a redirect URI with a private address": [redirects("https://10.0.0.1/"), /The redirect URI /],
  "has a redirect URI with a private host name": [redirects("https://router.local/"), /The redirect URI /],
  "has a redirect URI with a fragment": [redirects("http://127.0.0.1/#a"), /The redirect URI /],
  "has a redirect URI with a password": [redirects("https://a:b@example.com/"), /The redirect URI /],
  "has a redirect URI with a line break": [redirects("https://example.com/\r\nx: y"), /The redirect URI /]
}

/** Resolves every host name to this machine. */
const resolveToLoopback: LookupFunction = (_, { all }, callback) =>
  all === true ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4)

layer(OpenedClients.pipe(Layer.provideMerge(PostgresTest)), { excludeTestServices: true, timeout: "60 seconds" })(
  "Client metadata document",
  (it) => {
    it.effect("a client has the metadata of its document", () =>
      Effect.gen(function* () {
        const host = yield* documentHost(
          documentWith({ client_uri: "https://example.com/", logo_uri: "http://example.com/logo.png", scope: "all" })
        )
        assert.deepStrictEqual(yield* find(host.id), {
          clientId: ClientId.make(host.id),
          name: "Helper",
          website: "https://example.com/",
          logoUrl: null,
          redirectUris: ["http://127.0.0.1/callback"],
          isPublic: true,
          of: { _tag: "AgentClient" }
        })
        assert.include(host.requests[0], `GET ${host.path} HTTP/1.1`)
      })
    )

    it.effect("a client metadata document is cached for its max-age and then read again", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const host = yield* documentHost((id) => documentOf(described(id), "cache-control: public, max-age=3600"))
        yield* find(host.id)
        host.answerWith(documentOf(described(host.id, { client_name: "Renamed" })))
        assert.strictEqual((yield* find(host.id)).name, "Helper")
        assert.lengthOf(host.requests, 1)
        const [row] = yield* sql<{ readonly seconds: number }>`
          select extract(epoch from fresh_until - created_at)::float8 as seconds from agent_clients
          where client_id = ${host.id}
        `
        assert.closeTo(row?.seconds ?? 0, 3600, 5)
        yield* sql`update agent_clients set fresh_until = now() where client_id = ${host.id}`
        assert.strictEqual((yield* find(host.id)).name, "Renamed")
        assert.lengthOf(host.requests, 2)
      })
    )

    for (const [name, [answer, reason]] of Object.entries(INVALID)) {
      it.effect(`a client is unknown while its metadata document ${name}`, () =>
        Effect.gen(function* () {
          const host = yield* documentHost(answer)
          assert.match(yield* errorOf(host.id), reason)
          host.answerWith(documentOf(described(host.id)))
          assert.strictEqual((yield* find(host.id)).name, "Helper")
        })
      )
    }

    it.effect("a client is unknown if its metadata document times out, and the socket is closed", () =>
      Effect.gen(function* () {
        const host = yield* documentHost(() => (socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-"))
        const withShortTimeout = yield* Layer.build(Layer.fresh(agentClients({ ...OPENED, timeoutMillis: 300 })))
        assert.match(yield* Effect.provide(errorOf(host.id), withShortTimeout), /within 0.3 seconds/)
        assert.isTrue(yield* pollUntil(() => host.sockets.every((socket) => socket.destroyed)))
      })
    )

    it.effect("a client id must be a normalized https URL with a path", () =>
      Effect.gen(function* () {
        for (const [id, reason] of [
          ["https://localhost/", "must have a path"],
          ["https://LOCALHOST/client.json", "must be written as https://localhost/client.json"],
          ["https://localhost/a/../client.json", "must be written as https://localhost/client.json"],
          ["https://localhost/client.json#a", "must not have a fragment"],
          ["https://a:b@localhost/client.json", "must not contain a user name"]
        ] as const) {
          assert.include(yield* errorOf(id), reason)
        }
        assert.include(yield* errorOf("http://localhost/client.json"), "The client is unknown")
      })
    )

    it.effect("client metadata documents are not read from private addresses or names that resolve to them", () =>
      Effect.gen(function* () {
        const connects = yield* watchConnects
        const host = yield* documentHost((id) => documentOf(described(id)))
        const withGuard = yield* Layer.build(
          Layer.fresh(agentClients({ ...OPENED, allowed: NO_HOSTS, lookup: resolveToLoopback }))
        )
        const ids = ["localhost", "127.0.0.1", "[::1]", "169.254.169.254", "inner.example.com"].map(
          (name) => `https://${name}:${host.port}/client.json`
        )
        for (const id of ids) {
          assert.match(
            yield* Effect.provide(errorOf(id), withGuard),
            /not public|public addresses only|private networks/
          )
        }
        assert.deepStrictEqual(
          { sockets: host.sockets.length, ...connects },
          { sockets: 0, attempted: [], offered: [] }
        )
      })
    )
  }
)
