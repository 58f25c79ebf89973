import { Effect, Layer, Option, Result, Schema } from "effect"
import type { Grants } from "../../domain/access/AccessRule.ts"
import {
  type AppClient,
  AppId,
  AppNotFound,
  Apps,
  AppSummary,
  type NewClientSecret,
  type NoClientSecret
} from "../../domain/access/Apps.ts"
import type { MerchantId } from "../../domain/Actor.ts"
import { redirectsOf } from "../../domain/oauth/Redirects.ts"
import type { RedirectUriRefused } from "../../domain/oauth/RedirectUri.ts"
import { firstOf, type Step } from "../sql/Plan.ts"
import { Database } from "../sql/Postgres.ts"
import { sql } from "../sql/Statement.ts"
import { arrayOf } from "../Lists.ts"
import { rotateClientSecret } from "./ClientSecrets.ts"
import { column } from "../sql/Column.ts"

interface AppRow {
  readonly name: string
  readonly scopes: string
  readonly capabilities: string
  readonly developer: MerchantId | null
  readonly website: string | null
  readonly logoUrl: string | null
  readonly isPublic: boolean
  readonly redirectUris: string
}

const insertAppRow = (app: AppRow) => sql`
  insert into apps (id, name, scopes, capabilities, developer_id, website, logo_url, is_public, redirect_uris)
  values (
    uuid_v7(clock_micros()), ${app.name}, ${app.scopes}, ${app.capabilities}, ${app.developer}, ${app.website},
    ${app.logoUrl}, ${app.isPublic}, ${app.redirectUris}
  ) returning id
`
const idOf = firstOf(column("id", Schema.toType(AppId)))

/** The redirect URIs as they are kept, where all of them may be registered. */
export const checkRedirectUris = Effect.fnUntraced(function* (
  uris: ReadonlyArray<string>,
  isPublic: boolean
): Step<ReadonlyArray<string>, RedirectUriRefused> {
  const checked = redirectsOf(uris, isPublic)
  return Result.isSuccess(checked) ? checked.success : yield* Effect.fail(checked.failure)
})

/** Texts each once, as an array of the database. */
export const listed = (texts: ReadonlyArray<string>) => arrayOf([...new Set(texts)])

/** Makes an app. */
export const insertApp = Effect.fnUntraced(function* ({
  capabilities,
  developer = null,
  isPublic = false,
  logoUrl = null,
  name,
  redirectUris = [],
  scopes,
  website = null
}: Grants & Partial<AppClient> & { readonly name: string }): Step<AppId, RedirectUriRefused> {
  const redirects = yield* checkRedirectUris(redirectUris, isPublic)
  const app = {
    name,
    scopes: listed(scopes),
    capabilities: listed(capabilities),
    developer,
    website,
    logoUrl,
    isPublic,
    redirectUris: listed(redirects)
  }
  return Option.getOrThrow(yield* idOf(insertAppRow(app)))
})

const lockApp = (app: AppId) => sql`select id, is_public as "isPublic" from apps where id = ${app} for no key update`
const lockedOf = firstOf(Schema.Struct({ id: Schema.toType(AppId), isPublic: Schema.Boolean }))

export const AppsLive = Layer.effect(
  Apps,
  Effect.map(Database, ({ perform, rows }) => {
    const appsOf = rows(AppSummary)
    return Apps.of({
      create: Effect.fn("Apps.create")((app) => perform(insertApp(app))),

      rotateSecret: Effect.fn("Apps.rotateSecret")((id, overlapHours) =>
        perform(
          Effect.gen(function* (): Step<NewClientSecret, AppNotFound | NoClientSecret> {
            const app = Option.getOrUndefined(yield* lockedOf(lockApp(id))) ?? (yield* new AppNotFound({ id }))
            return yield* rotateClientSecret(app, overlapHours)
          })
        )
      ),

      list: Effect.fn("Apps.list")((limit) =>
        appsOf(sql`
          select
            a.id as "appId", a.name, a.scopes, a.capabilities, count(i.id)::integer as installations,
            a.created_at as "createdAt"
          from apps a
          left join (installations i join stores s on s.id = i.store_id and s.deleted_at is null)
            on i.app_id = a.id and i.is_active
          group by a.id order by a.id desc limit ${limit}
        `)
      )
    })
  })
)
