import { assert, layer } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { randomUUID } from "node:crypto"
import { ApiTest } from "../../support/http/Api.ts"
import {
  relativeCosts,
  fillBody,
  INVALID_PRODUCTS,
  MANY_PARTS,
  manyKeys,
  MAX_RELATIVE_COST,
  TOO_MANY_PARTS,
  VALID_PRODUCT
} from "../../support/http/InvalidBodies.ts"
import { callTool, freshAgent, messageOf, send } from "../../support/rpc/Mcp.ts"
import { errorOf, freshMember, post } from "../../support/rpc/Rpc.ts"
import { followFrame, openSocket } from "../../support/http/Sockets.ts"

/** A call. Its payload is JSON text, with `members` inserted before the first member. */
const line = (tag: string, members: string, payload: string) =>
  `{"_tag":"Request","id":"1","tag":"${tag}","payload":{${members}${payload.slice(1)}}\n`

const keyed = () => `"idempotencyKey":"${randomUUID()}",`

/** The tag of the error that a call fails with. */
const tagOf = (headers: Record<string, string>, tag: string, payload: string) =>
  Effect.map(post(line(tag, "", payload), headers), ({ text }) => errorOf(text)?.["_tag"])

/** The issues of an error. */
const issuesOf = (error: unknown): ReadonlyArray<string> =>
  Predicate.hasProperty(error, "issues") && Array.isArray(error.issues) ? error.issues.map(String) : []

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Calls with many invalid fields", (it) => {
  it.effect("an invalid call fails with at most 100 issues, and costs less than 4 times a valid one", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      const inStore = `"storeId":"${storeId}",`
      const key = keyed()
      const calls: Record<string, readonly [body: string, last: string | RegExp]> = {
        "apps.create redirectUris": [
          line(
            "apps.create",
            key,
            fillBody('{"app":{"name":"x","type":"public","scopes":[],"redirectUris":[', "1", "]}}")
          ),
          /app\.redirectUris: must be a list of at most 20 items/
        ],
        "apps.create scopes": [
          line("apps.create", key, fillBody('{"app":{"name":"x","type":"public","scopes":[', "1", "]}}")),
          /app\.scopes: must be a list of at most \d+ items/
        ],
        "appWebhooks.set": [
          line(
            "appWebhooks.set",
            key,
            fillBody(`{"appId":"${randomUUID()}","url":"https://a.example","kinds":[`, "1", "]}")
          ),
          /kinds: must be a list of at most \d+ items/
        ],
        "agents.create": [
          line("agents.create", inStore + key, fillBody('{"agent":{"name":"x","scopes":[', "1", "]}}")),
          /agent\.scopes: must be a list of at most \d+ items/
        ],
        "activity.names": [
          line("activity.names", inStore, fillBody('{"ids":[', "1", "]}")),
          /ids: must be a list of at most 400 ids/
        ],
        "products.summaries": [
          line("products.summaries", inStore, fillBody('{"ids":[', "1", "]}")),
          /ids: must be a list of at most 200 items/
        ],
        "collections.preview": [
          line("collections.preview", inStore, fillBody('{"disjunctive":true,"rules":[', "1", "]}")),
          /rules: must be a list of at most 60 items/
        ],
        "store.get": [line("store.get", inStore, manyKeys("{", 900, "}")), "801 more issues are not listed"]
      }
      const validCall = line("products.create", inStore + key, `{"product":${VALID_PRODUCT}}`)
      const cost = yield* relativeCosts(post(validCall, { cookie }), Object.entries(calls), ([name, [body, last]]) =>
        Effect.map(post(body, { cookie }), ({ text }) => {
          const error = errorOf(text)
          assert.strictEqual(error?.["_tag"], "BadRequest", `${name} ${text.slice(0, 300)}`)
          const lines = issuesOf(error)
          assert.isAtMost(lines.length, 100, name)
          assert.match(lines.at(-1) ?? "", new RegExp(last), name)
        })
      )
      assert.isBelow(cost, MAX_RELATIVE_COST)
      const body = line("products.create", inStore + key, `{"product":${MANY_PARTS["350,000 arrays"]?.json}}`)
      const response = yield* post(body, { cookie })
      assert.strictEqual(response.status, 400)
      assert.deepStrictEqual(JSON.parse(response.text), { error: `The body ${TOO_MANY_PARTS}` })
    })
  )

  it.effect("access is checked before the payload is decoded, over HTTP and WebSocket", () =>
    Effect.gen(function* () {
      const { storeId } = yield* freshMember()
      const outsider = yield* freshMember()
      const agent = yield* freshAgent({ scopes: ["read_products"] })
      const invalid = `{"storeId":"${storeId}","product":1,"idempotencyKey":1,"x":1}`
      const asOutsider = { cookie: outsider.cookie }
      assert.strictEqual(yield* tagOf(asOutsider, "products.create", invalid), "StoreNotFound")
      assert.strictEqual(yield* tagOf(asOutsider, "members.list", invalid), "StoreNotFound")

      const asAgent = { authorization: `Bearer ${agent.token}` }
      const inAgentStore = invalid.replace(storeId, agent.storeId)
      assert.strictEqual(yield* tagOf(asAgent, "products.create", inAgentStore), "AgentScopeMissing")
      assert.strictEqual(yield* tagOf(asAgent, "members.list", inAgentStore), "AgentRefused")
      assert.strictEqual(yield* tagOf(asAgent, "apps.create", '{"app":1}'), "AgentRefused")

      const socket = yield* openSocket({ headers: asOutsider })
      yield* socket.send(followFrame({ storeId, after: 1, x: 1 }))
      const { exit } = yield* socket.next
      assert.include(JSON.stringify(exit), '"_tag":"StoreNotFound"')
      yield* socket.send(followFrame({ storeId: outsider.storeId, after: 1, x: 1 }, "2"))
      assert.include(JSON.stringify(yield* socket.next), '"_tag":"BadRequest"')
    })
  )

  it.effect("an invalid tool call fails with at most 100 issues", () =>
    Effect.gen(function* () {
      const { token } = yield* freshAgent()
      const { json = "", last = "" } = INVALID_PRODUCTS["fields of variants"] ?? {}
      const result = yield* callTool(token, "products_create", {
        idempotencyKey: randomUUID(),
        product: JSON.parse(json)
      })
      assert.isTrue(result.isError)
      const lines = issuesOf(result.structuredContent["error"])
      assert.isAtMost(lines.length, 100)
      assert.match(lines.at(-1) ?? "", new RegExp(last))
      for (const json of [
        MANY_PARTS["90,000 unknown fields"]?.json,
        INVALID_PRODUCTS["text that none may hold"]?.json
      ]) {
        const args = { idempotencyKey: randomUUID(), product: JSON.parse(json ?? "") }
        const { body, headers } = messageOf("tools/call", { name: "products_create", arguments: args })
        const response = yield* send({ body, headers: { ...headers, authorization: `Bearer ${token}` } })
        assert.strictEqual(response.status, 400)
        assert.isBelow(response.text.length, 20_000)
      }
    })
  )
})
