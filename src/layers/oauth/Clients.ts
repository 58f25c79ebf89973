import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppId } from "../../domain/access/Ids.ts"
import { Capability } from "../../domain/access/Capability.ts"
import { Scope } from "../../domain/access/Scope.ts"
import { AgentClients } from "../../domain/oauth/AgentClients.ts"
import { type Client, type ClientId, Clients, type Credentials } from "../../domain/oauth/Clients.ts"
import { storedList } from "../../domain/json/StoredList.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { sha256 } from "../Secrets.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowReader } from "../sql/Rows.ts"
import { type Fragment, sql as fragment } from "../sql/Statement.ts"

/** Returns the id of the app that a client id names, or null: agent clients have other ids. */
const appIdOf = (id: ClientId) => (isUuid(id) ? id : null)

/** Common table expression `client`: one row if the client exists and its credentials are correct. */
export const authenticatedClient = ({ clientId, secret }: Credentials): Fragment => {
  const secretHash = secret === undefined ? null : sha256(secret)
  return fragment`
    client as materialized (
      select from apps a
      where a.id = ${appIdOf(clientId)}::uuid
        and case when ${secretHash}::bytea is null then a.is_public else not a.is_public and exists (
          select from client_secrets s
          where s.app_id = a.id and s.secret_hash = ${secretHash}
            and (s.ends_at is null or s.ends_at > clock_timestamp())
        ) end
      union all
      select from agent_clients
      where client_id = ${clientId} and ${secretHash}::bytea is null
        and (ends_at is null or ends_at > clock_timestamp())
    )
  `
}

const AppRow = Schema.Struct({
  name: Schema.String,
  website: Schema.NullOr(Schema.String),
  logoUrl: Schema.NullOr(Schema.String),
  redirectUris: Schema.Array(Schema.String),
  isPublic: Schema.Boolean,
  appId: Schema.toType(AppId),
  developerName: Schema.NullOr(Schema.String),
  scopes: storedList(Scope),
  capabilities: storedList(Capability)
})

const readApp = rowReader(AppRow)

const toClient = (
  clientId: ClientId,
  { appId, capabilities, developerName, scopes, ...client }: typeof AppRow.Type
): Client => ({ clientId, ...client, of: { _tag: "App", appId, developerName, scopes, capabilities } })

/** Finds apps, and clients of agents. */
export const ClientsLive = Layer.effect(
  Clients,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const agentClients = yield* AgentClients

    return Clients.of({
      find: Effect.fn("Clients.find")(function* (id) {
        const app = yield* readApp(sql`
          select
            a.name, a.website, a.logo_url as "logoUrl", a.redirect_uris as "redirectUris", a.is_public as "isPublic",
            a.id as "appId", m.name as "developerName", a.scopes, a.capabilities
          from apps a left join merchants m on m.id = a.developer_id where a.id = ${appIdOf(id)}
        `)
        return Option.isSome(app) ? toClient(id, app.value) : yield* agentClients.find(id)
      }, orDefect)
    })
  })
)
