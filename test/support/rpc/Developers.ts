import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { NewApp } from "../../../src/domain/access/Developers.ts"
import { GlobalDatabase } from "../../../src/layers/sql/Postgres.ts"
import { makeMerchant } from "./Merchants.ts"
import { clientOf, newKey, sessionOf } from "./Rpc.ts"

export const toApp = Schema.decodeUnknownSync(NewApp)

export const APP = {
  name: "Stock sync",
  type: "confidential",
  website: "https://app.example.com/",
  logoUrl: "https://app.example.com/logo.png",
  redirectUris: ["https://app.example.com/callback", "http://127.0.0.1/callback"],
  scopes: ["read_products", "write_inventory"],
  capabilities: ["app_storage"]
}

/** A developer account without a store. */
export const developer = Effect.gen(function* () {
  const { email, id } = yield* makeMerchant()
  const cookie = yield* sessionOf(email)
  const client = yield* clientOf(cookie)
  const create = (app: object = {}) => client.apps.create({ idempotencyKey: newKey(), app: toApp({ ...APP, ...app }) })
  return { id, cookie, client, create }
})

/** Stored hashes of an app's valid secrets. */
export const hashes = (app: AppId) =>
  Effect.flatMap(GlobalDatabase, ({ sql }) =>
    Effect.map(
      sql<{ readonly hash: string }>`
        select encode(secret_hash, 'hex') as hash from client_secrets
        where app_id = ${app} and (ends_at is null or ends_at > now()) order by id
      `,
      (rows) => rows.map(({ hash }) => hash)
    )
  )

export const hashOf = (secret: string | null) =>
  createHash("sha256")
    .update(secret ?? "")
    .digest("hex")
