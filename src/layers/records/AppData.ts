import { Effect, Function as Fn, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { InstallationId } from "../../domain/access/Ids.ts"
import type { Installation } from "../../domain/access/Installations.ts"
import { AppData, AppDataFull, AppDataNotFound, MAX_ENTRIES, MAX_VALUES } from "../../domain/records/AppData.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { orDefect } from "../sql/Errors.ts"
import { pageReader } from "../sql/Pages.ts"
import { findJson, requiredRowReader } from "../sql/Rows.ts"
import { withSingleStatement } from "../sql/SingleStatement.ts"
import { constant, type Fragment } from "../sql/Statement.ts"
import { rowCount } from "../sql/Transaction.ts"
import { deleteExpired, expiredRows } from "../sql/Purging.ts"
import { time } from "../sql/Times.ts"
import { traced } from "../telemetry/Traced.ts"

/*
 * Locks are taken in one order: entries, then the row with the usage of the installation. Its holder waits for no entry.
 */

type InstallationKey = Pick<Installation, "id" | "storeId">

const ENTRIES = { table: "app_data", key: ["store_id", "installation_id", "namespace", "key"] }

/** Maximum size of the JSON of an entry without its value in bytes: names, times and members. */
const MAX_ENTRY_WITHOUT_VALUE = 1024

const readPage = pageReader(Schema.String)
const readWritten = requiredRowReader(
  Schema.Struct({ json: Schema.String, added: Schema.Int, grown: Schema.Int, fits: Schema.Boolean })
)

/** Deletes all entries of an installation, and its usage. */
export const deleteAppData = (sql: SqlClient.SqlClient, storeId: StoreId, id: InstallationId): Effect.Effect<void> =>
  sql`delete from app_data where store_id = ${storeId} and installation_id = ${id}`.pipe(
    Effect.andThen(sql`delete from app_data_usage where store_id = ${storeId} and installation_id = ${id}`),
    Effect.asVoid,
    orDefect
  )

export const AppDataLive = Layer.effect(
  AppData,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Entry as JSON. Namespaces and keys contain no characters that JSON would escape. */
    const entryJson = sql`
      '{"namespace":"' || namespace || '","key":"' || key || '","value":' || value
      || ',"expiresAt":' || coalesce('"' || ${time("expires_at")} || '"', 'null')
      || ',"createdAt":"' || ${time("created_at")} || '","updatedAt":"' || ${time("updated_at")} || '"}'
    `
    const isAlive = sql`(expires_at is null or expires_at > clock_timestamp())`

    /**
     * Reads one row more than the limit, and values only as far as the page goes. The limit is a subquery, which hides its
     * value from the planner, so that PostgreSQL keeps the generic plan.
     */
    const selectPage = ({ id, storeId }: InstallationKey, namespace: string, cursor: string, limit: number) => sql`
      with page as (
        select *, count(*) over before < ${limit} and coalesce(sum(bytes) over before, 0) < ${PAGE_BYTES} as fits
        from app_data
        where store_id = ${storeId} and installation_id = ${id} and namespace = ${namespace} and key > ${cursor}
          and ${isAlive}
        window before as (order by key rows between unbounded preceding and 1 preceding)
        order by key limit (select ${limit}::integer) + 1
      )
      select
        '[' || coalesce(string_agg(${entryJson}, ',' order by key) filter (where fits), '') || ']' as items,
        case when not bool_and(fits) then max(key) filter (where fits) end as "nextCursor"
      from page
    `

    /**
     * Writes an entry and adds it to the usage, if it fits. The usage is a conditional UPDATE, which sees the usage after
     * its wait for the lock. `replaced` is read from the row itself for the same reason.
     */
    const putEntry = (
      { id, storeId }: InstallationKey,
      namespace: string,
      key: string,
      value: string,
      ttlSeconds: number | null
    ) => sql`
      written as (
        insert into app_data (
          store_id, installation_id, namespace, key, value, bytes, created_at, updated_at, expires_at
        )
        select ${storeId}, ${id}, ${namespace}, ${key}, ${value}, ${Buffer.byteLength(value)}::integer, now, now,
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
    `
    const fits = sql`exists (select from counted)`

    /** Adds an entry to the locked usage if it fits without the expired entries, which are still counted. */
    const countBesideExpired = ({ id, storeId }: InstallationKey, added: number, grown: number) => sql`
      with expired as (
        select count(*)::integer as entries, coalesce(sum(bytes), 0)::integer as bytes
        from app_data where store_id = ${storeId} and installation_id = ${id} and expires_at <= clock_timestamp()
      )
      update app_data_usage u set entries = u.entries + ${added}::integer, bytes = u.bytes + ${grown}::integer
      from expired
      where store_id = ${storeId} and installation_id = ${id}
        and u.entries + ${added}::integer - expired.entries <= ${constant(MAX_ENTRIES)}
        and u.bytes + ${grown}::integer - expired.bytes <= ${constant(MAX_VALUES)}
    `

    /** Writes an entry. If it does not fit, expired entries that are still counted make room. */
    const putWithExpired = traced("AppData.put")(function* (installation: InstallationKey, entry: Fragment) {
      const { id, storeId } = installation
      const written = yield* readWritten(sql`
        with ${entry}
        select ${entryJson} as json, added, grown, ${fits} as fits from written
      `)
      if (written.fits) return written.json
      yield* sql`
        insert into app_data_usage (store_id, installation_id) values (${storeId}, ${id}) on conflict do nothing
      `
      yield* sql`select from app_data_usage where store_id = ${storeId} and installation_id = ${id} for no key update`
      const counted = yield* rowCount(countBesideExpired(installation, written.added, written.grown))
      return counted === 0 ? yield* new AppDataFull() : written.json
    }, orDefect)

    /** Locks the usages in the order of their key, so that two purges never wait for each other. */
    const purge = sql`
      with ${expiredRows(ENTRIES)}, gone as (
        ${deleteExpired(ENTRIES)} returning t.store_id, t.installation_id, t.bytes
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

    return AppData.of({
      get: traced("AppData.get")(function* ({ id, storeId }, namespace, key) {
        const json = yield* findJson(sql`
          select ${entryJson} as json from app_data
          where store_id = ${storeId} and installation_id = ${id} and namespace = ${namespace} and key = ${key}
            and ${isAlive}
        `)
        return Option.isSome(json) ? json.value : yield* new AppDataNotFound({ namespace, key })
      }, orDefect),

      list: traced("AppData.list")(
        (installation, namespace, { cursor = "", limit }) =>
          readPage(selectPage(installation, namespace, cursor, limit)),
        orDefect
      ),

      put: (installation, namespace, { key, ttlSeconds = null, value }) => {
        const text = JSON.stringify(value)
        const entry = putEntry(installation, namespace, key, text, ttlSeconds)
        return withSingleStatement(putWithExpired(installation, entry), {
          expressions: entry,
          document: sql`select case when ${fits} then ${entryJson} end as document from written`,
          maxBytes: Buffer.byteLength(text) + MAX_ENTRY_WITHOUT_VALUE,
          toResult: Fn.identity
        })
      },

      // An expired entry is deleted too, then the write is rolled back.
      delete: traced("AppData.delete")(function* ({ id, storeId }, namespace, key) {
        const deleted = yield* rowCount(sql`
          with gone as (
            delete from app_data
            where store_id = ${storeId} and installation_id = ${id} and namespace = ${namespace} and key = ${key}
            returning bytes, ${isAlive} as alive
          ), counted as (
            update app_data_usage u set entries = u.entries - 1, bytes = u.bytes - gone.bytes from gone
            where store_id = ${storeId} and installation_id = ${id}
          )
          select from gone where alive
        `)
        if (deleted === 0) yield* new AppDataNotFound({ namespace, key })
      }, orDefect),

      purge: rowCount(purge).pipe(orDefect, Effect.withSpan("AppData.purge"))
    })
  })
)
