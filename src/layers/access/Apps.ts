import { Effect, Layer, Schema } from "effect"
import { AppId, Apps, AppSummary } from "../../domain/access/Apps.ts"
import { Database } from "../database/Postgres.ts"
import { sql } from "../database/Statement.ts"

export const AppsLive = Layer.effect(
  Apps,
  Effect.map(Database, ({ one, rows }) => {
    const idOf = one(Schema.Struct({ id: Schema.typeSchema(AppId) }).pipe(Schema.pluck("id")))
    const appsOf = rows(AppSummary)
    return Apps.of({
      create: Effect.fn("Apps.create")(({ capabilities, name, scopes }) =>
        idOf(sql`
          insert into apps (id, name, scopes, capabilities)
          values (uuid_v7(clock_micros()), ${name}, ${scopes}, ${capabilities}) returning id
        `)
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
