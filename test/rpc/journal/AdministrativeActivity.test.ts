import { assert, layer } from "@effect/vitest"
import { Effect, Schema, SchemaAST, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { hash } from "node:crypto"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { EventId } from "../../../src/domain/Events.ts"
import { Idempotency } from "../../../src/domain/Idempotency.ts"
import type { ActivityEntry } from "../../../src/domain/journal/Activity.ts"
import { AdministeredKind } from "../../../src/domain/journal/Kinds.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Client, performed } from "../../../src/rpc/Client.ts"
import { makeActivityHandlers } from "../../../src/rpc/handlers/Activity.ts"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { administrationScene, calls } from "../../support/rpc/Administered.ts"
import { followerAt } from "../../support/rpc/Follower.ts"
import { callTool } from "../../support/rpc/Mcp.ts"
import { PASSWORD } from "../../support/rpc/Merchants.ts"
import { agentOf, asAgent, callLine, exitsOf, freshMember, memberOf, newKey, post } from "../../support/rpc/Rpc.ts"
import { contextOf, MERCHANT } from "../../support/data/Writes.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const Created = Schema.Struct({ id: Schema.String, token: Schema.optional(Schema.String) })

/**
 * Writes without an entry: redelivery, decisions on a proposal, which it records itself, change sets, exports, files, and views,
 * which only their owner may know. A collection made from a view has the entry of a collection.
 */
const NOT_JOURNALED = new Set([
  "deliveries.redeliver",
  "proposals.approve",
  "proposals.reject",
  "proposals.withdraw",
  "changeSets.create",
  "changeSets.apply",
  "changeSets.cancel",
  "changeSets.undo",
  "views.create",
  "views.update",
  "views.delete",
  "views.toCollection",
  "exports.create",
  "files.fetch",
  "files.update",
  "files.delete"
])

/** Procedures that write in a store and, unlike those of the catalog, have no dry run. */
const ADMINISTRATIVE = [...Rpcs.requests.values()].flatMap(({ _tag, payloadSchema }) => {
  const names = new Set(
    SchemaAST.isObjects(payloadSchema.ast) ? payloadSchema.ast.propertySignatures.map(({ name }) => name) : []
  )
  const isWrite = names.has("storeId") && names.has("idempotencyKey") && !names.has("dryRun")
  return isWrite && !NOT_JOURNALED.has(_tag) ? [_tag] : []
})

const FOR_OWNERS: ReadonlySet<string> = new Set(["member", "subscription", "invitation"])

const entriesOf = (client: Client, storeId: StoreId) =>
  Effect.map(client.activity.list({ storeId, limit: 200 }), ({ items }) => items)

const kindsOf = (entries: ReadonlyArray<ActivityEntry>) => new Set(entries.map(({ resource }) => resource))

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Administrative activity", (it) => {
  it.effect("each administrative procedure adds one entry without secrets; a repeated call adds none", () =>
    Effect.gen(function* () {
      const owner = yield* administrationScene
      const { client, cookie, guest, merchantId, storeId } = owner
      const sql = yield* SqlClient.SqlClient
      const call = (tag: string, payload: object, key: string) =>
        Effect.map(
          post(callLine(tag, { storeId, idempotencyKey: key, ...payload }), { cookie, "x-request-id": "trace/1" }),
          ({ text }) => [...exitsOf(text).values()][0]
        )
      let agent = ""
      const all = calls(owner)
      assert.deepStrictEqual(
        [...new Set(all.map((makeCall) => makeCall("").tag))].toSorted(),
        ADMINISTRATIVE.toSorted(),
        "The table has every administrative procedure"
      )

      let secret = ""
      for (const makeCall of all) {
        const { after, request: payload, before, isAnew = false, resource, resourceId, tag } = makeCall(agent)
        const existing = yield* entriesOf(client, storeId)
        const key = newKey()
        const exit = yield* call(tag, payload, key)
        assert.strictEqual(exit?._tag, "Success", tag)
        if (tag === "agents.create" && exit?._tag === "Success") {
          const { id, token } = Schema.decodeUnknownSync(Created)(exit.value)
          agent = id
          secret = token ?? ""
        }
        const [entry, ...others] = yield* entriesOf(client, storeId)
        assert.deepStrictEqual(others, [...existing], `${tag} adds one entry`)
        assert.deepInclude(
          entry,
          {
            actor: { type: "merchant", id: merchantId },
            surface: "rpc",
            resource,
            versions: { before: null, after: null },
            idempotencyKey: key,
            requestId: "trace/1",
            hops: 0,
            omitted: [],
            undoes: null
          },
          tag
        )
        if (resourceId !== undefined) assert.strictEqual(entry?.resourceId, resourceId, tag)
        const isUpdate = before !== null && after !== null && resource !== "subscription"
        for (const [side, expected] of [[entry?.before, before] as const, [entry?.after, after] as const]) {
          if (expected === null || isUpdate) assert.deepStrictEqual(side, expected, tag)
          else assert.deepInclude(side, expected, tag)
        }

        yield* call(tag, payload, key)
        assert.lengthOf(yield* entriesOf(client, storeId), existing.length + 1, `${tag} with the same key`)
        if (!isAnew) yield* call(tag, payload, newKey())
        assert.lengthOf(yield* entriesOf(client, storeId), existing.length + 1, `${tag} with another key`)
      }

      const rows = yield* sql<{ readonly row: string }>`
        select to_jsonb(j)::text as row from journal j where store_id = ${storeId}
      `
      const text = rows.map(({ row }) => row).join("\n")
      const secretHash = hash("sha256", secret, "hex")
      for (const value of [secret, secretHash, guest.email, PASSWORD, "@example.com", "token", "password"]) {
        assert.notInclude(text, value)
      }
    })
  )

  it.effect("a rejected call or a dry run adds no entry", () =>
    Effect.gen(function* () {
      const { basic, client, merchantId, storeId, installationId } = yield* administrationScene
      const stores = yield* Stores
      const { once } = yield* Idempotency
      const keyed = () => ({ storeId, idempotencyKey: newKey() })
      const before = yield* entriesOf(client, storeId)
      yield* Effect.flip(client.members.leave({ ...keyed(), merchantId }))
      yield* Effect.flip(client.billing.cancel({ ...keyed(), installationId }))
      yield* Effect.flip(client.billing.change({ ...keyed(), installationId, planId: basic }))
      const dryRun = yield* once(
        { ...contextOf(storeId, MERCHANT), mode: "dryRun" },
        { key: newKey(), fingerprint: new Uint8Array(32) },
        stores.updateSettings(storeId, { name: "Another" }),
        ({ name }) => name
      )
      assert.deepInclude(dryRun, {
        text: "Another",
        dryRun: { dryRun: true, events: [], collections: null }
      })
      assert.deepStrictEqual(yield* entriesOf(client, storeId), before)
    })
  )

  it.effect("staff cannot read entries of members and subscriptions; agents and other stores cannot read any", () =>
    Effect.gen(function* () {
      const { basic, client, installationId, storeId, ...owner } = yield* administrationScene
      const outsider = yield* freshMember()
      const staff = yield* memberOf(storeId, "staff")
      const agent = yield* agentOf({ client, storeId, ...owner })
      const { "activity.get": get, "activity.list": list } = yield* makeActivityHandlers
      const keyed = () => ({ storeId, idempotencyKey: newKey() })
      yield* client.settings.update({ ...keyed(), settings: { name: "Shop" } })
      const { id } = yield* client.billing.subscribe({ ...keyed(), installationId, planId: basic })
      yield* client.products.create({ ...keyed(), product: toProduct({ name: "Cup" }) })

      const all = yield* entriesOf(client, storeId)
      assert.deepStrictEqual(kindsOf(all), new Set(["product", ...AdministeredKind.literals]))
      const staffEntries = yield* entriesOf(staff.client, storeId)
      assert.deepStrictEqual(
        staffEntries,
        all.filter(({ resource }) => !FOR_OWNERS.has(resource))
      )
      for (const resource of AdministeredKind.literals) {
        const ofKind = all.filter((entry) => entry.resource === resource)
        assert.deepStrictEqual((yield* client.activity.list({ storeId, resource })).items, ofKind)
        const isForOwners = FOR_OWNERS.has(resource)
        const entry = ofKind[0] ?? assert.fail(resource)
        const staffRequests = {
          list: staff.client.activity.list({ storeId, resource }),
          get: staff.client.activity.get({ storeId, id: entry.id })
        }
        if (isForOwners) {
          assert.strictEqual((yield* Effect.flip(Effect.asVoid(staffRequests.list)))._tag, "OwnersOnly")
          assert.strictEqual((yield* Effect.flip(Effect.asVoid(staffRequests.get)))._tag, "OwnersOnly")
        } else {
          assert.deepStrictEqual((yield* staffRequests.list).items, ofKind)
          assert.deepStrictEqual(yield* staffRequests.get, entry)
        }
        assert.deepInclude(yield* asAgent(storeId, ["read_products"])(list, { resource }), { _tag: "AgentRefused" })
        assert.deepInclude(yield* asAgent(storeId, ["read_products"])(get, { id: entry.id }), {
          _tag: "AgentRefused"
        })
        const fromOtherStore = Effect.flip(
          Effect.asVoid(outsider.client.activity.get({ storeId: outsider.storeId, id: entry.id }))
        )
        assert.strictEqual((yield* fromOtherStore)._tag, "EntryNotFound")
      }
      assert.deepStrictEqual(kindsOf(yield* entriesOf(agent.client, storeId)), new Set(["product"]))
      const { structuredContent } = yield* callTool(agent.token ?? "", "activity_list", {})
      assert.deepStrictEqual(JSON.stringify(structuredContent).match(/"resource":"\w+"/g), ['"resource":"product"'])
      const tool = yield* callTool(agent.token ?? "", "activity_list", { resource: "agent" })
      assert.isTrue(tool.isError)
      assert.strictEqual((yield* entriesOf(outsider.client, outsider.storeId)).length, 1)

      const names = yield* staff.client.activity.names({ storeId, ids: [id, installationId, agent.id] })
      assert.sameDeepMembers(
        [...names],
        [
          { id, name: "An app", changes: null },
          { id: installationId, name: "An app", changes: null },
          { id: agent.id, name: "Helper", changes: null }
        ]
      )
    })
  )

  it.effect("administrative entries cannot be undone, are skipped by undoSpan and are not in the change stream", () =>
    Effect.gen(function* () {
      const { basic, client, cookie, installationId, merchantId, storeId, ...owner } = yield* administrationScene
      const agent = yield* agentOf({ client, storeId, ...owner })
      const keyed = () => ({ storeId, idempotencyKey: newKey() })
      const since = new Date(Date.now() - 60_000).toISOString()
      yield* client.settings.update({ ...keyed(), settings: { name: "Shop" } })
      const cup = yield* performed(client.products.create({ ...keyed(), product: toProduct({ name: "Cup" }) }))
      yield* client.billing.subscribe({ ...keyed(), installationId, planId: basic })
      const entries = yield* entriesOf(client, storeId)
      for (const resource of AdministeredKind.literals) {
        const { id } = entries.find((entry) => entry.resource === resource) ?? assert.fail(resource)
        const error = yield* Effect.flip(Effect.asVoid(client.activity.undo({ ...keyed(), id })))
        assert.deepInclude(error, { _tag: "NotUndoable", id, resource })
        assert.match(error.message, /revert entry \S+ by hand, under the store's \w+/)
        assert.strictEqual((yield* Effect.flip(agent.client.activity.undo({ ...keyed(), id })))._tag, "EntryNotOwn")
      }

      const until = new Date(Date.now() + 60_000).toISOString()
      const { undone } = yield* performed(client.activity.undoSpan({ ...keyed(), actorId: merchantId, since, until }))
      assert.deepStrictEqual(
        undone.map(({ resource, resourceId }) => [resource, resourceId]),
        [["product", cup.id]]
      )
      assert.strictEqual((yield* client.store.get({ storeId })).name, "Shop")

      const first = entries.at(-1)?.id ?? assert.fail("There are no entries")
      const { changes } = yield* followerAt(yield* baseUrl, cookie)
      const streamed = yield* Stream.runCollect(Stream.take(changes({ storeId, after: EventId.make(first) }), 2))
      assert.deepStrictEqual(
        streamed.map((change) => ("kind" in change ? [change.resourceId, change.kind] : [])),
        [
          [cup.id, "created"],
          [cup.id, "deleted"]
        ]
      )
    })
  )
})
