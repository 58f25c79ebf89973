import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { AppId, InstallationId, type MerchantId } from "../../domain/access/Ids.ts"
import { AppNotFound } from "../../domain/access/Apps.ts"
import { AppLimitReached, Developers, MAX_APPS } from "../../domain/access/Developers.ts"
import { redirectsOf } from "../../domain/oauth/Redirects.ts"
import { pageReader, selectPage, START } from "../sql/Pages.ts"
import { orDefect } from "../sql/Errors.ts"
import { findJson } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { time } from "../sql/Times.ts"
import { DeliveryLog } from "../webhooks/DeliveryLog.ts"
import { developerHosts } from "../webhooks/AllowedHosts.ts"
import { targetOf, WebhookRepository } from "../webhooks/WebhookRepository.ts"
import { AppRepository, distinctArrayOf } from "./AppRepository.ts"
import { INSTALLED, STATE } from "./InstallationState.ts"
import { SERVED } from "./Stores.ts"

const readApps = pageReader(AppId)
const readInstallations = pageReader(InstallationId)

const distinctOrNull = (texts: ReadonlyArray<string> | undefined) =>
  texts === undefined ? null : distinctArrayOf(texts)

export const DevelopersLive = Layer.effect(
  Developers,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { addSecret, insert, lock, rotateSecret } = yield* AppRepository
    const log = yield* DeliveryLog
    const allowed = yield* developerHosts
    const webhooks = yield* WebhookRepository

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
          select count(*) from installations i join stores s on s.id = i.store_id and s.deleted_at is null and ${SERVED}
          where i.app_id = a.id and ${INSTALLED}
        ),
        'createdAt', ${time("a.created_at")}
      )::text
    `

    const get = Effect.fnUntraced(function* (developer: MerchantId, id: AppId) {
      const app = yield* findJson(sql`
        select ${appJson} as json from apps a where a.developer_id = ${developer} and a.id = ${id}
      `)
      return Option.isSome(app) ? app.value : yield* new AppNotFound({ id })
    })

    return Developers.of({
      create: Effect.fn("Developers.create")(function* (developer, { capabilities = [], type, ...app }) {
        yield* sql`select 1 from merchants where id = ${developer} for no key update`
        const last = yield* sql`
          select 1 from apps where developer_id = ${developer} offset ${constant(MAX_APPS - 1)} limit 1
        `
        if (last.length > 0) return yield* new AppLimitReached()
        const isPublic = type === "public"
        const id = yield* insert({ ...app, capabilities, developer, isPublic })
        const secret = isPublic ? null : (yield* addSecret(id, 0)).secret
        return { json: yield* Effect.catchTag(get(developer, id), "AppNotFound", Effect.die), secret }
      }, orDefect),

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
      update: Effect.fn("Developers.update")(function* (
        developer,
        id,
        { capabilities, logoUrl, name = null, redirectUris, scopes, website }
      ) {
        const { isPublic } = yield* lock(id, developer)
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
      }, orDefect),

      rotateSecret: Effect.fn("Developers.rotateSecret")(function* (developer, id, overlapHours) {
        const { secret } = yield* rotateSecret(yield* lock(id, developer), overlapHours)
        return { json: yield* get(developer, id), secret }
      }, orDefect),

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
              from installations i join stores s on s.id = i.store_id and s.deleted_at is null and ${SERVED}
              where i.app_id = ${id} and i.id > ${cursor} and ${INSTALLED}
            `,
            limit
          )
        )
      }, orDefect),

      requireOwn: Effect.fn("Developers.requireOwn")((developer, id) => Effect.asVoid(get(developer, id)), orDefect),

      setWebhook: Effect.fn("Developers.setWebhook")(function* (developer, id, { kinds, url }) {
        const created = yield* webhooks.newSecret(id)
        return Effect.gen(function* () {
          yield* lock(id, developer)
          const target = yield* targetOf(url, allowed)
          const isFirst = yield* webhooks.put(id, { url: target, kinds }, created.sealed)
          return { json: JSON.stringify({ url: target, kinds }), secret: isFirst ? created.secret : null }
        }).pipe(orDefect)
      }),

      rotateWebhookSecret: Effect.fn("Developers.rotateWebhookSecret")(function* (developer, id, before) {
        const created = yield* webhooks.newSecret(id)
        return Effect.gen(function* () {
          yield* lock(id, developer)
          const { previousUntil } = yield* webhooks.rotateSecret(id, created.sealed, before)
          return { json: JSON.stringify({ previousUntil }), secret: created.secret }
        }).pipe(orDefect)
      }),

      redeliver: Effect.fn("Developers.redeliver")(function* (developer, id, event) {
        yield* lock(id, developer)
        return yield* log.redeliver(id, event)
      }, orDefect)
    })
  })
)
