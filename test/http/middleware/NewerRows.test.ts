import { assert, layer } from "@effect/vitest"
import { Effect, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { EventId } from "../../../src/rpc/Client.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import { IsolatedApiTest, baseUrl, type Client, dataOf, freshClient, install } from "../../support/http/Api.ts"
import { scene } from "../../support/oauth/Scene.ts"
import { statusOf, tokensOf } from "../../support/oauth/Oauth.ts"
import { agentOf, callLine, exitsOf, freshMember, memberOf, postTo } from "../../support/rpc/Rpc.ts"
import { followerOf } from "../../support/http/Sockets.ts"

const times = (n: number) => Array.from({ length: n }, (_, index) => index)

const statusesOf = (path: string) => (client: Client) =>
  Effect.forEach(times(8), () => Effect.map(client.get(path), ({ status }) => status), { concurrency: "unbounded" })

/** Sends concurrent requests, which share admission statements, and collects the statuses of each side. */
const sendConcurrently = (one: Client, others: ReadonlyArray<Client>, path = "/products") =>
  Effect.map(
    Effect.all([statusesOf(path)(one), Effect.forEach(others, statusesOf(path), { concurrency: "unbounded" })], {
      concurrency: "unbounded"
    }),
    ([single, rest]) => ({ single: [...new Set(single)], rest: [...new Set(rest.flat())] })
  )

const call = (base: string, headers: Record<string, string>, tag: string, payload: unknown) =>
  Effect.map(postTo(base, callLine(tag, payload), headers), ({ text }) => exitsOf(text).get("1")?._tag)

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Rows of a newer release", (it) => {
  it.effect("an installation has its known scopes; others in the same statement are unaffected", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const others = yield* Effect.forEach(times(3), () => freshClient())
      const { client, installation } = yield* freshClient({ scopes: ["read_products"], capabilities: [] })
      yield* sql`
        update installations set scopes = scopes || '{read_shipping}', capabilities = '{fulfillment}'
        where id = ${installation.id}
      `
      const clients = others.map((other) => other.client)
      assert.deepStrictEqual(yield* sendConcurrently(client, clients), { single: [200], rest: [200] })
      assert.deepStrictEqual(yield* sendConcurrently(client, clients, "/collections"), { single: [403], rest: [200] })
    })
  )

  it.effect("a row that cannot be decoded or counted fails only its own requests", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const others = yield* Effect.forEach(times(3), () => freshClient())
      const { client, installation } = yield* freshClient()
      const clients = others.map((other) => other.client)
      yield* sql`update installations set scopes = array[null, 'read_products'] where id = ${installation.id}`
      assert.deepStrictEqual((yield* sendConcurrently(client, clients)).rest, [200])
      // A null hit makes the admission statement itself fail.
      yield* sql`update rate_windows set hits = array[null, 1]::bigint[] where installation_id = ${installation.id}`
      assert.deepStrictEqual(yield* sendConcurrently(client, clients), { single: [500], rest: [200] })
    })
  )

  it.effect("agents have their known scopes and merchants their known roles; others are unaffected", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const base = yield* baseUrl
      const owner = yield* freshMember()
      const { storeId } = owner
      const [agent, other] = [yield* agentOf(owner), yield* agentOf(owner)]
      const guest = yield* memberOf(storeId, "staff")
      yield* sql`alter table members drop constraint members_role_check`
      yield* sql`update members set role = 'accountant' where merchant_id = ${guest.merchantId}`
      yield* sql`update agents set scopes = '{read_products,read_shipping}' where id = ${agent.id}`
      const payload = { storeId, limit: 1 }
      const callers = [
        [{ authorization: agent.authorization }, "Success"],
        [{ authorization: other.authorization }, "Success"],
        [{ cookie: owner.cookie }, "Success"],
        [{ cookie: guest.cookie }, "Failure"]
      ] as const
      yield* Effect.forEach(
        times(32),
        (n) => {
          const [headers, expected] = callers[n % 4] ?? callers[0]
          return Effect.map(call(base, headers, "products.list", payload), (tag) => assert.strictEqual(tag, expected))
        },
        { concurrency: "unbounded" }
      )
      assert.strictEqual(
        yield* call(base, { authorization: agent.authorization }, "collections.list", payload),
        "Failure"
      )
      const { client } = owner
      assert.deepInclude(
        (yield* client.agents.list({ storeId, limit: 10 })).items.find(({ id }) => id === agent.id),
        { scopes: ["read_products"] }
      )
      const members = yield* client.members.list({ storeId })
      assert.notInclude(
        members.map(({ merchantId }) => merchantId),
        guest.merchantId
      )
      assert.include(
        members.map(({ merchantId }) => merchantId),
        owner.merchantId
      )
      assert.deepStrictEqual((yield* guest.client.account.get({})).stores, [])
    })
  )

  it.effect("apps and installations with unknown scopes are listed and can get tokens", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agree, app, base, refresh, storeId, token } = yield* scene()
      const code = yield* agree(app)
      yield* changeGlobally(
        (sql) => sql`
        update apps set scopes = scopes || '{read_shipping}', capabilities = capabilities || '{fulfillment}'
        where id = ${app.appId}
      `
      )
      yield* sql`
        update installations set scopes = scopes || '{read_shipping}', capabilities = capabilities || '{fulfillment}'
        where app_id = ${app.appId}
      `
      const tokens = tokensOf(yield* token(code))
      assert.notInclude(tokens.scope, "read_shipping")
      const again = tokensOf(yield* refresh(tokens.refresh_token))
      assert.strictEqual(yield* statusOf(base, again.access_token), 200)

      const { list } = yield* Apps
      assert.include(
        (yield* list(10)).map(({ appId }) => appId),
        app.appId
      )
      const installations = yield* Installations
      const listed = yield* installations.list({ storeId: Option.some(storeId), appId: Option.none(), limit: 10 })
      assert.deepStrictEqual(
        listed.map(({ appId }) => appId),
        [app.appId]
      )
      const member = yield* memberOf(storeId)
      const { items } = yield* member.client.installations.list({ storeId, limit: 10 })
      assert.deepStrictEqual(
        items.map(({ scopes }) => scopes),
        [app.declared.scopes]
      )
    })
  )

  it.effect("an unreadable journal entry is skipped in the change stream of its store", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { cookie, storeId } = yield* freshMember()
      const { client } = yield* install(storeId)
      const ids = yield* Effect.forEach(times(3), (n) =>
        Effect.map(client.post("/products", { name: `Cup ${n}` }), (created) => String(dataOf(created)["id"]))
      )
      const [first, second, third] = ids
      // A trigger rejects updates of the journal.
      yield* sql.withTransaction(
        Effect.andThen(
          sql`set local session_replication_role = replica`,
          sql`update journal set surface = 'fax' where store_id = ${storeId} and resource_id = ${second ?? ""}`
        )
      )
      const [entry] = yield* sql<{ readonly id: string }>`
        select id from journal where store_id = ${storeId} and resource_id = ${first ?? ""}
      `
      const { changes } = yield* followerOf(cookie)
      const nextChange = Stream.take(changes({ storeId, after: EventId.make(entry?.id ?? "") }), 1)
      assert.deepStrictEqual(
        (yield* Stream.runCollect(nextChange)).map(({ resourceId }) => resourceId),
        [third]
      )
    })
  )
})
