import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { AgentClients, MAX_REGISTRATIONS, MAX_WAITING } from "../../../src/domain/oauth/AgentClients.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { OpenedClients } from "../../support/oauth/ClientDocuments.ts"

const HELPER = { name: "Helper", website: null, logoUrl: null, redirectUris: ["http://127.0.0.1/callback"] }

const register = (address: string) => Effect.flatMap(AgentClients, (clients) => clients.register(HELPER, address))

const withoutConsent = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly id: string }>`select client_id as id from agent_clients where ends_at is not null`
).pipe(Effect.map((rows) => rows.map(({ id }) => id)))

layer(OpenedClients.pipe(Layer.provideMerge(PostgresTest)), { excludeTestServices: true, timeout: "60 seconds" })(
  "Client registrations",
  (it) => {
    it.effect("a registered client is found by its id", () =>
      Effect.gen(function* () {
        const clients = yield* AgentClients
        const id = yield* register(randomUUID())
        assert.deepInclude(yield* clients.find(id), { ...HELPER, clientId: id, isPublic: true })
      })
    )

    it.effect("concurrent registrations of one address fail above the limit; other addresses may register", () =>
      Effect.gen(function* () {
        const flood = randomUUID()
        const all = yield* Effect.all(
          Array.from({ length: MAX_REGISTRATIONS * 3 }, () => Effect.result(register(flood))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          all.filter(({ _tag }) => _tag === "Success"),
          MAX_REGISTRATIONS
        )
        yield* register(randomUUID())
      })
    )

    it.effect("a client without consent expires, and one with consent does not", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const clients = yield* AgentClients
        const [old, agreed, young] = yield* Effect.replicateEffect(register(randomUUID()), 3)
        yield* sql`update agent_clients set ends_at = now() where client_id = ${String(old)}`
        yield* sql`update agent_clients set ends_at = null, consented_at = now() where client_id = ${String(agreed)}`
        assert.strictEqual(
          (yield* Effect.flip(clients.find(old ?? assert.fail("There is one")))).message.slice(0, 10),
          "The client"
        )
        assert.strictEqual(yield* clients.purge, 1)
        yield* clients.find(agreed ?? assert.fail("There is one"))
        yield* clients.find(young ?? assert.fail("There is one"))
      })
    )

    it.effect("a registration above the maximum replaces the client that expires first", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          insert into agent_clients (client_id, name, redirect_uris, ends_at)
          select 'waiting-' || n, 'Waits', '{}', now() + n * interval '1 second' from generate_series(1, ${MAX_WAITING}) n
        `
        const id = yield* register(randomUUID())
        const left = yield* withoutConsent
        assert.lengthOf(left, MAX_WAITING)
        assert.include(left, id)
        assert.notInclude(left, "waiting-1")
      })
    )
  }
)
