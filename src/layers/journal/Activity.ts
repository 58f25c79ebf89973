import { Effect, Layer, Option, Schema } from "effect"
import {
  Activity,
  type ActivityRequest,
  EntryId,
  EntryNotFound,
  MAX_LOOKED_AT,
  Named
} from "../../domain/journal/Activity.ts"
import { ResourceKind } from "../../domain/journal/Kinds.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import { Database } from "../database/Postgres.ts"
import { statement } from "../database/Statement.ts"
import { partOf } from "../Journal.ts"
import { listOf } from "../Lists.ts"
import { END, pageOf, pageQuery, START } from "../Pages.ts"

const COLUMNS = `
  at, actor_type, actor_id, surface, resource, resource_id, version, omitted, idempotency_key, request_id, hops,
  reason, undoes, approved_by, before, after
`

/** An entry as JSON: what was kept of the resource goes out as it is. */
const TEXT = `
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

/**
 * Entries of the store from `$5` to before `$4`, the newest first, by the function that finds them soonest. What else is
 * asked for is looked for among so many of them that a page is never long in coming.
 */
const pageBy = (found: string) =>
  statement(
    pageQuery({
      columns: COLUMNS,
      text: TEXT,
      bytes: `coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0) + ${FRAME}`,
      rows: `${found} where resource = any($6::text[]) and actor_type = coalesce($7, actor_type)
        and actor_id = coalesce($8::uuid, actor_id) and surface = coalesce($9, surface)`,
      order: "descending",
      last: `(select case when count(*) = ${MAX_LOOKED_AT} then min(id::text) end from ${found})`
    })
  )
const selectAll = pageBy(`entries_before($1, $4, $5, ${MAX_LOOKED_AT})`)
const selectOfResource = pageBy(`entries_before_of_resource($1, $4, $5, ${MAX_LOOKED_AT}, $10)`)
const selectOfActor = pageBy(`entries_before_of_actor($1, $4, $5, ${MAX_LOOKED_AT}, $10)`)

const selectOne = statement(`
  select resource, ${TEXT} as json from journal where store_id = $1 and id = $2 and part = $3
`)
const Found = Schema.Struct({ resource: ResourceKind, json: Schema.String })

const selectNames = statement(`
  select id, document ->> 'name' as name from products where store_id = $1 and id = any($2::uuid[])
  union all select id, document ->> 'title' from collections where store_id = $1 and id = any($2::uuid[])
  union all select id, name from agents where store_id = $1 and id = any($2::uuid[])
  union all
  select i.id, a.name from installations i join apps a on a.id = i.app_id where i.store_id = $1 and i.id = any($2::uuid[])
  union all
  select s.id, a.name from subscriptions s
    join installations i on i.store_id = s.store_id and i.id = s.installation_id join apps a on a.id = i.app_id
  where s.store_id = $1 and s.id = any($2::uuid[])
  union all
  select merchant_id, name from members join merchants on id = merchant_id
  where store_id = $1 and merchant_id = any($2::uuid[])
`)

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
  const asked = [`{${kinds.join(",")}}`, actorType, actorId, surface]
  const values = [store, limit, PAGE_BYTES, earlier(cursor, end), start, ...asked]
  if (resourceId !== undefined) return selectOfResource(...values, resourceId)
  return actorId === null ? selectAll(...values) : selectOfActor(...values, actorId)
}

export const ActivityLive = Layer.effect(
  Activity,
  Effect.map(Database, (database) => {
    const page = pageOf(database, EntryId)
    const foundOf = database.first(Found)
    const namesOf = database.rows(Named)

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
