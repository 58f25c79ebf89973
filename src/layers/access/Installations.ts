import { Effect, Layer, Option, Schema, Struct } from "effect"
import type { Grants } from "../../domain/access/AccessRule.ts"
import { type AppId, AppNotFound, AppSummary } from "../../domain/access/Apps.ts"
import { CapabilitiesNotDeclared } from "../../domain/access/Capability.ts"
import {
  InstallationId,
  InstallationNotFound,
  Installations,
  InstallationSummary,
  InstalledApp
} from "../../domain/access/Installations.ts"
import { ScopesNotDeclared } from "../../domain/access/Scope.ts"
import { UnknownStore } from "../../domain/access/Stores.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Write } from "../../domain/Write.ts"
import { cancelLive } from "../billing/Subscriptions.ts"
import { countOf, firstOf, type Step, withClient } from "../sql/Plan.ts"
import { Database } from "../sql/Postgres.ts"
import { sql, type Statement } from "../sql/Statement.ts"
import { recordAdministered } from "../journal/Administered.ts"
import { arrayOf } from "../Lists.ts"
import { revokeTokensOfInstallation } from "../oauth/Revocation.ts"
import { jsonPage, pageOf, START } from "../Pages.ts"
import { time } from "../Times.ts"
import { INSTALLED, made, mayBe, STATE } from "./InstallationState.ts"
import { purgeOldest, purgeBeforeInstall } from "./UninstalledDataPurge.ts"

const summaries = sql`
  select
    i.id as "installationId", i.store_id as "storeId", i.app_id as "appId", i.scopes, i.capabilities, ${STATE} as state,
    i.created_at as "createdAt"
  from installations i join stores s on s.id = i.store_id and s.deleted_at is null
  where ${INSTALLED}
`

/** An installation as members of the store see it, as JSON. Its app is `a`. */
const INSTALLED_APP = sql`
  json_build_object(
    'id', i.id, 'appId', i.app_id, 'appName', a.name, 'scopes', i.scopes, 'capabilities', i.capabilities,
    'state', ${STATE}, 'installedAt', ${time("coalesce(i.installed_at, i.created_at)")}
  )::text
`

const selectPage = (store: StoreId, cursor: string, limit: number) =>
  jsonPage(
    sql`
    select i.id, ${INSTALLED_APP} as json from installations i join apps a on a.id = i.app_id
    where i.store_id = ${store} and i.id > ${cursor} and ${INSTALLED}
  `,
    limit
  )

const SELECT = sql`select ${INSTALLED_APP} as json from installations i join apps a on a.id = i.app_id`
const selectOne = (store: StoreId, id: InstallationId) =>
  sql`${SELECT} where i.store_id = ${store} and i.id = ${id} and ${INSTALLED}`
const lockOne = (store: StoreId, id: InstallationId) =>
  sql`${SELECT} where i.store_id = ${store} and i.id = ${id} and ${INSTALLED} for no key update of i`

const Json = Schema.Struct({ json: Schema.String })
const jsonOf = firstOf(Json)
const installedIn = Schema.decodeSync(Schema.fromJsonString(InstalledApp))

/** Until the transaction ends, its row does not go. */
const lockStore = (store: StoreId) => sql`select 1 from stores where id = ${store} and deleted_at is null for key share`
const selectApp = (app: AppId) => sql`select scopes, capabilities from apps where id = ${app}`

/** The row of an app that was never on the store, as if it had been uninstalled: so that there is one to lock. */
const prepareInstallation = (store: StoreId, app: AppId) => sql`
  with i as (
    insert into installations (store_id, id, app_id, scopes, capabilities, is_active, uninstalled_at)
    values (${store}, uuid_v7(clock_micros()), ${app}, '{}', '{}', false, clock_timestamp())
    on conflict (store_id, app_id) do nothing returning store_id, id
  )
  insert into rate_windows (store_id, installation_id) select store_id, id from i
`

const lockOfApp = (store: StoreId, app: AppId) => sql`
  select i.id, case when ${INSTALLED} then ${INSTALLED_APP} end as json
  from installations i join apps a on a.id = i.app_id
  where i.store_id = ${store} and i.app_id = ${app} for no key update of i
`
const heldOf = firstOf(Schema.Struct({ id: Schema.toType(InstallationId), json: Schema.NullOr(Schema.String) }))

const grant = (store: StoreId, id: InstallationId, scopes: string, capabilities: string) => sql`
  with i as (
    update installations i set ${made("install")}, scopes = ${scopes}, capabilities = ${capabilities},
      installed_at = case when ${INSTALLED} then i.installed_at else clock_timestamp() end
    where i.store_id = ${store} and i.id = ${id} and ${mayBe("install")} returning i.*
  )
  select ${INSTALLED_APP} as json from i join apps a on a.id = i.app_id
`

const updateState = (store: StoreId, id: InstallationId, act: "suspend" | "resume") => sql`
  with i as (
    update installations i set ${made(act)} where i.store_id = ${store} and i.id = ${id} and ${mayBe(act)} returning i.*
  )
  select ${INSTALLED_APP} as json from i join apps a on a.id = i.app_id
`

const uninstall = (store: StoreId, id: InstallationId) => sql`
  update installations i set ${made("uninstall")} where i.store_id = ${store} and i.id = ${id} and ${mayBe("uninstall")}
`

const appOf = firstOf(AppSummary.mapFields(Struct.pick(["scopes", "capabilities"])))

const requireStore = Effect.fnUntraced(function* (id: StoreId): Step<void, UnknownStore> {
  if ((yield* countOf(lockStore(id))) === 0) yield* new UnknownStore({ id })
})

const requireApp = Effect.fnUntraced(function* (id: AppId): Step<Grants, AppNotFound> {
  return Option.getOrUndefined(yield* appOf(selectApp(id))) ?? (yield* new AppNotFound({ id }))
})

/** An installation that nobody else changes until the transaction ends. */
const held = Effect.fnUntraced(function* (
  store: StoreId,
  id: InstallationId
): Step<InstalledApp, InstallationNotFound> {
  const found = Option.getOrUndefined(yield* jsonOf(lockOne(store, id)))
  return installedIn((found ?? (yield* new InstallationNotFound({ id }))).json)
})

/** An installation as a statement leaves it. */
const changed = Effect.fnUntraced(function* (
  store: StoreId,
  id: InstallationId,
  before: InstalledApp | null,
  change: Statement
): Step<string> {
  const { json } = Option.getOrThrow(yield* jsonOf(change))
  yield* withClient((sql) => recordAdministered(sql, store, "installation", id, before, installedIn(json)))
  return json
})

/** Does what members do with an installation, and answers it. */
const acted = (store: StoreId, id: InstallationId, act: Statement): Write<string, InstallationNotFound> =>
  Effect.gen(function* () {
    return yield* changed(store, id, yield* held(store, id), act)
  })

export const InstallationsLive = Layer.effect(
  Installations,
  Effect.gen(function* () {
    const database = yield* Database
    const { first, perform, rows } = database
    const foundOf = first(Json)
    const installedPage = pageOf(database, InstallationId)
    const installationsOf = rows(InstallationSummary)
    const summaryOf = first(InstallationSummary)

    return Installations.of({
      install: ({ appId, capabilities, scopes, storeId }) =>
        Effect.gen(function* () {
          yield* requireStore(storeId)
          const app = yield* requireApp(appId)
          const undeclared = {
            scopes: scopes.filter((scope) => !app.scopes.includes(scope)),
            capabilities: capabilities.filter((capability) => !app.capabilities.includes(capability))
          }
          if (undeclared.scopes.length > 0) return yield* new ScopesNotDeclared(undeclared)
          if (undeclared.capabilities.length > 0) return yield* new CapabilitiesNotDeclared(undeclared)
          yield* purgeBeforeInstall(storeId, appId)
          yield* countOf(prepareInstallation(storeId, appId))
          const { id, json } = Option.getOrThrow(yield* heldOf(lockOfApp(storeId, appId)))
          yield* changed(
            storeId,
            id,
            json === null ? null : installedIn(json),
            grant(storeId, id, arrayOf(scopes), arrayOf(capabilities))
          )
          return { id, storeId, scopes, capabilities }
        }),

      list: Effect.fn("Installations.list")(function* ({ appId, limit, storeId }) {
        if (Option.isSome(storeId)) yield* perform(requireStore(storeId.value))
        if (Option.isSome(appId)) yield* perform(requireApp(appId.value))
        return yield* installationsOf(sql`
          ${summaries} and ${Option.match(storeId, { onNone: () => sql`true`, onSome: (id) => sql`i.store_id = ${id}` })}
            and ${Option.match(appId, { onNone: () => sql`true`, onSome: (id) => sql`i.app_id = ${id}` })}
          order by i.id desc limit ${limit}
        `)
      }),

      find: Effect.fn("Installations.find")(function* (id) {
        const found = yield* summaryOf(sql`${summaries} and i.id = ${id}`)
        return yield* Effect.mapError(Effect.fromOption(found), () => new InstallationNotFound({ id }))
      }),

      listInstalled: Effect.fn("Installations.listInstalled")((store, { cursor = START, limit }) =>
        installedPage(selectPage(store, cursor, limit))
      ),

      getInstalled: Effect.fn("Installations.getInstalled")((store, id) =>
        Effect.flatMap(
          foundOf(selectOne(store, id)),
          Option.match({
            onNone: () => new InstallationNotFound({ id }),
            onSome: ({ json }) => Effect.succeed(json)
          })
        )
      ),

      suspend: (store, id) => acted(store, id, updateState(store, id, "suspend")),
      resume: (store, id) => acted(store, id, updateState(store, id, "resume")),

      uninstall: (store, id) =>
        Effect.gen(function* () {
          const before = yield* held(store, id)
          yield* countOf(uninstall(store, id))
          yield* revokeTokensOfInstallation(store, id)
          yield* cancelLive(store, id)
          yield* withClient((sql) => recordAdministered(sql, store, "installation", id, before, null))
        }),

      purge: perform(purgeOldest())
    })
  })
)
