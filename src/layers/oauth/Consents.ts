import { Effect, Layer } from "effect"
import { type InstallationId, Installations } from "../../domain/access/Installations.ts"
import { Actor, type AgentId, type MerchantId } from "../../domain/Actor.ts"
import { type ClientId, UnknownClient } from "../../domain/oauth/Clients.ts"
import { type Consent, Consents } from "../../domain/oauth/Consents.ts"
import { CODE_SECONDS } from "../../domain/oauth/Grants.ts"
import { type StoreId, StoreNotFound } from "../../domain/Store.ts"
import { type Write, Writes } from "../../domain/Write.ts"
import { makeAgent } from "../access/AgentCreation.ts"
import { Database } from "../sql/Postgres.ts"
import { constant, sql } from "../sql/Statement.ts"
import { hashOf, newToken } from "../Secrets.ts"

/** Until the transaction ends, the member does not leave. */
const selectMember = (store: StoreId, merchant: MerchantId) => sql`
  select from members m join stores s on s.id = m.store_id and s.deleted_at is null
  where m.store_id = ${store} and m.merchant_id = ${merchant} for key share
`

const insertGrant = (
  store: StoreId,
  clientId: ClientId,
  installation: InstallationId | null,
  agent: AgentId | null,
  merchant: MerchantId,
  resource: string | null,
  codeHash: Buffer,
  redirectUri: string,
  challenge: string
) => sql`
  with granted as (
    insert into oauth_grants (store_id, id, client_id, installation_id, agent_id, merchant_id, resource)
    values (${store}, uuid_v7(clock_micros()), ${clientId}, ${installation}, ${agent}, ${merchant}, ${resource})
    returning store_id, id, client_id
  )
  insert into authorization_codes (code_hash, store_id, grant_id, client_id, redirect_uri, challenge, expires_at)
  select ${codeHash}, store_id, id, client_id, ${redirectUri}, ${challenge},
    clock_timestamp() + interval '${constant(CODE_SECONDS)} seconds'
  from granted
`

/** It is known by then: of a client that registered itself it may be the last moment. */
const keepClient = (clientId: ClientId) => sql`
  update agent_clients set consented_at = coalesce(consented_at, clock_timestamp()), ends_at = null
  where client_id = ${clientId} and (ends_at is null or ends_at > clock_timestamp())
`

/** What a grant is for. */
type Holder = { readonly installation: InstallationId } | { readonly agent: AgentId }

export const ConsentsLive = Layer.effect(
  Consents,
  Effect.gen(function* () {
    const { count, transaction } = yield* Database
    const installations = yield* Installations
    const { perform } = yield* Writes

    /** What a member agrees to, as their write. It answers no event, so none led to it. */
    const agreed = <A, E>({ merchantId, requestId, storeId }: Consent, write: Write<A, E>) =>
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

    /** The grant by a member, and a code for it. The store is locked by then: before its members, as everywhere. */
    const grantTo = Effect.fnUntraced(function* (
      holder: Holder,
      { challenge, clientId, merchantId, redirectUri, resource, storeId }: Consent
    ) {
      if ((yield* count(selectMember(storeId, merchantId))) === 0) return yield* new StoreNotFound()
      const code = newToken()
      const [installation, agent] = "agent" in holder ? [null, holder.agent] : [holder.installation, null]
      yield* count(
        insertGrant(
          storeId,
          clientId,
          installation,
          agent,
          merchantId,
          resource ?? null,
          hashOf(code),
          redirectUri,
          challenge
        )
      )
      return code
    })

    return Consents.of({
      install: Effect.fn("Consents.install")(function* (consent, app) {
        const { id } = yield* Effect.catchTag(
          agreed(consent, installations.install({ storeId: consent.storeId, ...app })),
          "UnknownStore",
          () => new StoreNotFound()
        )
        return yield* grantTo({ installation: id }, consent)
      }, transaction),

      makeAgent: Effect.fn("Consents.makeAgent")(function* (consent, { days, ...agent }) {
        const { clientId, merchantId, storeId } = consent
        const { id } = yield* agreed(consent, makeAgent(storeId, merchantId, agent, { days, tokenHash: null }))
        if ((yield* count(keepClient(clientId))) === 0) return yield* new UnknownClient({})
        return yield* grantTo({ agent: id }, consent)
      }, transaction)
    })
  })
)
