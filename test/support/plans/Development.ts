import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppId, MerchantId } from "../../../src/domain/access/Ids.ts"
import { Developers, type WithSecret } from "../../../src/domain/access/Developers.ts"
import type { Write } from "../../../src/domain/Write.ts"
import { toApp } from "../rpc/Developers.ts"
import { performUnrecorded } from "../data/Writes.ts"

const APP = { name: "App", type: "confidential", scopes: [], redirectUris: ["https://app.example.com/"] }

const idIn = Schema.decodeSync(Schema.fromJsonString(Schema.Struct({ id: AppId })))

const decodeMerchant = Schema.decodeUnknownEffect(Schema.Struct({ id: Schema.toType(MerchantId) }))

/** All procedures of developers about their apps, by name. Each runs once, in order. */
export const development = Effect.fn(function* (
  performOf: <A, E>(account: MerchantId, write: Write<A, E>) => Effect.Effect<unknown, unknown>
) {
  const developers = yield* Developers
  const sql = yield* SqlClient.SqlClient
  const [merchant] = yield* sql`select id from merchants limit 1`
  const { id: account } = yield* decodeMerchant(merchant)
  const created: WithSecret = yield* performUnrecorded(developers.create(account, toApp(APP)))
  const { id } = idIn(created.json)
  const to = { url: "https://app.example.com/", kinds: ["catalog.product.updated.v1"] } as const
  const setWebhook = yield* developers.setWebhook(account, id, to)
  const rotateWebhook = yield* developers.rotateWebhookSecret(account, id, "overlap")
  const work: ReadonlyArray<readonly [name: string, work: Effect.Effect<unknown, unknown>]> = [
    ["apps of a developer", developers.list(account, { limit: 20 })],
    ["an app of a developer", developers.get(account, id)],
    ["installations of an app", developers.installations(account, id, { limit: 20 })],
    ["an app that is registered", performOf(account, developers.create(account, toApp(APP)))],
    ["an app that is changed", performOf(account, developers.update(account, id, { name: "Other" }))],
    ["a client secret that is replaced", performOf(account, developers.rotateSecret(account, id, 1))],
    ["a webhook that is set", performOf(account, setWebhook)],
    ["a secret of a webhook that is replaced", performOf(account, rotateWebhook)]
  ]
  return work
})
