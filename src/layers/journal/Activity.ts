import { Effect, Layer, Option, Record, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import {
  Activity,
  type ActivityRequest,
  EntryId,
  EntryNotFound,
  MAX_EXAMINED_BYTES,
  MAX_EXAMINED_ENTRIES,
  DisplayName
} from "../../domain/journal/Activity.ts"
import { ResourceKind } from "../../domain/journal/Kinds.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowReader, rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { CATALOG_TABLES } from "./CatalogTables.ts"
import { partOf } from "./Journal.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { END, pageReader, START } from "../sql/Pages.ts"

/** Approximate bytes of an entry without the diff of the resource. */
const ENTRY_BYTES = 600

/** Fields that the service sets with every write. */
const SERVICE_FIELDS = plainArray(["id", "version", "createdAt", "updatedAt", "productCount"])

/** Filters of a page. */
interface Filters {
  readonly kinds: string
  readonly actorType: string | null
  readonly actorId: string | null
  readonly surface: string | null
  readonly limit: number
  readonly isCollapsed: boolean
}

const readEntry = rowReader(Schema.Struct({ resource: ResourceKind, json: Schema.String }))
const readItems = requiredRowReader(Schema.Struct({ items: Schema.String }))
const readNames = rowsReader(DisplayName)

const min = (a: string, b: string) => (a < b ? a : b)

export const ActivityLive = Layer.effect(
  Activity,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const readPage = pageReader(EntryId)

    /** Entry as JSON, without the diff of the resource and the closing brace. */
    const head = sql.literal(`
      left(json_build_object(
        'id', id, 'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'actor', json_build_object('type', actor_type, 'id', actor_id), 'surface', surface,
        'resource', resource, 'resourceId', resource_id,
        'versions', json_build_object(
          'before', case when before is not null then version - (after is not null)::integer end,
          'after', case when after is not null then version end
        ),
        'omitted', omitted, 'idempotencyKey', idempotency_key, 'requestId', request_id, 'hops', hops, 'reason', reason,
        'undoes', undoes, 'approvedBy', approved_by, 'changeSetId', change_set_id
      )::text, -1)
    `)

    /** Entry as JSON. The diff is included as stored. */
    const json = sql`${head} || ${sql.literal(`',"before":' || coalesce(before, 'null') || ',"after":' || coalesce(after, 'null') || '}'`)}`

    /**
     * Selects a page, newest first, of the entries that `source` returns and that match the filters. `source` is limited, so
     * that a page of a selective filter ends early instead of reading the whole journal.
     */
    const selectPage = (
      source: Statement.Fragment,
      { actorId, actorType, isCollapsed, kinds, limit, surface }: Filters
    ) => sql`
      with page as (
        select id, at, actor_type, actor_id, surface, resource, resource_id, version, omitted, idempotency_key, request_id,
          hops, reason, undoes, approved_by, change_set_id, before, after,
          count(*) over newer < ${limit} and coalesce(
            sum(coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0) + ${constant(ENTRY_BYTES)}) over newer,
            0
          ) < ${PAGE_BYTES} as fits
        from (
          select *, lag(change_set_id) over (order by id desc) as newer_set
          from ${source} where resource = any(${kinds}::text[]) and actor_type = coalesce(${actorType}, actor_type)
            and actor_id = coalesce(${actorId}::uuid, actor_id) and surface = coalesce(${surface}, surface)
        ) as filtered
        where not ${isCollapsed} or change_set_id is null or change_set_id is distinct from newer_set
        window newer as (order by id desc rows between unbounded preceding and 1 preceding)
        order by id desc limit ${limit} + 1
      )
      select
        '[' || coalesce(string_agg(${json}, ',' order by id desc) filter (where fits), '') || ']' as items,
        case
          when not bool_and(fits) then min(id::text) filter (where fits)
          else (select case when count(*) = ${constant(MAX_EXAMINED_ENTRIES)} then min(id::text) end from ${source})
        end as "nextCursor"
      from page
    `

    /** Selects a page by the index that finds its entries fastest. */
    const selectRequested = (store: StoreId, request: ActivityRequest) => {
      const {
        actorId = null,
        actorType = null,
        collapseChangeSets: isCollapsed = false,
        cursor = END,
        kinds,
        limit,
        resourceId,
        since,
        surface = null,
        until
      } = request
      const end = until === undefined ? END : leastUuidOf(new Date(until))
      const start = since === undefined ? START : leastUuidOf(new Date(since))
      const before = min(cursor, end)
      const filters = { kinds: plainArray(kinds), actorType, actorId, surface, limit, isCollapsed }
      const max = constant(MAX_EXAMINED_ENTRIES)
      if (resourceId !== undefined) {
        return selectPage(
          sql`entries_before_of_resource(${store}, ${before}, ${start}, ${max}, ${resourceId})`,
          filters
        )
      }
      return actorId === null
        ? selectPage(sql`entries_before(${store}, ${before}, ${start}, ${max})`, filters)
        : selectPage(sql`entries_before_of_actor(${store}, ${before}, ${start}, ${max}, ${actorId})`, filters)
    }

    /** Statements that select the names of resources of each kind; none for a kind without resources of its own. */
    const selectNames: Record<ResourceKind, (storeId: string, ids: string) => ReadonlyArray<Statement.Fragment>> = {
      ...Record.map(CATALOG_TABLES, ({ nameMember, table }) => (storeId: string, ids: string) => [
        sql`
          select id, document ->> ${sql.literal(`'${nameMember}'`)} as name from ${sql(table)}
          where store_id = ${storeId} and id = any(${ids}::uuid[])
        `
      ]),
      agent: (storeId, ids) => [
        sql`select id, name from agents where store_id = ${storeId} and id = any(${ids}::uuid[])`
      ],
      installation: (storeId, ids) => [
        sql`
          select i.id, a.name from installations i join apps a on a.id = i.app_id
          where i.store_id = ${storeId} and i.id = any(${ids}::uuid[])
        `
      ],
      subscription: (storeId, ids) => [
        sql`
          select s.id, a.name from subscriptions s
            join installations i on i.store_id = s.store_id and i.id = s.installation_id join apps a on a.id = i.app_id
          where s.store_id = ${storeId} and s.id = any(${ids}::uuid[])
        `
      ],
      member: (storeId, ids) => [
        sql`
          select merchant_id, name from members join merchants on id = merchant_id
          where store_id = ${storeId} and merchant_id = any(${ids}::uuid[])
        `
      ],
      // The address of an invitation is for owners only.
      invitation: () => [],
      settings: () => []
    }

    return Activity.of({
      list: Effect.fn("Activity.list")((store, request) => readPage(selectRequested(store, request)), orDefect),

      get: Effect.fn("Activity.get")(function* (storeId, id) {
        const entry = yield* readEntry(sql`
          select resource, ${json} as json from journal
          where store_id = ${storeId} and id = ${id} and part = ${partOf(id)}
        `)
        return Option.isSome(entry) ? entry.value : yield* new EntryNotFound({ id })
      }, orDefect),

      fields: Effect.fn("Activity.fields")((storeId, resource, id) => {
        const history = sql`entries_before_of_resource(${storeId}, ${END}, ${START}, ${constant(MAX_EXAMINED_ENTRIES)}, ${id})`
        return Effect.map(
          readItems(sql`
            with history as (
              select *, sum(coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0)) over (order by id desc) as bytes
              from ${history} where resource = ${resource}
            ), setting as (
              select distinct on (field) field, h.id as entry_id
              from history h, lateral (
                select json_object_keys(h.after::json) union select json_object_keys(h.before::json) union select unnest(h.omitted)
              ) as changed (field)
              where h.after is not null and h.bytes < ${constant(MAX_EXAMINED_BYTES)} and field <> all(${SERVICE_FIELDS}::text[])
              order by field, h.id desc
            ), grouped as (select entry_id, json_agg(field order by field) as fields from setting group by entry_id)
            select '[' || coalesce(string_agg(${head} || ',"fields":' || fields || '}', ',' order by id desc), '') || ']' as items
            from history join grouped on id = entry_id
          `),
          ({ items }) => items
        )
      }, orDefect),

      names: Effect.fn("Activity.names")((storeId, ids) => {
        const statements = ResourceKind.literals.flatMap((kind) => selectNames[kind](storeId, plainArray(ids)))
        return readNames(sql`
          select *, null::integer as changes from (${sql.join(" union all ", false)(statements)}) as named
          union all
          select id, coalesce(note, ''), changed from change_sets
          where store_id = ${storeId} and id = any(${plainArray(ids)}::uuid[])
        `)
      }, orDefect)
    })
  })
)
