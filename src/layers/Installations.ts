import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { createHash, randomBytes } from "node:crypto"
import {
  AppId,
  AppNotFound,
  AppSummary,
  InstallationDeactivated,
  InstallationId,
  InstallationNotFound,
  InstallationSummary,
  Scope,
  ScopesNotDeclared
} from "../domain/Installation.ts"
import { Installations } from "../domain/Installations.ts"
import { Plan, PlanExists, PlanNotFound, StoreId, StoreSummary, UnknownStore } from "../domain/Store.ts"
import { Database } from "./database/Postgres.ts"
import { sql } from "./database/Statement.ts"

/** Tokens that one purge deletes at most, so that it never holds many locks. */
const PURGE_BATCH = 1000

export const InstallationsLive = Layer.effect(
  Installations,
  Effect.gen(function* () {
    const { count, first, one, rows, transaction } = yield* Database
    const plansOf = rows(Plan)
    const storesOf = rows(StoreSummary)
    const appsOf = rows(AppSummary)
    const installationsOf = rows(InstallationSummary)
    const storeIdOf = one(Schema.Struct({ id: Schema.typeSchema(StoreId) }))
    const appIdOf = one(Schema.Struct({ id: Schema.typeSchema(AppId) }))
    const installationIdOf = one(Schema.Struct({ id: Schema.typeSchema(InstallationId) }))
    const scopesOf = first(Schema.Struct({ scopes: Schema.Array(Scope) }))
    const foundOf = first(
      Schema.Struct({
        id: Schema.typeSchema(InstallationId),
        storeId: Schema.typeSchema(StoreId),
        scopes: Schema.Array(Scope),
        isActive: Schema.Boolean
      })
    )
    const goodOf = first(Schema.Struct({ good: Schema.Int }))
    const expiryOf = one(Schema.Struct({ expiresAt: Schema.DateTimeUtcFromDate }))
    const newId = sql.literal("uuid_v7(clock_micros())")

    const listPlans = plansOf(sql`
      select name, product_limit as "productLimit", collection_limit as "collectionLimit"
      from plans order by product_limit, name
    `)

    const requirePlan = Effect.fnUntraced(function* (name: string) {
      const known = (yield* listPlans).map((plan) => plan.name)
      if (!known.includes(name)) return yield* new PlanNotFound({ name, known })
    })

    /** Until the transaction ends, its row does not go. */
    const requireStore = (id: StoreId) =>
      Effect.flatMap(count(sql`select 1 from stores where id = ${id} and deleted_at is null for key share`), (found) =>
        found === 0 ? new UnknownStore({ id }) : Effect.void
      )

    const requireApp = (id: AppId) =>
      Effect.flatMap(
        scopesOf(sql`select scopes from apps where id = ${id}`),
        Option.match({ onNone: () => new AppNotFound({ id }), onSome: Effect.succeed })
      )

    const setActive = Effect.fnUntraced(function* (id: InstallationId, isActive: boolean) {
      const changed = yield* count(sql`update installations set is_active = ${isActive} where id = ${id} returning 1`)
      if (changed === 0) return yield* new InstallationNotFound({ id })
    })

    return Installations.of({
      listPlans,

      createPlan: Effect.fn("Installations.createPlan")(function* ({ collectionLimit, name, productLimit }) {
        const made = yield* count(sql`
          insert into plans (name, product_limit, collection_limit)
          values (${name}, ${productLimit}, ${collectionLimit}) on conflict do nothing returning 1
        `)
        if (made === 0) return yield* new PlanExists({ name })
      }),

      createStore: Effect.fn("Installations.createStore")(function* ({ currencyCode, name, plan }) {
        yield* requirePlan(plan)
        const { id } = yield* storeIdOf(sql`
          insert into stores (id, name, plan, currency_code)
          values (${newId}, ${name}, ${plan}, ${currencyCode}) returning id
        `)
        return id
      }),

      listStores: Effect.fn("Installations.listStores")((limit) =>
        storesOf(sql`
          select
            s.id as "storeId", s.name, s.plan, s.currency_code as "currencyCode", s.product_count as products,
            (select count(*)::integer from collections c where c.store_id = s.id) as collections,
            (select count(*)::integer from installations i where i.store_id = s.id and i.is_active) as installations,
            s.created_at as "createdAt"
          from stores s where s.deleted_at is null order by s.id desc limit ${limit}
        `)
      ),

      setPlan: Effect.fn("Installations.setPlan")(function* (id, plan) {
        yield* requirePlan(plan)
        const changed = yield* count(
          sql`update stores set plan = ${plan} where id = ${id} and deleted_at is null returning 1`
        )
        if (changed === 0) return yield* new UnknownStore({ id })
      }),

      deleteStore: Effect.fn("Installations.deleteStore")(function* (id) {
        const deleted = yield* count(
          sql`update stores set deleted_at = clock_timestamp() where id = ${id} and deleted_at is null returning 1`
        )
        if (deleted === 0) return yield* new UnknownStore({ id })
      }),

      createApp: Effect.fn("Installations.createApp")(function* ({ name, scopes }) {
        const { id } = yield* appIdOf(sql`
          insert into apps (id, name, scopes) values (${newId}, ${name}, ${scopes}) returning id
        `)
        return id
      }),

      listApps: Effect.fn("Installations.listApps")((limit) =>
        appsOf(sql`
          select
            a.id as "appId", a.name, a.scopes, count(i.id)::integer as installations, a.created_at as "createdAt"
          from apps a
          left join (installations i join stores s on s.id = i.store_id and s.deleted_at is null)
            on i.app_id = a.id and i.is_active
          group by a.id order by a.id desc limit ${limit}
        `)
      ),

      install: Effect.fn("Installations.install")(function* ({ appId, scopes, storeId }) {
        yield* requireStore(storeId)
        const app = yield* requireApp(appId)
        const undeclared = scopes.filter((scope) => !app.scopes.includes(scope))
        if (undeclared.length > 0) return yield* new ScopesNotDeclared({ scopes: undeclared })
        const { id } = yield* installationIdOf(sql`
          with installed as (
            insert into installations (store_id, id, app_id, scopes)
            values (${storeId}, ${newId}, ${appId}, ${scopes})
            on conflict (store_id, app_id) do update set scopes = excluded.scopes, is_active = true
            returning store_id, id
          ), opened as (
            insert into rate_windows (store_id, installation_id) select store_id, id from installed
            on conflict do nothing
          )
          select id from installed
        `)
        return { id, storeId, scopes }
      }, transaction),

      listInstallations: Effect.fn("Installations.listInstallations")(function* ({ appId, limit, storeId }) {
        if (Option.isSome(storeId)) yield* requireStore(storeId.value)
        if (Option.isSome(appId)) yield* requireApp(appId.value)
        return yield* installationsOf(sql`
          select
            i.id as "installationId", i.store_id as "storeId", i.app_id as "appId", i.scopes, i.is_active as active,
            i.created_at as "createdAt"
          from installations i join stores s on s.id = i.store_id and s.deleted_at is null
          where ${Option.match(storeId, { onNone: () => sql`true`, onSome: (id) => sql`i.store_id = ${id}` })}
            and ${Option.match(appId, { onNone: () => sql`true`, onSome: (id) => sql`i.app_id = ${id}` })}
          order by i.id desc limit ${limit}
        `)
      }),

      deactivate: Effect.fn("Installations.deactivate")((id) => setActive(id, false)),
      activate: Effect.fn("Installations.activate")((id) => setActive(id, true)),

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

      purge: count(sql`
        with ended as materialized (
          select token_hash from access_tokens
          where expires_at <= now() order by expires_at limit ${sql.literal(String(PURGE_BATCH))} for update skip locked
        )
        delete from access_tokens t using ended where t.token_hash = ended.token_hash returning 1
      `),

      findActive: Effect.fn("Installations.findActive")(function* (id) {
        const found = yield* foundOf(sql`
          select i.id, i.store_id as "storeId", i.scopes, i.is_active as "isActive"
          from installations i join stores s on s.id = i.store_id and s.deleted_at is null
          where i.id = ${id}
        `)
        if (Option.isNone(found)) return yield* new InstallationNotFound({ id })
        const { isActive, ...installation } = found.value
        return isActive ? installation : yield* new InstallationDeactivated({ id })
      }),

      revokeTokens: Effect.fn("Installations.revokeTokens")(function* (id) {
        const revoked = yield* goodOf(sql`
          with installation as (
            select store_id, id from installations where id = ${id}
          ), ended as (
            delete from access_tokens t using installation i
            where t.store_id = i.store_id and t.installation_id = i.id
            returning t.expires_at > clock_timestamp() as good
          )
          select (select count(*)::integer from ended where good) as good from installation
        `)
        return yield* Option.match(revoked, {
          onNone: () => new InstallationNotFound({ id }),
          onSome: ({ good }) => Effect.succeed(good)
        })
      })
    })
  })
)
