import { Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Apps, AppSummary } from "../../domain/access/Apps.ts"
import { orDefect } from "../sql/Errors.ts"
import { AppRepository } from "./AppRepository.ts"
import { SERVED } from "./Stores.ts"

export const AppsLive = Layer.effect(
  Apps,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repository = yield* AppRepository

    const listApps = SqlSchema.findAll({
      Request: Schema.Int,
      Result: AppSummary,
      execute: (limit) => sql`
        select
          a.id as "appId", a.name, a.scopes, a.capabilities, count(i.id)::integer as installations,
          a.created_at as "createdAt"
        from apps a
        left join (installations i join stores s on s.id = i.store_id and s.deleted_at is null and ${SERVED})
          on i.app_id = a.id and i.is_active
        group by a.id order by a.id desc limit ${limit}
      `
    })

    return Apps.of({
      create: Effect.fn("Apps.create")(repository.insert),

      createWith: Effect.fn("Apps.createWith")((app, setUp) =>
        repository.insert(app).pipe(Effect.flatMap(setUp), sql.withTransaction, orDefect)
      ),

      rotateSecret: Effect.fn("Apps.rotateSecret")(
        function* (id, overlapHours) {
          return yield* repository.rotateSecret(yield* repository.lock(id), overlapHours)
        },
        sql.withTransaction,
        orDefect
      ),

      list: Effect.fn("Apps.list")(listApps, orDefect)
    })
  })
)
