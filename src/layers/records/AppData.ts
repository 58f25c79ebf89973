import { Effect, Layer, Option, Schema } from "effect"
import type { InstallationId } from "../../domain/access/Installations.ts"
import { AppData, AppDataFull, AppDataNotFound, MAX_ENTRIES, MAX_VALUES } from "../../domain/records/AppData.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { countOf, firstOf, type Step } from "../sql/Plan.ts"
import { Database } from "../sql/Postgres.ts"
import { constant, sql } from "../sql/Statement.ts"
import { deleteEnded, endedOf } from "../Purging.ts"
import { time } from "../Times.ts"
import { traced } from "../Traced.ts"

/*
 * Locks are taken in one order: entries, then the row that counts them. Who holds that row waits for no entry.
 */

/** An entry as it is returned. No name has a character that JSON would escape. */
const ENTRY = sql`
  '{"namespace":"' || namespace || '","key":"' || key || '","value":' || value
  || ',"expiresAt":' || coalesce('"' || ${time("expires_at")} || '"', 'null')
  || ',"createdAt":"' || ${time("created_at")} || '","updatedAt":"' || ${time("updated_at")} || '"}'
`

const ALIVE = sql`(expires_at is null or expires_at > clock_timestamp())`

const selectEntry = (store: StoreId, installation: InstallationId, namespace: string, key: string) => sql`
  select ${ENTRY} as json from app_data
  where store_id = ${store} and installation_id = ${installation} and namespace = ${namespace} and key = ${key}
    and ${ALIVE}
`

/**
 * One row more than asked for is looked at, and values are read, as with products, only as far as the page goes. The limit
 * stands in a subquery, where the planner does not see it (as `selectHeads` of CollectionRepo.ts says).
 */
const selectPage = (
  store: StoreId,
  installation: InstallationId,
  namespace: string,
  cursor: string,
  limit: number
) => sql`
  with page as (
    select *, count(*) over before < ${limit} and coalesce(sum(bytes) over before, 0) < ${PAGE_BYTES} as fits
    from app_data
    where store_id = ${store} and installation_id = ${installation} and namespace = ${namespace} and key > ${cursor}
      and ${ALIVE}
    window before as (order by key rows between unbounded preceding and 1 preceding)
    order by key limit (select ${limit}::integer) + 1
  )
  select
    '[' || coalesce(string_agg(${ENTRY}, ',' order by key) filter (where fits), '') || ']' as items,
    case when not bool_and(fits) then max(key) filter (where fits) end as "nextCursor"
  from page
`

/**
 * Writes an entry and counts it, if there is room. The count is a conditional UPDATE: it waits for those before it and
 * looks again. What an entry replaces is told by the row itself, as a look beside the lock would be from before the wait.
 */
const putEntry = (
  store: StoreId,
  installation: InstallationId,
  namespace: string,
  key: string,
  value: string,
  bytes: number,
  ttlSeconds: number | null
) => sql`
  with written as (
    insert into app_data (
      store_id, installation_id, namespace, key, value, bytes, created_at, updated_at, expires_at
    )
    select ${store}, ${installation}, ${namespace}, ${key}, ${value}, ${bytes}::integer, now, now,
      now + ${ttlSeconds}::integer * interval '1 second'
    from (select date_trunc('milliseconds', clock_timestamp()) as now offset 0) as clock
    on conflict (store_id, installation_id, namespace, key) do update
    set value = excluded.value, bytes = excluded.bytes, replaced = app_data.bytes, expires_at = excluded.expires_at,
      updated_at = excluded.updated_at, created_at = case
        when app_data.expires_at <= excluded.updated_at then excluded.created_at else app_data.created_at
      end
    returning *, (replaced is null)::integer as added, bytes - coalesce(replaced, 0) as grown
  ), counted as (
    update app_data_usage u set entries = u.entries + added, bytes = u.bytes + grown from written w
    where u.store_id = w.store_id and u.installation_id = w.installation_id
      and u.entries + added <= ${constant(MAX_ENTRIES)} and u.bytes + grown <= ${constant(MAX_VALUES)}
    returning 1
  )
  select ${ENTRY} as json, added, grown, exists (select from counted) as fits from written
`
const writtenOf = firstOf(
  Schema.Struct({ json: Schema.String, added: Schema.Int, grown: Schema.Int, fits: Schema.Boolean })
)

const openUsage = (store: StoreId, installation: InstallationId) => sql`
  insert into app_data_usage (store_id, installation_id) values (${store}, ${installation}) on conflict do nothing
`
const lockUsage = (store: StoreId, installation: InstallationId) =>
  sql`select from app_data_usage where store_id = ${store} and installation_id = ${installation} for no key update`

/** Counts an entry where what has expired, and is still counted, leaves room for it. Asked once the count is locked. */
const countBeside = (store: StoreId, installation: InstallationId, added: number, grown: number) => sql`
  with ended as (
    select count(*)::integer as entries, coalesce(sum(bytes), 0)::integer as bytes
    from app_data where store_id = ${store} and installation_id = ${installation} and expires_at <= clock_timestamp()
  )
  update app_data_usage u set entries = u.entries + ${added}::integer, bytes = u.bytes + ${grown}::integer from ended
  where store_id = ${store} and installation_id = ${installation}
    and u.entries + ${added}::integer - ended.entries <= ${constant(MAX_ENTRIES)}
    and u.bytes + ${grown}::integer - ended.bytes <= ${constant(MAX_VALUES)}
`

/** One that has expired is found too, and then what was deleted is taken back. */
const deleteEntry = (store: StoreId, installation: InstallationId, namespace: string, key: string) => sql`
  with gone as (
    delete from app_data
    where store_id = ${store} and installation_id = ${installation} and namespace = ${namespace} and key = ${key}
    returning bytes, ${ALIVE} as alive
  ), counted as (
    update app_data_usage u set entries = u.entries - 1, bytes = u.bytes - gone.bytes from gone
    where store_id = ${store} and installation_id = ${installation}
  )
  select from gone where alive
`

const deleteEntries = (store: StoreId, installation: InstallationId) =>
  sql`delete from app_data where store_id = ${store} and installation_id = ${installation}`
const deleteUsage = (store: StoreId, installation: InstallationId) =>
  sql`delete from app_data_usage where store_id = ${store} and installation_id = ${installation}`

/** Deletes all that an installation keeps, and the count of it. */
export const deleteAll = Effect.fnUntraced(function* (store: StoreId, installation: InstallationId): Step<void> {
  yield* countOf(deleteEntries(store, installation))
  yield* countOf(deleteUsage(store, installation))
})

const ENTRIES = { table: "app_data", key: ["store_id", "installation_id", "namespace", "key"] }

/** The counts are locked in the order of their key, so that two purges never wait for each other. */
const purge = sql`
  with ${endedOf(ENTRIES)}, gone as (
    ${deleteEnded(ENTRIES)} returning t.store_id, t.installation_id, t.bytes
  ), freed as materialized (
    select store_id, installation_id, count(*)::integer as entries, sum(bytes)::integer as bytes
    from gone group by store_id, installation_id
  ), held as materialized (
    select u.store_id, u.installation_id from app_data_usage u join freed using (store_id, installation_id)
    order by u.store_id, u.installation_id for no key update of u
  ), counted as (
    update app_data_usage u set entries = u.entries - f.entries, bytes = u.bytes - f.bytes
    from freed f join held using (store_id, installation_id)
    where u.store_id = f.store_id and u.installation_id = f.installation_id
  )
  select from gone
`

const JsonRow = Schema.Struct({ json: Schema.String })
const PageRow = Schema.Struct({ items: Schema.String, nextCursor: Schema.NullOr(Schema.String) })

export const AppDataLive = Layer.effect(
  AppData,
  Effect.map(Database, ({ count, first, one }) => {
    const entryOf = first(JsonRow)
    const pageOf = one(PageRow)
    return AppData.of({
      get: ({ id, storeId }, namespace, key) =>
        traced("AppData.get")(
          Effect.flatMap(
            entryOf(selectEntry(storeId, id, namespace, key)),
            Option.match({
              onNone: () => new AppDataNotFound({ namespace, key }),
              onSome: ({ json }) => Effect.succeed(json)
            })
          )
        ),

      list: ({ id, storeId }, namespace, { cursor = "", limit }) =>
        traced("AppData.list")(pageOf(selectPage(storeId, id, namespace, cursor, limit))),

      put: ({ id, storeId }, namespace, { key, ttlSeconds = null, value }) =>
        Effect.gen(function* () {
          const bytes = Buffer.byteLength(value.json)
          const row = yield* writtenOf(putEntry(storeId, id, namespace, key, value.json, bytes, ttlSeconds))
          const { added, fits, grown, json } = Option.getOrThrow(row)
          if (fits) return json
          yield* countOf(openUsage(storeId, id))
          yield* countOf(lockUsage(storeId, id))
          const counted = yield* countOf(countBeside(storeId, id, added, grown))
          return counted === 0 ? yield* new AppDataFull() : json
        }),

      delete: ({ id, storeId }, namespace, key) =>
        Effect.gen(function* () {
          const deleted = yield* countOf(deleteEntry(storeId, id, namespace, key))
          if (deleted === 0) yield* new AppDataNotFound({ namespace, key })
        }),

      purge: count(purge)
    })
  })
)
