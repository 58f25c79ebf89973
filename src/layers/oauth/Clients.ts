import { Effect, Layer, Option, Schema } from "effect"
import { AppId } from "../../domain/access/Apps.ts"
import { Capability } from "../../domain/access/Capability.ts"
import { Scope } from "../../domain/access/Scope.ts"
import { AgentClients } from "../../domain/oauth/AgentClients.ts"
import { type Client, type ClientId, Clients, type Credentials } from "../../domain/oauth/Clients.ts"
import { storedList } from "../../domain/StoredList.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { Database } from "../sql/Postgres.ts"
import { type Fragment, sql } from "../sql/Statement.ts"
import { hashOf } from "../Secrets.ts"

/** An app is named by its id. */
const appIdOf = (id: ClientId) => (isUuid(id) ? id : null)

/** `client`: a row where the client is known and is who it says. */
export const authenticated = ({ clientId, secret }: Credentials): Fragment => {
  const secretHash = secret === undefined ? null : hashOf(secret)
  return sql`
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

const selectApp = (app: string | null) => sql`
  select
    a.name, a.website, a.logo_url as "logoUrl", a.redirect_uris as "redirectUris", a.is_public as "isPublic",
    a.id as "appId", m.name as "developerName", a.scopes, a.capabilities
  from apps a left join merchants m on m.id = a.developer_id where a.id = ${app}
`

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

const clientOf = (
  clientId: ClientId,
  { appId, capabilities, developerName, scopes, ...client }: typeof AppRow.Type
): Client => ({ clientId, ...client, of: { _tag: "App", appId, developerName, scopes, capabilities } })

/** An app, or else a client of agents. */
export const ClientsLive = Layer.effect(
  Clients,
  Effect.gen(function* () {
    const { first } = yield* Database
    const agents = yield* AgentClients
    const appOf = first(AppRow)
    return Clients.of({
      find: Effect.fn("Clients.find")((id) =>
        Effect.flatMap(
          appOf(selectApp(appIdOf(id))),
          Option.match({
            onNone: () => agents.find(id),
            onSome: (row) => Effect.succeed(clientOf(id, row))
          })
        )
      )
    })
  })
)
