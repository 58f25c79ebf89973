import { Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { Grants } from "../../domain/access/AccessRule.ts"
import { AppId } from "../../domain/access/Ids.ts"
import { type AppClient, AppNotFound, Apps, AppSummary } from "../../domain/access/Apps.ts"
import { redirectsOf } from "../../domain/oauth/Redirects.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { rotateClientSecret } from "./ClientSecrets.ts"

/** Returns the distinct texts as an array of PostgreSQL. */
export const distinctArrayOf = (texts: ReadonlyArray<string>) => textArray([...new Set(texts)])

/** Inserts an app, if its redirect URIs may be registered. */
export const insertApp = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  {
    capabilities,
    developer = null,
    isPublic = false,
    logoUrl = null,
    name,
    redirectUris = [],
    scopes,
    website = null
  }: Grants & Partial<AppClient> & { readonly name: string }
) {
  const redirects = yield* Effect.fromResult(redirectsOf(redirectUris, isPublic))
  const [row] = yield* sql<{ readonly id: string }>`
    insert into apps (id, name, scopes, capabilities, developer_id, website, logo_url, is_public, redirect_uris)
    values (
      uuid_v7(clock_micros()), ${name}, ${distinctArrayOf(scopes)}, ${distinctArrayOf(capabilities)}, ${developer},
      ${website}, ${logoUrl}, ${isPublic}, ${distinctArrayOf(redirects)}
    ) returning id
  `
  return AppId.make(row?.id ?? "")
}, orDefect)

export const AppsLive = Layer.effect(
  Apps,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const listApps = SqlSchema.findAll({
      Request: Schema.Int,
      Result: AppSummary,
      execute: (limit) => sql`
        select
          a.id as "appId", a.name, a.scopes, a.capabilities, count(i.id)::integer as installations,
          a.created_at as "createdAt"
        from apps a
        left join (installations i join stores s on s.id = i.store_id and s.deleted_at is null)
          on i.app_id = a.id and i.is_active
        group by a.id order by a.id desc limit ${limit}
      `
    })

    return Apps.of({
      create: Effect.fn("Apps.create")((app) => insertApp(sql, app)),

      createWith: Effect.fn("Apps.createWith")((app, setUp) =>
        insertApp(sql, app).pipe(Effect.flatMap(setUp), sql.withTransaction, orDefect)
      ),

      rotateSecret: Effect.fn("Apps.rotateSecret")((id, overlapHours) =>
        Effect.gen(function* () {
          const [app] = yield* sql<{ readonly id: AppId; readonly isPublic: boolean }>`
            select id, is_public as "isPublic" from apps where id = ${id} for no key update
          `
          return yield* app === undefined ? new AppNotFound({ id }) : rotateClientSecret(sql, app, overlapHours)
        }).pipe(sql.withTransaction, orDefect)
      ),

      list: Effect.fn("Apps.list")(listApps, orDefect)
    })
  })
)
