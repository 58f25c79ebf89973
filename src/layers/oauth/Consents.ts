import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, InstallationId } from "../../domain/access/Ids.ts"
import { Installations } from "../../domain/access/Installations.ts"
import { formatStoreToken } from "../access/StoreTokens.ts"
import { Actor } from "../../domain/Actor.ts"
import { UnknownClient } from "../../domain/oauth/Clients.ts"
import { type Consent, Consents } from "../../domain/oauth/Consents.ts"
import { CODE_SECONDS } from "../../domain/oauth/Grants.ts"
import { StoreNotFound } from "../../domain/Store.ts"
import { type Write, Writes } from "../../domain/Write.ts"
import { AgentCreation } from "../access/AgentCreation.ts"
import { sha256 } from "../Secrets.ts"
import { orDefect } from "../sql/Errors.ts"
import { GlobalDatabase } from "../sql/Postgres.ts"
import { constant } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"

/** Holder of a grant. */
type Holder = { readonly installation: InstallationId } | { readonly agent: AgentId }

export const ConsentsLive = Layer.effect(
  Consents,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const global = yield* GlobalDatabase
    const creation = yield* AgentCreation
    const installations = yield* Installations
    const { perform } = yield* Writes

    /** Performs what a member approved as their write. It has no cause, so it cannot be part of an event loop. */
    const performApproved = <A, E>({ merchantId, requestId, storeId }: Consent, write: Write<A, E>) =>
      Effect.catchTag(
        perform(
          {
            storeId,
            actor: Actor.Merchant({ id: merchantId }),
            surface: "consent",
            requestId,
            cause: null,
            mode: "perform"
          },
          write
        ),
        "EventLoop",
        Effect.die
      )

    /** Creates the grant of a member and a code for it. Like everywhere, the store was locked before its members. */
    const insertGrant = Effect.fnUntraced(function* (
      holder: Holder,
      { challenge, clientId, merchantId, redirectUri, resource, storeId }: Consent
    ) {
      // The shared lock keeps the member until the transaction ends.
      const members = yield* sql`
        select 1 from members m join stores s on s.id = m.store_id and s.deleted_at is null
        where m.store_id = ${storeId} and m.merchant_id = ${merchantId} for key share
      `
      if (members.length === 0) return yield* new StoreNotFound()
      const code = formatStoreToken("pc_", storeId)
      const [installation, agent] = "agent" in holder ? [null, holder.agent] : [holder.installation, null]
      yield* sql`
        with granted as (
          insert into oauth_grants (store_id, id, client_id, installation_id, agent_id, merchant_id, resource)
          values (
            ${storeId}, uuid_v7(clock_micros()), ${clientId}, ${installation}, ${agent}, ${merchantId},
            ${resource ?? null}
          )
          returning store_id, id, client_id
        )
        insert into authorization_codes (code_hash, store_id, grant_id, client_id, redirect_uri, challenge, expires_at)
        select ${sha256(code)}, store_id, id, client_id, ${redirectUri}, ${challenge},
          statement_timestamp() + interval '${constant(CODE_SECONDS)} seconds'
        from granted
      `
      return code
    })

    return Consents.of({
      install: Effect.fn("Consents.install")(
        function* (consent, app) {
          const { id } = yield* Effect.catchTag(
            performApproved(consent, installations.install({ storeId: consent.storeId, ...app })),
            "UnknownStore",
            () => new StoreNotFound()
          )
          return yield* insertGrant({ installation: id }, consent)
        },
        sql.withTransaction,
        orDefect
      ),

      makeAgent: Effect.fn("Consents.makeAgent")(
        function* (consent, { days, ...agent }) {
          const { clientId, merchantId, storeId } = consent
          const { id } = yield* performApproved(
            consent,
            creation.create(storeId, merchantId, agent, { days, tokenHash: null })
          )
          // The registration of a client without consent expires; it may have done so since the request.
          const updated = yield* rowCount(global.sql`
            update agent_clients set consented_at = coalesce(consented_at, statement_timestamp()), ends_at = null
            where client_id = ${clientId} and (ends_at is null or ends_at > clock_timestamp())
          `)
          if (updated === 0) return yield* new UnknownClient({})
          return yield* insertGrant({ agent: id }, consent)
        },
        sql.withTransaction,
        orDefect
      )
    })
  })
)
