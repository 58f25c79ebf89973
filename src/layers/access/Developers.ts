import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AppId, InstallationId, type MerchantId } from "../../domain/access/Ids.ts"
import { AppNotFound } from "../../domain/access/Apps.ts"
import { AppLimitReached, Developers, MAX_APPS } from "../../domain/access/Developers.ts"
import { redirectsOf } from "../../domain/oauth/Redirects.ts"
import { NO_HOSTS } from "../../domain/webhooks/AllowedHosts.ts"
import { pageReader, selectPage, START } from "../sql/Pages.ts"
import { orDefect } from "../sql/Errors.ts"
import { constant } from "../sql/Statement.ts"
import { time } from "../sql/Times.ts"
import { redelivered } from "../webhooks/DeliveryLog.ts"
import { sealingLater } from "../webhooks/SecretKeys.ts"
import { newSecret, putWebhook, rotateWebhook, targetOf } from "../webhooks/Subscriptions.ts"
import { distinctArrayOf, insertApp } from "./Apps.ts"
import { addClientSecret, rotateClientSecret } from "./ClientSecrets.ts"
import { INSTALLED, STATE } from "./InstallationState.ts"

const readApps = pageReader(AppId)
const readInstallations = pageReader(InstallationId)

const distinctOrNull = (texts: ReadonlyArray<string> | undefined) =>
  texts === undefined ? null : distinctArrayOf(texts)

export const DevelopersLive = Layer.effect(
  Developers,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sealing = yield* sealingLater

    /** App `a` as JSON for its developer. */
    const appJson = sql`
      json_build_object(
        'id', a.id, 'type', case when a.is_public then 'public' else 'confidential' end, 'name', a.name,
        'website', a.website, 'logoUrl', a.logo_url, 'redirectUris', a.redirect_uris, 'scopes', a.scopes,
        'capabilities', a.capabilities,
        'secrets', (
          select coalesce(json_agg(
            json_build_object('id', s.id, 'createdAt', ${time("s.created_at")}, 'endsAt', ${time("s.ends_at")})
            order by s.id
          ), '[]') from client_secrets s where s.app_id = a.id and (s.ends_at is null or s.ends_at > now())
        ),
        'installations', (
          select count(*) from installations i join stores on stores.id = i.store_id and stores.deleted_at is null
          where i.app_id = a.id and ${INSTALLED}
        ),
        'createdAt', ${time("a.created_at")}
      )::text
    `

    const get = Effect.fnUntraced(function* (developer: MerchantId, id: AppId) {
      const [app] = yield* sql<{ readonly json: string }>`
        select ${appJson} as json from apps a where a.developer_id = ${developer} and a.id = ${id}
      `
      return app === undefined ? yield* new AppNotFound({ id }) : app.json
    })

    /** Locks an app of the developer against other changes until the transaction ends. */
    const lockApp = Effect.fnUntraced(function* (developer: MerchantId, id: AppId) {
      const [app] = yield* sql<{ readonly id: AppId; readonly isPublic: boolean }>`
        select id, is_public as "isPublic" from apps where developer_id = ${developer} and id = ${id} for no key update
      `
      return app ?? (yield* new AppNotFound({ id }))
    })

    return Developers.of({
      create: (developer, { capabilities = [], type, ...app }) =>
        Effect.gen(function* () {
          yield* sql`select 1 from merchants where id = ${developer} for no key update`
          const last = yield* sql`
            select 1 from apps where developer_id = ${developer} offset ${constant(MAX_APPS - 1)} limit 1
          `
          if (last.length > 0) return yield* new AppLimitReached()
          const isPublic = type === "public"
          const id = yield* insertApp(sql, { ...app, capabilities, developer, isPublic })
          const secret = isPublic ? null : (yield* addClientSecret(sql, id, 0)).secret
          return { json: yield* Effect.catchTag(get(developer, id), "AppNotFound", Effect.die), secret }
        }).pipe(orDefect),

      list: Effect.fn("Developers.list")(
        (developer, { cursor = START, limit }) =>
          readApps(
            selectPage(
              sql,
              sql`
                select a.id, ${appJson} as json from apps a where a.developer_id = ${developer} and a.id > ${cursor}
              `,
              limit
            )
          ),
        orDefect
      ),

      get: Effect.fn("Developers.get")(get, orDefect),

      // Parameters that are null keep the column. Website and logo can be set to null: undefined keeps them.
      update: (developer, id, { capabilities, logoUrl, name = null, redirectUris, scopes, website }) =>
        Effect.gen(function* () {
          const { isPublic } = yield* lockApp(developer, id)
          const redirects =
            redirectUris === undefined ? undefined : yield* Effect.fromResult(redirectsOf(redirectUris, isPublic))
          yield* sql`
            update apps set
              name = coalesce(${name}, name), redirect_uris = coalesce(${distinctOrNull(redirects)}, redirect_uris),
              scopes = coalesce(${distinctOrNull(scopes)}, scopes),
              capabilities = coalesce(${distinctOrNull(capabilities)}, capabilities),
              website = case when ${website !== undefined} then ${website} else website end,
              logo_url = case when ${logoUrl !== undefined} then ${logoUrl} else logo_url end
            where id = ${id}
          `
          return yield* get(developer, id)
        }).pipe(orDefect),

      rotateSecret: (developer, id, overlapHours) =>
        Effect.gen(function* () {
          const { secret } = yield* rotateClientSecret(sql, yield* lockApp(developer, id), overlapHours)
          return { json: yield* get(developer, id), secret }
        }).pipe(orDefect),

      // The stores of the installations are not revealed to the developer.
      installations: Effect.fn("Developers.installations")(function* (developer, id, { cursor = START, limit }) {
        yield* get(developer, id)
        return yield* readInstallations(
          selectPage(
            sql,
            sql`
              select i.id, json_build_object(
                'id', i.id, 'scopes', i.scopes, 'capabilities', i.capabilities, 'state', ${STATE},
                'installedAt', ${time("coalesce(i.installed_at, i.created_at)")}
              )::text as json
              from installations i join stores s on s.id = i.store_id and s.deleted_at is null
              where i.app_id = ${id} and i.id > ${cursor} and ${INSTALLED}
            `,
            limit
          )
        )
      }, orDefect),

      requireOwn: Effect.fn("Developers.requireOwn")((developer, id) => Effect.asVoid(get(developer, id)), orDefect),

      setWebhook: (developer, id, { kinds, url }) =>
        Effect.map(newSecret(sealing, id), (created) =>
          Effect.gen(function* () {
            yield* lockApp(developer, id)
            const target = yield* targetOf(url, NO_HOSTS)
            const isFirst = yield* putWebhook(sql, id, { url: target, kinds }, created.sealed)
            return { json: JSON.stringify({ url: target, kinds }), secret: isFirst ? created.secret : null }
          }).pipe(orDefect)
        ),

      rotateWebhookSecret: (developer, id, before) =>
        Effect.map(newSecret(sealing, id), (created) =>
          Effect.gen(function* () {
            yield* lockApp(developer, id)
            const { previousUntil } = yield* rotateWebhook(sql, id, created.sealed, before)
            return { json: JSON.stringify({ previousUntil }), secret: created.secret }
          }).pipe(orDefect)
        ),

      redeliver: (developer, id, event) =>
        Effect.gen(function* () {
          yield* lockApp(developer, id)
          return yield* redelivered(sql, id, event)
        }).pipe(orDefect)
    })
  })
)
