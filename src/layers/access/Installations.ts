import { Effect, Layer, Option, Schema } from "effect"
import type { Grants } from "../../domain/access/AccessRule.ts"
import { type AppId, AppNotFound, AppSummary } from "../../domain/access/Apps.ts"
import { CapabilitiesNotDeclared } from "../../domain/access/Capability.ts"
import {
  type Installation,
  InstallationId,
  InstallationNotFound,
  Installations,
  InstallationSummary,
  type InstallRefused
} from "../../domain/access/Installations.ts"
import { ScopesNotDeclared } from "../../domain/access/Scope.ts"
import { UnknownStore } from "../../domain/access/Stores.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { type Refusal, refuse, type Write } from "../../domain/Write.ts"
import { cancelLive } from "../billing/Subscriptions.ts"
import { countOf, firstOf, type Steps } from "../database/Plan.ts"
import { Database } from "../database/Postgres.ts"
import { sql, type Statement, statement } from "../database/Statement.ts"
import { arrayOf } from "../Lists.ts"
import { endInstallation } from "../oauth/Ending.ts"
import { jsonPageQuery, pageOf, START } from "../Pages.ts"
import { time } from "../Times.ts"
import { INSTALLED, made, mayBe, STATE } from "./InstallationState.ts"
import { emptyNext, emptyOverdue } from "./Leftovers.ts"

const summaries = sql.literal(`
  select
    i.id as "installationId", i.store_id as "storeId", i.app_id as "appId", i.scopes, i.capabilities, ${STATE} as state,
    i.created_at as "createdAt"
  from installations i join stores s on s.id = i.store_id and s.deleted_at is null
  where ${INSTALLED}
`)

/** An installation as members of the store see it, as JSON. Its app is `a`. */
const INSTALLED_APP = `
  json_build_object(
    'id', i.id, 'appId', i.app_id, 'appName', a.name, 'scopes', i.scopes, 'capabilities', i.capabilities,
    'state', ${STATE}, 'installedAt', ${time("coalesce(i.installed_at, i.created_at)")}
  )::text
`

const selectPage = statement(
  jsonPageQuery(`
    select i.id, ${INSTALLED_APP} as json from installations i join apps a on a.id = i.app_id
    where i.store_id = $1 and i.id > $4 and ${INSTALLED}
  `)
)

const selectOne = statement(`
  select ${INSTALLED_APP} as json from installations i join apps a on a.id = i.app_id
  where i.store_id = $1 and i.id = $2 and ${INSTALLED}
`)

const Json = Schema.Struct({ json: Schema.String })
const jsonOf = firstOf(Json)

/** Until the transaction ends, its row does not go. */
const lockStore = statement("select 1 from stores where id = $1 and deleted_at is null for key share")
const selectApp = statement("select scopes, capabilities from apps where id = $1")

const putInstallation = statement(`
  with i as (
    insert into installations as i (store_id, id, app_id, scopes, capabilities)
    values ($1, uuid_v7(clock_micros()), $2, $3, $4)
    on conflict (store_id, app_id) do update
    set scopes = excluded.scopes, capabilities = excluded.capabilities, ${made("install")},
      installed_at = case when ${INSTALLED} then i.installed_at else clock_timestamp() end
    where ${mayBe("install")}
    returning store_id, id
  ), opened as (
    insert into rate_windows (store_id, installation_id) select store_id, id from i on conflict do nothing
  )
  select id from i
`)

const updateInstallation = (act: "suspend" | "resume") =>
  statement(`
    with i as (
      update installations i set ${made(act)} where i.store_id = $1 and i.id = $2 and ${mayBe(act)} returning i.*
    )
    select ${INSTALLED_APP} as json from i join apps a on a.id = i.app_id
  `)
const suspendInstallation = updateInstallation("suspend")
const resumeInstallation = updateInstallation("resume")

const uninstall = statement(`
  update installations i set ${made("uninstall")} where i.store_id = $1 and i.id = $2 and ${mayBe("uninstall")}
`)

const appOf = firstOf(AppSummary.pick("scopes", "capabilities"))
const idOf = firstOf(Schema.Struct({ id: Schema.typeSchema(InstallationId) }).pipe(Schema.pluck("id")))

function* requireStore(id: StoreId): Steps<void, Refusal<UnknownStore>> {
  if ((yield* countOf(lockStore(id))) === 0) yield* refuse(new UnknownStore({ id }))
}

function* requireApp(id: AppId): Steps<Grants, Refusal<AppNotFound>> {
  return Option.getOrUndefined(yield* appOf(selectApp(id))) ?? (yield* refuse(new AppNotFound({ id })))
}

/** The installation as an act of its members left it. */
const acted = (statement: Statement, id: InstallationId): Write<string, InstallationNotFound> =>
  function* () {
    const changed = yield* jsonOf(statement)
    return Option.getOrUndefined(changed)?.json ?? (yield* refuse(new InstallationNotFound({ id })))
  }

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
      install: Effect.fn("Installations.install")(({ appId, capabilities, scopes, storeId }) =>
        perform(function* (): Steps<Installation, Refusal<InstallRefused>> {
          yield* requireStore(storeId)
          const app = yield* requireApp(appId)
          const undeclared = {
            scopes: scopes.filter((scope) => !app.scopes.includes(scope)),
            capabilities: capabilities.filter((capability) => !app.capabilities.includes(capability))
          }
          if (undeclared.scopes.length > 0) return yield* refuse(new ScopesNotDeclared(undeclared))
          if (undeclared.capabilities.length > 0) return yield* refuse(new CapabilitiesNotDeclared(undeclared))
          yield* emptyOverdue(storeId, appId)
          const put = putInstallation(storeId, appId, arrayOf(scopes), arrayOf(capabilities))
          return { id: Option.getOrThrow(yield* idOf(put)), storeId, scopes, capabilities }
        })
      ),

      list: Effect.fn("Installations.list")(function* ({ appId, limit, storeId }) {
        if (Option.isSome(storeId)) yield* perform(() => requireStore(storeId.value))
        if (Option.isSome(appId)) yield* perform(() => requireApp(appId.value))
        return yield* installationsOf(sql`
          ${summaries} and ${Option.match(storeId, { onNone: () => sql`true`, onSome: (id) => sql`i.store_id = ${id}` })}
            and ${Option.match(appId, { onNone: () => sql`true`, onSome: (id) => sql`i.app_id = ${id}` })}
          order by i.id desc limit ${limit}
        `)
      }),

      find: Effect.fn("Installations.find")(function* (id) {
        const found = yield* summaryOf(sql`${summaries} and i.id = ${id}`)
        return yield* Effect.mapError(found, () => new InstallationNotFound({ id }))
      }),

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

      suspend: (store, id) => acted(suspendInstallation(store, id), id),
      resume: (store, id) => acted(resumeInstallation(store, id), id),

      uninstall: (store, id) =>
        function* () {
          const ended = yield* countOf(uninstall(store, id))
          if (ended === 0) yield* refuse(new InstallationNotFound({ id }))
          yield* endInstallation(store, id)()
          yield* cancelLive(store, id)
        },

      purge: perform(emptyNext)
    })
  })
)
