import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { createHash, randomBytes } from "node:crypto"
import {
  AppId,
  AppNotFound,
  InstallationId,
  InstallationNotFound,
  Scope,
  ScopesNotDeclared
} from "../domain/Installation.ts"
import { Installations } from "../domain/Installations.ts"
import { Plan, PlanNotFound, StoreId, StoreNotFound } from "../domain/Store.ts"
import { count, oneRowOf, rowOf, rowsOf } from "./Rows.ts"
import { makeIndexed, makeTransaction } from "./Transaction.ts"

/** Tokens that one purge deletes at most, so that it never holds many locks. */
const PURGE_BATCH = 1000

const plansOf = rowsOf(Plan)
const storeIdOf = oneRowOf(Schema.Struct({ id: Schema.typeSchema(StoreId) }))
const appIdOf = oneRowOf(Schema.Struct({ id: Schema.typeSchema(AppId) }))
const installationIdOf = oneRowOf(Schema.Struct({ id: Schema.typeSchema(InstallationId) }))
const scopesOf = rowOf(Schema.Struct({ scopes: Schema.Array(Scope) }))
const expiryOf = oneRowOf(Schema.Struct({ expiresAt: Schema.DateTimeUtcFromDate }))

export const InstallationsLive = Layer.effect(
  Installations,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const transaction = makeTransaction(sql)
    const indexed = makeIndexed(sql)
    const newId = sql.literal("uuid_v7(clock_micros())")

    const listPlans = plansOf(sql`select name, product_limit as "productLimit" from plans order by product_limit, name`)

    return Installations.of({
      listPlans,

      createStore: Effect.fn("Installations.createStore")(function* ({ currencyCode, name, plan }) {
        const known = (yield* listPlans).map(({ name }) => name)
        if (!known.includes(plan)) return yield* new PlanNotFound({ name: plan, known })
        const { id } = yield* storeIdOf(sql`
          insert into stores (id, name, plan, currency_code)
          values (${newId}, ${name}, ${plan}, ${currencyCode}) returning id
        `)
        return id
      }),

      createApp: Effect.fn("Installations.createApp")(function* ({ name, scopes }) {
        const { id } = yield* appIdOf(sql`
          insert into apps (id, name, scopes) values (${newId}, ${name}, ${scopes}) returning id
        `)
        return id
      }),

      install: Effect.fn("Installations.install")(function* ({ appId, scopes, storeId }) {
        const stores = yield* count(
          sql`select 1 from stores where id = ${storeId} and deleted_at is null for key share`
        )
        if (stores === 0) return yield* new StoreNotFound()
        const app = yield* scopesOf(sql`select scopes from apps where id = ${appId}`)
        if (Option.isNone(app)) return yield* new AppNotFound({ id: appId })
        const undeclared = scopes.filter((scope) => !app.value.scopes.includes(scope))
        if (undeclared.length > 0) return yield* new ScopesNotDeclared({ scopes: undeclared })
        const { id } = yield* installationIdOf(sql`
          with installed as (
            insert into installations (store_id, id, app_id, scopes)
            values (${storeId}, ${newId}, ${appId}, ${scopes}) returning store_id, id
          ), opened as (
            insert into rate_windows (store_id, installation_id) select store_id, id from installed
          )
          select id from installed
        `)
        return { id, storeId, scopes }
      }, transaction),

      deactivate: Effect.fn("Installations.deactivate")(function* (id) {
        const changed = yield* count(sql`update installations set is_active = false where id = ${id} returning 1`)
        if (changed === 0) return yield* new InstallationNotFound({ id })
      }),

      issueToken: Effect.fn("Installations.issueToken")(function* ({ id, storeId }) {
        const token = randomBytes(32).toString("base64url")
        const hash = createHash("sha256").update(token).digest()
        const { expiresAt } = yield* expiryOf(sql`
          insert into access_tokens (token_hash, store_id, installation_id, expires_at)
          values (${hash}, ${storeId}, ${id}, clock_timestamp() + interval '1 hour')
          returning expires_at as "expiresAt"
        `)
        return { token: Redacted.make(token), expiresAt }
      }),

      purge: count(
        indexed(sql`
        with ended as materialized (
          select token_hash from access_tokens
          where expires_at <= now() order by expires_at limit ${sql.literal(String(PURGE_BATCH))} for update skip locked
        )
        delete from access_tokens t using ended where t.token_hash = ended.token_hash returning 1
      `)
      )
    })
  })
)
