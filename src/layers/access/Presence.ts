import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type OpenForm, Presence, PRESENT_SECONDS } from "../../domain/access/Presence.ts"
import type { StoreId } from "../../domain/Store.ts"
import { orDefect } from "../sql/Errors.ts"
import { purgeExpired } from "../sql/Purging.ts"
import { requiredRowReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { time } from "../sql/Times.ts"
import { rowCount } from "../sql/Transaction.ts"

const readJson = requiredRowReader(Schema.Struct({ json: Schema.String }))

export const PresenceLive = Layer.effect(
  Presence,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const isForm = (store: StoreId, { id, kind }: OpenForm) =>
      sql`store_id = ${store} and kind = ${kind} and resource_id = ${id}`

    const end = sql`clock_timestamp() + interval '${constant(PRESENT_SECONDS)} seconds'`

    return Presence.of({
      announce: Effect.fn("Presence.announce")(function* (store, member, form) {
        const { json } = yield* readJson(sql`
          with own as (
            insert into open_forms as known (store_id, kind, resource_id, member_id, opened_at, expires_at)
            values (${store}, ${form.kind}, ${form.id}, ${member}, clock_timestamp(), ${end})
            on conflict (store_id, kind, resource_id, member_id) do update set
              opened_at = case when known.expires_at > clock_timestamp() then known.opened_at else excluded.opened_at end,
              expires_at = excluded.expires_at
          )
          select coalesce(json_agg(
            json_build_object('memberId', member_id, 'name', m.name, 'openedAt', ${time("opened_at")})
            order by opened_at, member_id
          ), '[]')::text as json
          from open_forms join merchants m on m.id = member_id
          where ${isForm(store, form)} and member_id <> ${member} and expires_at > clock_timestamp()
        `)
        return json
      }, orDefect),

      leave: Effect.fn("Presence.leave")(
        (store, member, form) =>
          Effect.asVoid(sql`delete from open_forms where ${isForm(store, form)} and member_id = ${member}`),
        orDefect
      ),

      purge: rowCount(
        sql`${purgeExpired({ table: "open_forms", key: ["store_id", "kind", "resource_id", "member_id"] })}`
      ).pipe(orDefect, Effect.withSpan("Presence.purge"))
    })
  })
)
