import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
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
import { revokeTokensOfInstallation } from "../oauth/Revocation.ts"
import { pageReader, selectPage, START } from "../sql/Pages.ts"
import { orDefect } from "../sql/Errors.ts"
import { time } from "../sql/Times.ts"
import { canTransition, INSTALLED, STATE, transition } from "./InstallationState.ts"
import { makeUninstalledDataPurge } from "./UninstalledDataPurge.ts"

const readInstallations = pageReader(InstallationId)

const decodeInstalledApp = Schema.decodeEffect(Schema.fromJsonString(InstalledApp))

const decodeGrants = Schema.decodeUnknownEffect(
  Schema.Struct({ scopes: AppSummary.fields.scopes, capabilities: AppSummary.fields.capabilities })
)

interface JsonRow {
  readonly json: string
}

export const InstallationsLive = Layer.effect(
  Installations,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { record: recordAdministered } = yield* AdministeredChanges
    const { purgeBeforeInstall, purgeOldest } = makeUninstalledDataPurge(sql)
    const { cancelActive } = yield* Subscriptions

    const isInstalledSummary = (conditions: ReadonlyArray<Statement.Fragment>) => sql`
      select
        i.id as "installationId", i.store_id as "storeId", i.app_id as "appId", i.scopes, i.capabilities,
        ${STATE} as state, i.created_at as "createdAt"
      from installations i join stores s on s.id = i.store_id and s.deleted_at is null
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
        ${isInstalledSummary([
          ...Option.toArray(Option.map(storeId, (id) => sql`i.store_id = ${id}`)),
          ...Option.toArray(Option.map(appId, (id) => sql`i.app_id = ${id}`))
        ])} order by i.id desc limit ${limit}
      `
    })

    const findSummary = SqlSchema.findOneOption({
      Request: InstallationId,
      Result: InstallationSummary,
      execute: (id) => isInstalledSummary([sql`i.id = ${id}`])
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
      const [app] = yield* sql`select scopes, capabilities from apps where id = ${id}`
      return app === undefined ? yield* new AppNotFound({ id }) : yield* decodeGrants(app)
    })

    /** Locks an installation against other changes until the transaction ends. */
    const lockById = Effect.fnUntraced(function* (store: StoreId, id: InstallationId) {
      const [row] = yield* sql<JsonRow>`
        select ${installedJson} as json from installations i join apps a on a.id = i.app_id
        where i.store_id = ${store} and i.id = ${id} and ${INSTALLED} for no key update of i
      `
      return row === undefined ? yield* new InstallationNotFound({ id }) : yield* decodeInstalledApp(row.json)
    })

    /** Runs a change of a locked installation, records it and returns the new state. */
    const change = Effect.fnUntraced(function* (
      store: StoreId,
      id: InstallationId,
      before: InstalledApp | null,
      statement: Statement.Statement<JsonRow>
    ) {
      const [row] = yield* statement
      if (row === undefined) return yield* Effect.die(new Error(`Installation ${id} is locked and cannot change`))
      yield* recordAdministered(store, "installation", id, before, yield* decodeInstalledApp(row.json))
      return row.json
    })

    const setState = (store: StoreId, id: InstallationId, act: "suspend" | "resume") =>
      Effect.gen(function* () {
        const before = yield* lockById(store, id)
        return yield* change(
          store,
          id,
          before,
          sql<JsonRow>`
            with i as (
              update installations i set ${transition(act)}
              where i.store_id = ${store} and i.id = ${id} and ${canTransition(act)} returning i.*
            )
            select ${installedJson} as json from i join apps a on a.id = i.app_id
          `
        )
      }).pipe(orDefect)

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
          // An app that was never on the store gets a row as if it had been uninstalled, so that there is one to lock.
          yield* sql`
            with i as (
              insert into installations (store_id, id, app_id, scopes, capabilities, is_active, uninstalled_at)
              values (${storeId}, uuid_v7(clock_micros()), ${appId}, '{}', '{}', false, statement_timestamp())
              on conflict (store_id, app_id) do nothing returning store_id, id
            )
            insert into rate_windows (store_id, installation_id) select store_id, id from i
          `
          const [row] = yield* sql<{ readonly id: InstallationId; readonly json: string | null }>`
            select i.id, case when ${INSTALLED} then ${installedJson} end as json
            from installations i join apps a on a.id = i.app_id
            where i.store_id = ${storeId} and i.app_id = ${appId} for no key update of i
          `
          if (row === undefined) return yield* Effect.die(new Error(`App ${appId} has no row in store ${storeId}`))
          yield* change(
            storeId,
            row.id,
            row.json === null ? null : yield* decodeInstalledApp(row.json),
            sql<JsonRow>`
              with i as (
                update installations i set ${transition("install")}, scopes = ${textArray(scopes)},
                  capabilities = ${textArray(capabilities)},
                  installed_at = case when ${INSTALLED} then i.installed_at else statement_timestamp() end
                where i.store_id = ${storeId} and i.id = ${row.id} and ${canTransition("install")} returning i.*
              )
              select ${installedJson} as json from i join apps a on a.id = i.app_id
            `
          )
          return { id: row.id, storeId, scopes, capabilities }
        }).pipe(orDefect),

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

      getInstalled: Effect.fn("Installations.getInstalled")(function* (store, id) {
        const [row] = yield* sql<JsonRow>`
          select ${installedJson} as json from installations i join apps a on a.id = i.app_id
          where i.store_id = ${store} and i.id = ${id} and ${INSTALLED}
        `
        return row === undefined ? yield* new InstallationNotFound({ id }) : row.json
      }, orDefect),

      suspend: (store, id) => setState(store, id, "suspend"),
      resume: (store, id) => setState(store, id, "resume"),

      uninstall: (store, id) =>
        Effect.gen(function* () {
          const before = yield* lockById(store, id)
          yield* sql`
            update installations i set ${transition("uninstall")}
            where i.store_id = ${store} and i.id = ${id} and ${canTransition("uninstall")}
          `
          yield* revokeTokensOfInstallation(sql, store, id)
          yield* cancelActive(store, id)
          yield* recordAdministered(store, "installation", id, before, null)
        }).pipe(orDefect),

      purge: purgeOldest
    })
  })
)
