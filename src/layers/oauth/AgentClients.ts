import { Effect, Layer, Option, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { randomUUID } from "node:crypto"
import { networkOf } from "../../domain/Network.ts"
import {
  AgentClients,
  MAX_REGISTRATIONS,
  MAX_WAITING,
  TooManyRegistrations,
  WAITING_HOURS
} from "../../domain/oauth/AgentClients.ts"
import { isDocumentUrl, type StoredMetadata } from "../../domain/oauth/ClientMetadata.ts"
import { Client, ClientId, UnknownClient } from "../../domain/oauth/Clients.ts"
import { hashSubject, SignInThrottle } from "../access/SignInThrottle.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { purgeExpired } from "../sql/Purging.ts"
import { orDefect } from "../sql/Errors.ts"
import { constant } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import type { OutgoingOptions } from "../webhooks/Outgoing.ts"
import { ClientDocuments } from "./Documents.ts"

const ClientRow = Client.mapFields(Struct.omit(["isPublic", "of"]))

/** Clients of agents. The options change which hosts their documents are read from, and how. */
export const agentClients = (options: Partial<OutgoingOptions> = {}) =>
  Layer.effect(
    AgentClients,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const throttle = yield* SignInThrottle
      const documents = yield* ClientDocuments

      /** Finds a client whose registration and metadata have not expired. */
      const findFresh = SqlSchema.findOneOption({
        Request: ClientId,
        Result: ClientRow,
        execute: (id) => sql`
          select
            client_id as "clientId", name, website, logo_url as "logoUrl", array_to_json(redirect_uris) as "redirectUris"
          from agent_clients where client_id = ${id}
            and (ends_at > clock_timestamp() or ends_at is null)
            and (fresh_until > clock_timestamp() or fresh_until is null)
        `
      })

      /**
       * Stores the metadata of a client, and deletes the clients without consent that exceed the maximum, the oldest first.
       * A client with consent does not expire.
       */
      const putClient = Effect.fnUntraced(function* (
        id: ClientId,
        { logoUrl, name, redirectUris, website }: StoredMetadata,
        freshSeconds: number | null
      ) {
        yield* sql`
          insert into agent_clients as c (client_id, name, website, logo_url, redirect_uris, fresh_until, ends_at)
          values (
            ${id}, ${name}, ${website}, ${logoUrl}, ${textArray(redirectUris)},
            clock_timestamp() + ${freshSeconds} * interval '1 second',
            clock_timestamp() + interval '${constant(WAITING_HOURS)} hours'
          )
          on conflict (client_id) do update set
            name = excluded.name, website = excluded.website, logo_url = excluded.logo_url,
            redirect_uris = excluded.redirect_uris, fresh_until = excluded.fresh_until,
            ends_at = case when c.consented_at is null then excluded.ends_at end
        `
        yield* sql`
          with chosen as materialized (
            select client_id from agent_clients where ends_at is not null
            order by ends_at desc offset ${constant(MAX_WAITING)}
          ), ended as materialized (
            select client_id from agent_clients join chosen using (client_id) for update of agent_clients skip locked
          )
          delete from agent_clients c using ended where c.client_id = ended.client_id
        `
      })

      const refresh = Effect.fnUntraced(function* (id: ClientId) {
        if (!isDocumentUrl(id)) return yield* new UnknownClient({})
        const { freshSeconds, metadata } = yield* documents.read(id)
        yield* putClient(id, metadata, freshSeconds)
        return { clientId: id, ...metadata }
      })

      return AgentClients.of({
        register: Effect.fn("AgentClients.register")(function* (client, address) {
          yield* throttle.count(
            [[hashSubject("registration", networkOf(address)), MAX_REGISTRATIONS]],
            (retryAfter) => new TooManyRegistrations({ retryAfter })
          )
          const id = ClientId.make(randomUUID())
          yield* putClient(id, client, null)
          return id
        }, orDefect),

        find: Effect.fn("AgentClients.find")(function* (id) {
          const known = yield* findFresh(id)
          const client = Option.isSome(known) ? known.value : yield* refresh(id)
          return { ...client, isPublic: true, of: { _tag: "AgentClient" as const } }
        }, orDefect),

        purge: rowCount(
          sql`${purgeExpired({ table: "agent_clients", isGlobal: true, key: ["client_id"], end: "ends_at" })}`
        ).pipe(orDefect, Effect.withSpan("AgentClients.purge"))
      })
    })
  ).pipe(Layer.provide([ClientDocuments.layer(options), SignInThrottle.layer]))

export const AgentClientsLive = agentClients()
