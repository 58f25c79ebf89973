import { Effect, Layer, Option, Schema } from "effect"
import {
  Activity,
  type ActivityRequest,
  EntryId,
  EntryNotFound,
  MAX_EXAMINED_ENTRIES,
  DisplayName
} from "../../domain/journal/Activity.ts"
import { ResourceKind } from "../../domain/journal/Kinds.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import { Database } from "../sql/Postgres.ts"
import { constant, type Fragment, sql } from "../sql/Statement.ts"
import { partOf } from "../Journal.ts"
import { listOf } from "../Lists.ts"
import { END, pageOf, START } from "../Pages.ts"

const COLUMNS = sql`
  at, actor_type, actor_id, surface, resource, resource_id, version, omitted, idempotency_key, request_id, hops,
  reason, undoes, approved_by, before, after
`

/** An entry as JSON: what was kept of the resource goes out as it is. */
const TEXT = sql`
  left(json_build_object(
    'id', id, 'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'actor', json_build_object('type', actor_type, 'id', actor_id), 'surface', surface,
    'resource', resource, 'resourceId', resource_id,
    'versions', json_build_object(
      'before', case when before is not null then version - (after is not null)::integer end,
      'after', case when after is not null then version end
    ),
    'omitted', omitted, 'idempotencyKey', idempotency_key, 'requestId', request_id, 'hops', hops, 'reason', reason,
    'undoes', undoes, 'approvedBy', approved_by
  )::text, -1) || ',"before":' || coalesce(before, 'null') || ',"after":' || coalesce(after, 'null') || '}'
`

/** Bytes of an entry without what it keeps of the resource, about. */
const FRAME = 600

/** Entries that are asked for, whatever they are of. */
interface Asked {
  readonly kinds: string
  readonly actorType: string | null
  readonly actorId: string | null
  readonly surface: string | null
  readonly limit: number
}

/**
 * A page of entries, the newest first, of those that `found` answers. What else is asked for is looked for among so many of
 * them that a page is never long in coming.
 */
const pageBy = (found: Fragment, { actorId, actorType, kinds, limit, surface }: Asked) => sql`
  with page as (
    select id, ${COLUMNS}, count(*) over newer < ${limit} and coalesce(
      sum(coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0) + ${constant(FRAME)}) over newer, 0
    ) < ${PAGE_BYTES} as fits
    from ${found} where resource = any(${kinds}::text[]) and actor_type = coalesce(${actorType}, actor_type)
      and actor_id = coalesce(${actorId}::uuid, actor_id) and surface = coalesce(${surface}, surface)
    window newer as (order by id desc rows between unbounded preceding and 1 preceding)
    order by id desc limit ${limit} + 1
  )
  select
    '[' || coalesce(string_agg(${TEXT}, ',' order by id desc) filter (where fits), '') || ']' as items,
    case
      when not bool_and(fits) then min(id::text) filter (where fits)
      else (select case when count(*) = ${constant(MAX_EXAMINED_ENTRIES)} then min(id::text) end from ${found})
    end as "nextCursor"
  from page
`

const selectOne = (store: StoreId, id: EntryId, part: number) => sql`
  select resource, ${TEXT} as json from journal where store_id = ${store} and id = ${id} and part = ${part}
`
const Found = Schema.Struct({ resource: ResourceKind, json: Schema.String })

const selectNames = (store: StoreId, ids: string) => sql`
  select id, document ->> 'name' as name from products where store_id = ${store} and id = any(${ids}::uuid[])
  union all select id, document ->> 'title' from collections where store_id = ${store} and id = any(${ids}::uuid[])
  union all select id, name from agents where store_id = ${store} and id = any(${ids}::uuid[])
  union all
  select i.id, a.name from installations i join apps a on a.id = i.app_id
  where i.store_id = ${store} and i.id = any(${ids}::uuid[])
  union all
  select s.id, a.name from subscriptions s
    join installations i on i.store_id = s.store_id and i.id = s.installation_id join apps a on a.id = i.app_id
  where s.store_id = ${store} and s.id = any(${ids}::uuid[])
  union all
  select merchant_id, name from members join merchants on id = merchant_id
  where store_id = ${store} and merchant_id = any(${ids}::uuid[])
`

const earlier = (a: string, b: string) => (a < b ? a : b)

/** The entries that are asked for, by the index that finds them soonest. */
const select = (store: StoreId, request: ActivityRequest) => {
  const {
    actorId = null,
    actorType = null,
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
  const before = earlier(cursor, end)
  const asked = { kinds: listOf(kinds), actorType, actorId, surface, limit }
  const most = constant(MAX_EXAMINED_ENTRIES)
  if (resourceId !== undefined) {
    const found = sql`entries_before_of_resource(${store}, ${before}, ${start}, ${most}, ${resourceId})`
    return pageBy(found, asked)
  }
  return actorId === null
    ? pageBy(sql`entries_before(${store}, ${before}, ${start}, ${most})`, asked)
    : pageBy(sql`entries_before_of_actor(${store}, ${before}, ${start}, ${most}, ${actorId})`, asked)
}

export const ActivityLive = Layer.effect(
  Activity,
  Effect.map(Database, (database) => {
    const page = pageOf(database, EntryId)
    const foundOf = database.first(Found)
    const namesOf = database.rows(DisplayName)

    return Activity.of({
      list: Effect.fn("Activity.list")((store, request) => page(select(store, request))),

      get: Effect.fn("Activity.get")((store, id) =>
        Effect.flatMap(
          foundOf(selectOne(store, id, partOf(id))),
          Option.match({ onNone: () => new EntryNotFound({ id }), onSome: Effect.succeed })
        )
      ),

      names: Effect.fn("Activity.names")((store, ids) => namesOf(selectNames(store, listOf(ids))))
    })
  })
)
