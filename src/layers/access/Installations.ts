import { Effect, Layer, Option, Schema } from "effect"
import { type AppId, AppNotFound, AppSummary } from "../../domain/access/Apps.ts"
import {
  InstallationDeactivated,
  InstallationId,
  InstallationNotFound,
  Installations,
  InstallationSummary
} from "../../domain/access/Installations.ts"
import { CapabilitiesNotDeclared } from "../../domain/access/Capability.ts"
import { ScopesNotDeclared } from "../../domain/access/Scope.ts"
import { UnknownStore } from "../../domain/access/Stores.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { refuse, type Write } from "../../domain/Write.ts"
import { cancelLive } from "../billing/Subscriptions.ts"
import { countOf, firstOf } from "../database/Plan.ts"
import { Database } from "../database/Postgres.ts"
import { sql, statement } from "../database/Statement.ts"
import { endInstallation } from "../oauth/Ending.ts"
import { pageOf, pageQuery, START } from "../Pages.ts"
import { INSTALLED, INSTALLED_APP } from "./Installed.ts"

const present = sql.literal(INSTALLED)

const selectPage = statement(
  pageQuery({
    columns: "json",
    text: "json",
    bytes: "octet_length(json)",
    rows: `(
      select i.id, ${INSTALLED_APP} as json from installations i join apps a on a.id = i.app_id
      where i.store_id = $1 and i.id > $4 and ${INSTALLED} order by i.id limit $2 + 1
    ) as installed`
  })
)

const selectOne = statement(`
  select ${INSTALLED_APP} as json from installations i join apps a on a.id = i.app_id
  where i.store_id = $1 and i.id = $2 and ${INSTALLED}
`)

const Json = Schema.Struct({ json: Schema.String })
const jsonOf = firstOf(Json)

const updateActive = statement(`
  with changed as (
    update installations i set is_active = $3, uninstalled_at = null
    where i.store_id = $1 and i.id = $2 and ${INSTALLED} returning i.*
  )
  select ${INSTALLED_APP} as json from changed i join apps a on a.id = i.app_id
`)

const setActiveIn = (store: StoreId, id: InstallationId, isActive: boolean): Write<string, InstallationNotFound> =>
  function* () {
    const changed = yield* jsonOf(updateActive(store, id, isActive))
    return Option.getOrUndefined(changed)?.json ?? (yield* refuse(new InstallationNotFound({ id })))
  }

const uninstall = statement(`
  update installations i set is_active = false, uninstalled_at = clock_timestamp(), held_at = null
  where i.store_id = $1 and i.id = $2 and ${INSTALLED}
`)

export const InstallationsLive = Layer.effect(
  Installations,
  Effect.gen(function* () {
    const database = yield* Database
    const { count, first, one, rows, transaction } = database
    const foundOf = first(Json)
    const installedPage = pageOf(database, InstallationId)
    const appOf = first(AppSummary.pick("scopes", "capabilities"))
    const idOf = one(Schema.Struct({ id: Schema.typeSchema(InstallationId) }).pipe(Schema.pluck("id")))
    const installationsOf = rows(InstallationSummary)
    const installationOf = first(InstallationSummary.pick("storeId", "scopes", "capabilities", "active"))

    /** Until the transaction ends, its row does not go. */
    const requireStore = (id: StoreId) =>
      Effect.flatMap(count(sql`select 1 from stores where id = ${id} and deleted_at is null for key share`), (rows) =>
        rows === 0 ? new UnknownStore({ id }) : Effect.void
      )

    const requireApp = Effect.fnUntraced(function* (id: AppId) {
      const app = yield* appOf(sql`select scopes, capabilities from apps where id = ${id}`)
      return Option.isSome(app) ? app.value : yield* new AppNotFound({ id })
    })

    const setActive = Effect.fnUntraced(function* (id: InstallationId, isActive: boolean) {
      const changed = yield* count(
        sql`update installations i set is_active = ${isActive} where id = ${id} and ${present} returning 1`
      )
      if (changed === 0) return yield* new InstallationNotFound({ id })
    })

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
        const id = yield* idOf(sql`
          with installed as (
            insert into installations (store_id, id, app_id, scopes, capabilities)
            values (${storeId}, uuid_v7(clock_micros()), ${appId}, ${scopes}, ${capabilities})
            on conflict (store_id, app_id) do update
            set scopes = excluded.scopes, capabilities = excluded.capabilities, is_active = true, uninstalled_at = null,
              installed_at = case
                when installations.uninstalled_at is null then installations.installed_at else clock_timestamp()
              end
            returning store_id, id
          ), opened as (
            insert into rate_windows (store_id, installation_id) select store_id, id from installed
            on conflict do nothing
          )
          select id from installed
        `)
        return { id, storeId, scopes, capabilities }
      }, transaction),

      list: Effect.fn("Installations.list")(function* ({ appId, limit, storeId }) {
        if (Option.isSome(storeId)) yield* requireStore(storeId.value)
        if (Option.isSome(appId)) yield* requireApp(appId.value)
        return yield* installationsOf(sql`
          select
            i.id as "installationId", i.store_id as "storeId", i.app_id as "appId", i.scopes, i.capabilities,
            i.is_active as active, i.created_at as "createdAt"
          from installations i join stores s on s.id = i.store_id and s.deleted_at is null
          where ${present} and ${Option.match(storeId, { onNone: () => sql`true`, onSome: (id) => sql`i.store_id = ${id}` })}
            and ${Option.match(appId, { onNone: () => sql`true`, onSome: (id) => sql`i.app_id = ${id}` })}
          order by i.id desc limit ${limit}
        `)
      }),

      findActive: Effect.fn("Installations.findActive")(function* (id) {
        const found = yield* installationOf(sql`
          select i.store_id as "storeId", i.scopes, i.capabilities, i.is_active as active
          from installations i join stores s on s.id = i.store_id and s.deleted_at is null
          where i.id = ${id} and ${present}
        `)
        if (Option.isNone(found)) return yield* new InstallationNotFound({ id })
        const { active, ...granted } = found.value
        return active ? { id, ...granted } : yield* new InstallationDeactivated({ id })
      }),

      deactivate: Effect.fn("Installations.deactivate")((id) => setActive(id, false)),
      activate: Effect.fn("Installations.activate")((id) => setActive(id, true)),

      listInstalled: Effect.fn("Installations.listInstalled")((store, { cursor = START, limit }) =>
        installedPage(selectPage(store, limit, PAGE_BYTES, cursor))
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

      suspend: (store, id) => setActiveIn(store, id, false),
      resume: (store, id) => setActiveIn(store, id, true),

      uninstall: (store, id) =>
        function* () {
          const ended = yield* countOf(uninstall(store, id))
          if (ended === 0) yield* refuse(new InstallationNotFound({ id }))
          yield* endInstallation(store, id)()
          yield* cancelLive(store, id)
        }
    })
  })
)
