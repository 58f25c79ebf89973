import { Effect, Layer, Option, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import {
  AgentClients,
  MAX_REGISTRATIONS,
  MAX_WAITING,
  TooManyRegistrations,
  WAITING_HOURS
} from "../../domain/oauth/AgentClients.ts"
import { type StoredMetadata, isDocumentUrl } from "../../domain/oauth/ClientMetadata.ts"
import { Client, ClientId, UnknownClient } from "../../domain/oauth/Clients.ts"
import { networkOf } from "../../domain/Network.ts"
import { hashSubject, makeSignInThrottle } from "../access/SignInThrottle.ts"
import { Database } from "../sql/Postgres.ts"
import { constant, sql } from "../sql/Statement.ts"
import { arrayOf } from "../Lists.ts"
import { namedHosts } from "../webhooks/AllowedHosts.ts"
import { purgeOf } from "../Purging.ts"
import type { OutgoingOptions } from "../webhooks/Outgoing.ts"
import { makeDocuments } from "./Documents.ts"

/** One that is there still, and of which no document is to be read again. */
const selectClient = (clientId: ClientId) => sql`
  select client_id as "clientId", name, website, logo_url as "logoUrl", array_to_json(redirect_uris) as "redirectUris"
  from agent_clients where client_id = ${clientId}
    and (ends_at > clock_timestamp() or ends_at is null) and (fresh_until > clock_timestamp() or fresh_until is null)
`

/** What a client says of itself now, in place of what it said before. One that was agreed to has no end. */
const putClient = (
  clientId: ClientId,
  name: string,
  website: string | null,
  logoUrl: string | null,
  redirectUris: string,
  freshSeconds: number | null
) => sql`
  insert into agent_clients as c (client_id, name, website, logo_url, redirect_uris, fresh_until, ends_at)
  values (
    ${clientId}, ${name}, ${website}, ${logoUrl}, ${redirectUris},
    clock_timestamp() + ${freshSeconds} * interval '1 second',
    clock_timestamp() + interval '${constant(WAITING_HOURS)} hours'
  )
  on conflict (client_id) do update set
    name = excluded.name, website = excluded.website, logo_url = excluded.logo_url,
    redirect_uris = excluded.redirect_uris, fresh_until = excluded.fresh_until,
    ends_at = case when c.consented_at is null then excluded.ends_at end
`

/** Of those that nobody agreed to, all but the ones that go last. */
const forgetMost = sql`
  with chosen as materialized (
    select client_id from agent_clients where ends_at is not null order by ends_at desc offset ${constant(MAX_WAITING)}
  ), ended as materialized (
    select client_id from agent_clients join chosen using (client_id) for update of agent_clients skip locked
  )
  delete from agent_clients c using ended where c.client_id = ended.client_id
`

const Row = Client.mapFields(Struct.omit(["isPublic", "of"]))

/** Reads documents as `options` say: where the operator allows it, by DNS, and with the certificates that Node trusts. */
export const agentClients = (options: Partial<OutgoingOptions> = {}) =>
  Layer.effect(
    AgentClients,
    Effect.gen(function* () {
      const database = yield* Database
      const { count, first } = database
      const throttle = makeSignInThrottle(yield* SqlClient.SqlClient)
      const read = yield* makeDocuments({ allowed: yield* namedHosts, ...options })
      const rowOf = first(Row)

      const put = (id: ClientId, { logoUrl, name, redirectUris, website }: StoredMetadata, seconds: number | null) =>
        Effect.andThen(count(putClient(id, name, website, logoUrl, arrayOf(redirectUris), seconds)), count(forgetMost))

      const refreshed = Effect.fnUntraced(function* (id: ClientId) {
        if (!isDocumentUrl(id)) return yield* new UnknownClient({})
        const { described, freshSeconds } = yield* read(id)
        yield* put(id, described, freshSeconds)
        return { clientId: id, ...described }
      })

      return AgentClients.of({
        register: Effect.fn("AgentClients.register")(function* (client, address) {
          yield* throttle.count(
            [[hashSubject("registration", networkOf(address)), MAX_REGISTRATIONS]],
            (retryAfter) => new TooManyRegistrations({ retryAfter })
          )
          const id = ClientId.make(randomUUID())
          yield* put(id, client, null)
          return id
        }),

        find: Effect.fn("AgentClients.find")(function* (id) {
          const known = yield* rowOf(selectClient(id))
          const client = Option.isSome(known) ? known.value : yield* refreshed(id)
          return { ...client, isPublic: true, of: { _tag: "AgentClient" as const } }
        }),

        purge: count(purgeOf({ table: "agent_clients", key: ["client_id"], end: "ends_at" }))
      })
    })
  )

export const AgentClientsLive = agentClients()
