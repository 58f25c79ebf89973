import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UpdateSettings } from "../../../src/domain/access/Settings.ts"
import { ApiTest, dataOf, install } from "../../support/http/Api.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { callLine, errorOf, freshMember, memberOf, newKey, post } from "../../support/rpc/Rpc.ts"

const toSettings = Schema.decodeUnknownSync(UpdateSettings)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Store settings", (it) => {
  it.effect("an update changes only the named settings, and apps read them at once", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const update = (settings: unknown) =>
        client.settings.update({ storeId, idempotencyKey: newKey(), settings: toSettings(settings) })
      const before = yield* client.store.get({ storeId })

      const values = {
        name: "Tea",
        domain: "tea.example.com",
        timezone: "Europe/Zurich",
        locale: "de-CH",
        country: "CH"
      }
      const changed = { ...before, ...values, weightUnit: "g" as const }
      assert.deepStrictEqual(yield* update({ ...values, weightUnit: "g" }), changed)
      assert.deepStrictEqual(yield* client.store.get({ storeId }), changed)
      const { client: app } = yield* install(storeId)
      assert.deepInclude(dataOf(yield* app.get("/store")), values)

      assert.deepStrictEqual(yield* update({ domain: null, country: null }), {
        ...changed,
        domain: null,
        country: null
      })
      assert.deepStrictEqual(yield* update({ name: "Coffee" }), {
        ...changed,
        domain: null,
        country: null,
        name: "Coffee"
      })
    })
  )

  it.effect("staff can update settings once per idempotency key, and invalid or unknown settings are rejected", () =>
    Effect.gen(function* () {
      const { storeId } = yield* freshMember()
      const { client, cookie } = yield* memberOf(storeId, "staff")
      const request = { storeId, idempotencyKey: newKey(), settings: toSettings({ name: "One" }) }
      const first = yield* client.settings.update(request)
      yield* client.settings.update({ ...request, idempotencyKey: newKey(), settings: toSettings({ name: "Two" }) })
      assert.deepStrictEqual(yield* client.settings.update(request), first)
      assert.strictEqual((yield* client.store.get({ storeId })).name, "Two")

      const invalid = { name: " ", currencyCode: "USD", country: "XX", timezone: "Mars" }
      const { text } = yield* post(callLine("settings.update", { ...request, settings: invalid }), { cookie })
      assert.deepStrictEqual(errorOf(text)?.["issues"], [
        "settings.currencyCode: is not a field that can be set",
        "settings.name: must be text of 1 to 255 characters",
        "settings.timezone: must be a time zone of the IANA database, as in Europe/Berlin",
        "settings.country: must be a country code of ISO 3166, as in DE"
      ])
    })
  )

  it.effect("adding and removing a member runs once per idempotency key, even when sent 16 times concurrently", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, storeId } = yield* freshMember()
      const guest = yield* makeMerchant()
      const joining = { storeId, idempotencyKey: newKey(), email: guest.email, role: "staff" as const }
      const joined = yield* Effect.replicateEffect(client.members.join(joining), 16, { concurrency: "unbounded" })
      for (const result of joined) assert.deepStrictEqual(result, { merchantId: guest.id, role: "staff" })
      const leaving = { storeId, idempotencyKey: newKey(), merchantId: guest.id }
      const left = yield* client.members.leave(leaving)
      yield* client.members.join({ ...joining, idempotencyKey: newKey() })

      // A retry of the removal does not undo the later addition.
      assert.deepStrictEqual(yield* client.members.leave(leaving), left)
      assert.lengthOf(yield* client.members.list({ storeId }), 2)
      const reused = { ...joining, role: "owner" as const }
      assert.strictEqual((yield* Effect.flip(client.members.join(reused)))._tag, "KeyReused")
      assert.lengthOf(yield* sql`select from idempotency_records where store_id = ${storeId}`, 3)
    })
  )
})
