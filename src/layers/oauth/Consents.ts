import { Effect, Layer } from "effect"
import { Installations } from "../../domain/access/Installations.ts"
import type { MerchantId } from "../../domain/Actor.ts"
import { type Consent, Consents } from "../../domain/oauth/Consents.ts"
import { CODE_SECONDS } from "../../domain/oauth/Grants.ts"
import { type StoreId, StoreNotFound } from "../../domain/Store.ts"
import { Database } from "../database/Postgres.ts"
import { statement } from "../database/Statement.ts"
import { hashOf, newToken } from "./Secrets.ts"

/** Until the transaction ends, the member does not leave. */
const selectMember = statement(`
  select from members m join stores s on s.id = m.store_id and s.deleted_at is null
  where m.store_id = $1 and m.merchant_id = $2 for key share
`)

const insertGrant = statement(`
  with granted as (
    insert into oauth_grants (store_id, id, client_id, installation_id, merchant_id, resource)
    values ($1, uuid_v7(clock_micros()), $2, $3, $4, $5) returning store_id, id, client_id
  )
  insert into authorization_codes (code_hash, store_id, grant_id, client_id, redirect_uri, challenge, expires_at)
  select $6, store_id, id, client_id, $7, $8, clock_timestamp() + interval '${CODE_SECONDS} seconds' from granted
`)

export const ConsentsLive = Layer.effect(
  Consents,
  Effect.gen(function* () {
    const { count, transaction } = yield* Database
    const installations = yield* Installations

    const requireMember = (store: StoreId, merchant: MerchantId) =>
      Effect.flatMap(count(selectMember(store, merchant)), (members) =>
        members === 0 ? new StoreNotFound() : Effect.void
      )

    return Consents.of({
      install: Effect.fn("Consents.install")(function* (
        { challenge, clientId, merchantId, redirectUri, resource, storeId }: Consent,
        app
      ) {
        yield* requireMember(storeId, merchantId)
        const { id } = yield* Effect.catchTag(
          installations.install({ storeId, ...app }),
          "UnknownStore",
          () => new StoreNotFound()
        )
        const code = newToken()
        yield* count(
          insertGrant(storeId, clientId, id, merchantId, resource ?? null, hashOf(code), redirectUri, challenge)
        )
        return code
      }, transaction)
    })
  })
)
