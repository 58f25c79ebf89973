import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type AppId, InstallationId } from "../../domain/access/Ids.ts"
import { AppNotFound, AppSummary } from "../../domain/access/Apps.ts"
import { CapabilitiesNotDeclared } from "../../domain/access/Capability.ts"
import {
  InstallationNotFound,
  Installations,
  InstallationSummary,
  InstalledApp
} from "../../domain/access/Installations.ts"
import { ScopesNotDeclared } from "../../domain/access/Scope.ts"
import { UnknownStore } from "../../domain/access/Stores.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Subscriptions } from "../billing/Subscriptions.ts"
import { AdministeredChanges } from "../journal/Administered.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { Revocation } from "../oauth/Revocation.ts"
import { pageReader, selectPage, START } from "../sql/Pages.ts"
import { orDefect } from "../sql/Errors.ts"
import { readArrived } from "../sql/Postgres.ts"
import { findJson, requiredRowReader, rowReader } from "../sql/Rows.ts"
import type { Fragment, Statement } from "../sql/Statement.ts"
import { time } from "../sql/Times.ts"
import { canTransition, INSTALLED, STATE, transition } from "./InstallationState.ts"
import { SERVED } from "./Stores.ts"
import { UninstalledDataPurge } from "./UninstalledDataPurge.ts"

const readInstallations = pageReader(InstallationId)

const decodeInstalledApp = Schema.decodeEffect(Schema.fromJsonString(InstalledApp))

const readGrants = rowReader(
  Schema.Struct({ scopes: AppSummary.fields.scopes, capabilities: AppSummary.fields.capabilities })
)

const readJson = requiredRowReader(Schema.Struct({ json: Schema.String }))

/** Row of an app on a store. Its JSON is null while the app is uninstalled. */
const readLocked = requiredRowReader(
  Schema.Struct({ id: Schema.toType(InstallationId), json: Schema.NullOr(Schema.String) })
)

export const InstallationsLive = Layer.effect(
  Installations,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { record: recordAdministered } = yield* AdministeredChanges
    const { purgeBeforeInstall, purgeOldest } = yield* UninstalledDataPurge
    const { revokeTokensOfInstallation } = yield* Revocation
    const { cancelActive } = yield* Subscriptions
    const arrived = yield* readArrived

    const selectSummaries = (conditions: ReadonlyArray<Fragment>) => sql`
      select
        i.id as "installationId", i.store_id as "storeId", i.app_id as "appId", i.scopes, i.capabilities,
        ${STATE} as state, i.created_at as "createdAt"
      from installations i join stores s on s.id = i.store_id and s.deleted_at is null and ${SERVED}
      where ${sql.and([INSTALLED, ...conditions])}
    `

    const listSummaries = SqlSchema.findAll({
      Request: Schema.Struct({
        storeId: Schema.Option(Schema.String),
        appId: Schema.Option(Schema.String),
        limit: Schema.Int
      }),
      Result: InstallationSummary,
      execute: ({ appId, limit, storeId }) => sql`
        ${selectSummaries([
          ...Option.toArray(Option.map(storeId, (id) => sql`i.store_id = ${id}`)),
          ...Option.toArray(Option.map(appId, (id) => sql`i.app_id = ${id}`))
        ])} order by i.id desc limit ${limit}
      `
    })

    const findSummary = SqlSchema.findOneOption({
      Request: InstallationId,
      Result: InstallationSummary,
      execute: (id) => selectSummaries([sql`i.id = ${id}`])
    })

    /** Installation `i` of app `a` as JSON for members of the store. */
    const installedJson = sql`
      json_build_object(
        'id', i.id, 'appId', i.app_id, 'appName', a.name, 'scopes', i.scopes, 'capabilities', i.capabilities,
        'state', ${STATE}, 'installedAt', ${time("coalesce(i.installed_at, i.created_at)")}
      )::text
    `

    /** The shared lock keeps the row of the store until the transaction ends. */
    const requireStore = Effect.fnUntraced(function* (id: StoreId) {
      const stores = yield* sql`select 1 from stores where id = ${id} and deleted_at is null for key share`
      if (stores.length === 0) yield* new UnknownStore({ id })
    })

    const requireApp = Effect.fnUntraced(function* (id: AppId) {
      const app = yield* arrived(readGrants(sql`select scopes, capabilities from apps where id = ${id}`))
      return Option.isSome(app) ? app.value : yield* new AppNotFound({ id })
    })

    const selectInstalled = (store: StoreId, id: InstallationId) => sql`
      select ${installedJson} as json from installations i join apps a on a.id = i.app_id
      where i.store_id = ${store} and i.id = ${id} and ${INSTALLED}
    `

    const requireInstalled = Effect.fnUntraced(function* (id: InstallationId, select: Statement) {
      const installed = yield* findJson(select)
      return Option.isSome(installed) ? installed.value : yield* new InstallationNotFound({ id })
    })

    /** Locks an installation against other changes until the transaction ends. */
    const lockById = (store: StoreId, id: InstallationId) =>
      Effect.flatMap(
        requireInstalled(id, sql`${selectInstalled(store, id)} for no key update of i`),
        decodeInstalledApp
      )

    /** Runs a change of a locked installation, records it and returns the new state. */
    const change = Effect.fnUntraced(function* (
      store: StoreId,
      id: InstallationId,
      before: InstalledApp | null,
      statement: Statement
    ) {
      const { json } = yield* readJson(statement)
      yield* recordAdministered(store, "installation", id, before, yield* decodeInstalledApp(json))
      return json
    })

    const setState = Effect.fnUntraced(function* (store: StoreId, id: InstallationId, act: "suspend" | "resume") {
      const before = yield* lockById(store, id)
      return yield* change(
        store,
        id,
        before,
        sql`
          with i as (
            update installations i set ${transition(act)}
            where i.store_id = ${store} and i.id = ${id} and ${canTransition(act)} returning i.*
          )
          select ${installedJson} as json from i join apps a on a.id = i.app_id
        `
      )
    }, orDefect)

    return Installations.of({
      install: Effect.fn("Installations.install")(function* ({ appId, capabilities, scopes, storeId }) {
        yield* requireStore(storeId)
        const app = yield* requireApp(appId)
        const undeclared = {
          scopes: scopes.filter((scope) => !app.scopes.includes(scope)),
          capabilities: capabilities.filter((capability) => !app.capabilities.includes(capability))
        }
        if (undeclared.scopes.length > 0) return yield* new ScopesNotDeclared(undeclared)
        if (undeclared.capabilities.length > 0) return yield* new CapabilitiesNotDeclared(undeclared)
        yield* purgeBeforeInstall(storeId, appId)
        // An app that was never on the store gets a row as if it had been uninstalled, so that there is one to lock.
        yield* sql`
          with i as (
            insert into installations (store_id, id, app_id, scopes, capabilities, is_active, uninstalled_at)
            values (${storeId}, uuid_v7(clock_micros()), ${appId}, '{}', '{}', false, statement_timestamp())
            on conflict (store_id, app_id) do nothing returning store_id, id
          )
          insert into rate_windows (store_id, installation_id) select store_id, id from i
        `
        const { id, json } = yield* readLocked(sql`
          select i.id, case when ${INSTALLED} then ${installedJson} end as json
          from installations i join apps a on a.id = i.app_id
          where i.store_id = ${storeId} and i.app_id = ${appId} for no key update of i
        `)
        yield* change(
          storeId,
          id,
          json === null ? null : yield* decodeInstalledApp(json),
          sql`
            with i as (
              update installations i set ${transition("install")}, scopes = ${textArray(scopes)},
                capabilities = ${textArray(capabilities)},
                installed_at = case when ${INSTALLED} then i.installed_at else statement_timestamp() end
              where i.store_id = ${storeId} and i.id = ${id} and ${canTransition("install")} returning i.*
            )
            select ${installedJson} as json from i join apps a on a.id = i.app_id
          `
        )
        return { id, storeId, scopes, capabilities }
      }, orDefect),

      list: Effect.fn("Installations.list")(function* (filter) {
        if (Option.isSome(filter.storeId)) yield* requireStore(filter.storeId.value)
        if (Option.isSome(filter.appId)) yield* requireApp(filter.appId.value)
        return yield* listSummaries(filter)
      }, orDefect),

      find: Effect.fn("Installations.find")(function* (id) {
        const found = yield* findSummary(id)
        return Option.isSome(found) ? found.value : yield* new InstallationNotFound({ id })
      }, orDefect),

      listInstalled: Effect.fn("Installations.listInstalled")(
        (store, { cursor = START, limit }) =>
          readInstallations(
            selectPage(
              sql,
              sql`
                select i.id, ${installedJson} as json from installations i join apps a on a.id = i.app_id
                where i.store_id = ${store} and i.id > ${cursor} and ${INSTALLED}
              `,
              limit
            )
          ),
        orDefect
      ),

      getInstalled: Effect.fn("Installations.getInstalled")(
        (store, id) => requireInstalled(id, selectInstalled(store, id)),
        orDefect
      ),

      suspend: Effect.fn("Installations.suspend")((store, id) => setState(store, id, "suspend")),
      resume: Effect.fn("Installations.resume")((store, id) => setState(store, id, "resume")),

      uninstall: Effect.fn("Installations.uninstall")(function* (store, id) {
        const before = yield* lockById(store, id)
        yield* sql`
          update installations i set ${transition("uninstall")}
          where i.store_id = ${store} and i.id = ${id} and ${canTransition("uninstall")}
        `
        yield* revokeTokensOfInstallation(store, id)
        yield* cancelActive(store, id)
        yield* recordAdministered(store, "installation", id, before, null)
      }, orDefect),

      purge: purgeOldest
    })
  })
)
