import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppId, AppNotFound } from "../../domain/access/Apps.ts"
import { AppLimitReached, Developers, MAX_APPS } from "../../domain/access/Developers.ts"
import { InstallationId } from "../../domain/access/Installations.ts"
import type { MerchantId } from "../../domain/Actor.ts"
import type { JsonText } from "../../domain/Document.ts"
import { NO_HOSTS } from "../../domain/webhooks/AllowedHosts.ts"
import { countOf, firstOf, type Step } from "../sql/Plan.ts"
import { Database } from "../sql/Postgres.ts"
import { constant, sql } from "../sql/Statement.ts"
import { jsonPage, pageOf, START } from "../Pages.ts"
import { time } from "../Times.ts"
import { redelivered } from "../webhooks/DeliveryLog.ts"
import { sealingLater } from "../webhooks/SecretKeys.ts"
import { newSecret, putWebhook, rotateWebhook, targetOf } from "../webhooks/Subscriptions.ts"
import { insertApp, listed, checkRedirectUris } from "./Apps.ts"
import { addClientSecret, CLIENT_SECRETS, rotateClientSecret } from "./ClientSecrets.ts"
import { INSTALLED, STATE } from "./InstallationState.ts"
import { column } from "../sql/Column.ts"

/** An app as its developer sees it, as JSON: `a`. */
const APP = sql`
  json_build_object(
    'id', a.id, 'type', case when a.is_public then 'public' else 'confidential' end, 'name', a.name,
    'website', a.website, 'logoUrl', a.logo_url, 'redirectUris', a.redirect_uris, 'scopes', a.scopes,
    'capabilities', a.capabilities,
    'secrets', (
      select coalesce(json_agg(
        json_build_object('id', s.id, 'createdAt', ${time("s.created_at")}, 'endsAt', ${time("s.ends_at")})
        order by s.id
      ), '[]') from ${CLIENT_SECRETS}
    ),
    'installations', (
      select count(*) from installations i join stores on stores.id = i.store_id and stores.deleted_at is null
      where i.app_id = a.id and ${INSTALLED}
    ),
    'createdAt', ${time("a.created_at")}
  )::text
`

const selectPage = (developer: MerchantId, cursor: string, limit: number) =>
  jsonPage(sql`select a.id, ${APP} as json from apps a where a.developer_id = ${developer} and a.id > ${cursor}`, limit)

const selectApp = (developer: MerchantId, app: AppId) =>
  sql`select ${APP} as json from apps a where a.developer_id = ${developer} and a.id = ${app}`

/** Installations of an app in all stores, as its developer is not told which those are. */
const selectInstallations = (app: AppId, cursor: string, limit: number) =>
  jsonPage(
    sql`
    select i.id, json_build_object(
      'id', i.id, 'scopes', i.scopes, 'capabilities', i.capabilities, 'state', ${STATE},
      'installedAt', ${time("coalesce(i.installed_at, i.created_at)")}
    )::text as json
    from installations i join stores s on s.id = i.store_id and s.deleted_at is null
    where i.app_id = ${app} and i.id > ${cursor} and ${INSTALLED}
  `,
    limit
  )

const lockAccount = (developer: MerchantId) => sql`select from merchants where id = ${developer} for no key update`
const selectFull = (developer: MerchantId) =>
  sql`select from apps where developer_id = ${developer} offset ${constant(MAX_APPS - 1)} limit 1`

/** Until the transaction ends, others who change the app wait. */
const lockOwn = (developer: MerchantId, app: AppId) => sql`
  select id, is_public as "isPublic" from apps where developer_id = ${developer} and id = ${app} for no key update
`

interface AppChange {
  readonly name: string | null
  readonly redirectUris: string | null
  readonly scopes: string | null
  readonly capabilities: string | null
  readonly website: string | null | undefined
  readonly logoUrl: string | null | undefined
}

/** Columns that are null stay as they are; those that may be null stay where they are undefined. */
const updateApp = (app: AppId, { capabilities, logoUrl, name, redirectUris, scopes, website }: AppChange) => sql`
  update apps set
    name = coalesce(${name}, name), redirect_uris = coalesce(${redirectUris}, redirect_uris),
    scopes = coalesce(${scopes}, scopes), capabilities = coalesce(${capabilities}, capabilities),
    website = case when ${website !== undefined} then ${website} else website end,
    logo_url = case when ${logoUrl !== undefined} then ${logoUrl} else logo_url end
  where id = ${app}
`

const Json = column("json", Schema.String)
const jsonOf = firstOf(Json)
const Own = Schema.Struct({ id: Schema.toType(AppId), isPublic: Schema.Boolean })
const ownOf = firstOf(Own)

/** The app of a developer, locked. */
const own = Effect.fnUntraced(function* (developer: MerchantId, id: AppId): Step<typeof Own.Type, AppNotFound> {
  const found = yield* ownOf(lockOwn(developer, id))
  return Option.getOrUndefined(found) ?? (yield* new AppNotFound({ id }))
})

const shown = Effect.fnUntraced(function* (developer: MerchantId, id: AppId): Step<JsonText> {
  return Option.getOrThrow(yield* jsonOf(selectApp(developer, id)))
})

const orNull = (texts: ReadonlyArray<string> | undefined) => (texts === undefined ? null : listed(texts))

export const DevelopersLive = Layer.effect(
  Developers,
  Effect.gen(function* () {
    const database = yield* Database
    const client = yield* SqlClient.SqlClient
    const sealing = yield* sealingLater
    const foundOf = database.first(Json)
    const apps = pageOf(database, AppId)
    const installed = pageOf(database, InstallationId)

    const get = (developer: MerchantId, id: AppId) =>
      Effect.flatMap(foundOf(selectApp(developer, id)), (found) =>
        Effect.mapError(Effect.fromOption(found), () => new AppNotFound({ id }))
      )

    return Developers.of({
      create: (developer, { capabilities = [], type, ...app }) =>
        Effect.gen(function* () {
          yield* countOf(lockAccount(developer))
          if ((yield* countOf(selectFull(developer))) > 0) return yield* new AppLimitReached()
          const isPublic = type === "public"
          const id = yield* insertApp({ ...app, capabilities, developer, isPublic })
          const secret = isPublic ? null : (yield* addClientSecret(id, 0)).secret
          return { json: yield* shown(developer, id), secret }
        }),

      list: Effect.fn("Developers.list")((developer, { cursor = START, limit }) =>
        apps(selectPage(developer, cursor, limit))
      ),

      get: Effect.fn("Developers.get")(get),

      update: (developer, id, { capabilities, logoUrl, name = null, redirectUris, scopes, website }) =>
        Effect.gen(function* () {
          const { isPublic } = yield* own(developer, id)
          const redirects = redirectUris === undefined ? undefined : yield* checkRedirectUris(redirectUris, isPublic)
          const lists = {
            redirectUris: orNull(redirects),
            scopes: orNull(scopes),
            capabilities: orNull(capabilities)
          }
          yield* countOf(updateApp(id, { name, ...lists, website, logoUrl }))
          return yield* shown(developer, id)
        }),

      rotateSecret: (developer, id, overlapHours) =>
        Effect.gen(function* () {
          const { secret } = yield* rotateClientSecret(yield* own(developer, id), overlapHours)
          return { json: yield* shown(developer, id), secret }
        }),

      installations: Effect.fn("Developers.installations")((developer, id, { cursor = START, limit }) =>
        Effect.andThen(get(developer, id), installed(selectInstallations(id, cursor, limit)))
      ),

      requireOwn: Effect.fn("Developers.requireOwn")((developer, id) => Effect.asVoid(get(developer, id))),

      setWebhook: (developer, id, { kinds, url }) =>
        Effect.map(newSecret(sealing, id), (made) =>
          Effect.gen(function* () {
            yield* own(developer, id)
            const target = yield* targetOf(url, NO_HOSTS)
            const isFirst = yield* putWebhook(client, id, { url: target, kinds }, made.sealed)
            return { json: JSON.stringify({ url: target, kinds }), secret: isFirst ? made.secret : null }
          })
        ),

      rotateWebhookSecret: (developer, id, before) =>
        Effect.map(newSecret(sealing, id), (made) =>
          Effect.gen(function* () {
            yield* own(developer, id)
            const { previousUntil } = yield* rotateWebhook(client, id, made.sealed, before)
            return { json: JSON.stringify({ previousUntil }), secret: made.secret }
          })
        ),

      redeliver: (developer, id, event) =>
        Effect.gen(function* () {
          yield* own(developer, id)
          return yield* redelivered(client, id, event)
        })
    })
  })
)
