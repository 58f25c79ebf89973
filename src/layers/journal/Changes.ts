import { Array, Chunk, Deferred, Effect, Layer, Schema, Stream, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { EventId } from "../../domain/Events.ts"
import {
  Changed,
  Changes,
  ChangesGone,
  Following,
  MAX_FOLLOWERS,
  type ChangeStreamItem,
  TooManyFollowers
} from "../../domain/journal/Changes.ts"
import { ENTRY_DAYS } from "../../domain/journal/Journal.ts"
import type { CatalogKind } from "../../domain/journal/Kinds.ts"
import { StoreId } from "../../domain/Store.ts"
import { leastUuidOf, leastUuidOfMicros, millisOf } from "../../domain/Uuid.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { PARTITION_MILLIS, partAt } from "./Journal.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { makeOutageRetry } from "../OutageRetry.ts"

/*
 * Streams of journal entries in the order of their ids. Ids are assigned before the commit, so two changes may commit in the
 * other order. An entry is therefore delivered once every change of its store that began before it has ended. Running changes
 * hold the lock that `change_clock` takes before it reads the clock; it is free when their rows are visible.
 */

/** Interval between polls for new entries. One statement serves all followed stores. */
const POLL_INTERVAL = "250 millis"

/** Maximum number of entries in one read. */
const PAGE = 100

const RETENTION_MILLIS = ENTRY_DAYS * 24 * 3_600_000

const { actor, id, resourceId, ...entryFields } = Struct.omit(Changed.fields, ["_tag", "occurredAt"])

const Row = Schema.Struct({
  ...entryFields,
  surface: Schema.String,
  id: Schema.toType(id),
  resourceId: Schema.toType(resourceId),
  occurredAt: Schema.Date,
  actorType: Schema.String,
  actorId: Schema.String
})

const Entry = Schema.Struct({ ...Row.fields, surface: entryFields.surface, actorType: actor.fields.type })

/** Drops entries of surfaces and actors that only a newer release knows. */
const isKnown = Schema.is(Entry)

const toChange = ({ actorId, actorType, occurredAt, ...entry }: typeof Entry.Type): Changed => ({
  _tag: "Changed",
  ...entry,
  occurredAt: occurredAt.toISOString(),
  actor: { type: actorType, id: actorId }
})

/** Instant before which every change of a store has ended, and the clock of the database. */
const Horizon = Schema.Struct({
  storeId: Schema.toType(StoreId),
  /** Milliseconds. */
  now: Schema.Number,
  micros: Schema.NumberFromString
})

const readStores = rowsReader(Horizon.mapFields(Struct.pick(["storeId"])))
const readRows = rowsReader(Row)

/** Store with followers in this process. */
interface FollowedStore {
  followers: number
  /** Id below which no further entry can appear. */
  horizon: string
  /** Done when the horizon has advanced. */
  advanced: Deferred.Deferred<void>
}

const newDeferred = () => Deferred.makeUnsafe<void>()

/** Returns the parts of the journal with the entries between two instants. */
const partsOf = (from: number, to: number): string => {
  const count = Math.min(Math.floor(to / PARTITION_MILLIS) - Math.floor(from / PARTITION_MILLIS), 15)
  return plainArray(Array.makeBy(count + 1, (index) => partAt(from + index * PARTITION_MILLIS)))
}

/** Returns the parts of new entries. The margin covers clocks that differ and the end of a part. */
const newestParts = () => partsOf(Date.now() - PARTITION_MILLIS, Date.now() + PARTITION_MILLIS)

export const ChangesLive = Layer.effect(
  Changes,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const retryDuringOutage = makeOutageRetry("Followers of changes")
    const stores = new Map<StoreId, FollowedStore>()

    /** Finds stores with entries at or after their horizon, in the given parts of the journal. */
    const findStoresWithChanges = (stores: string, horizons: string, parts: string) =>
      readStores(sql`
        select followed.store_id as "storeId"
        from unnest(${stores}::uuid[], ${horizons}::uuid[]) as followed (store_id, horizon), lateral (
          select from journal j
          where j.store_id = followed.store_id and j.id >= followed.horizon and j.part = any(${parts}::smallint[])
          order by j.id limit 1
        ) as newer
      `)

    /**
     * Returns the instant in microseconds before which every change of a store has ended: now, or the begin of its oldest
     * running change. If the database role may not see that begin, the horizon waits for the end of the change.
     */
    const findHorizons = SqlSchema.findNonEmpty({
      Request: Schema.Array(Schema.String),
      Result: Horizon,
      execute: (stores) => sql`
        with running as materialized (
          select l.objid, min(coalesce(extract(epoch from a.xact_start) * 1000000, 0)) as since
          from pg_locks l left join pg_stat_activity a on a.pid = l.pid
          where l.locktype = 'advisory' and l.classid = 72101 and l.objsubid = 2
            and l.database = (select oid from pg_database where datname = current_database())
          group by l.objid
        )
        select followed.store_id as "storeId", extract(epoch from now())::float8 * 1000 as now,
          least(extract(epoch from now()) * 1000000, running.since)::bigint as micros
        from unnest(${plainArray(stores)}::uuid[]) as followed (store_id)
        left join running on running.objid = (uuid_hash(followed.store_id)::bigint & 4294967295)::oid
      `
    })

    const listChanges = (storeId: StoreId, after: string, before: string, resources: string) => {
      const parts = partsOf(millisOf(after), millisOf(before))
      return readRows(sql`
        select
          id, at as "occurredAt", actor_type as "actorType", actor_id as "actorId", surface, resource,
          resource_id as "resourceId", version,
          case when before is null then 'created' when after is null then 'deleted' else 'updated' end as kind,
          case when before is null or after is null then '{}' else array(
            select json_object_keys(before::json) union select json_object_keys(after::json) union select unnest(omitted)
            order by 1
          ) end as members
        from entries_after(${storeId}, ${after}, ${before}, ${parts}, ${resources}, ${constant(PAGE)})
      `)
    }

    const poll = Effect.gen(function* () {
      if (stores.size === 0) return
      const horizons = [...stores.values()].map((followed) => followed.horizon)
      const changed = yield* findStoresWithChanges(plainArray([...stores.keys()]), plainArray(horizons), newestParts())
      if (changed.length === 0) return
      for (const { micros, storeId } of yield* findHorizons(changed.map(({ storeId }) => storeId))) {
        const followed = stores.get(storeId)
        const horizon = leastUuidOfMicros(micros)
        if (followed === undefined || horizon <= followed.horizon) continue
        followed.horizon = horizon
        Deferred.doneUnsafe(followed.advanced, Effect.void)
        followed.advanced = newDeferred()
      }
    }).pipe(orDefect)
    yield* retryDuringOutage(poll).pipe(Effect.andThen(Effect.sleep(POLL_INTERVAL)), Effect.forever, Effect.forkScoped)

    const enter = (storeId: StoreId, horizon: string) =>
      Effect.suspend(() => {
        const followed = stores.get(storeId) ?? { followers: 0, horizon, advanced: newDeferred() }
        if (followed.followers === MAX_FOLLOWERS) return new TooManyFollowers()
        followed.followers++
        stores.set(storeId, followed)
        return Effect.succeed(followed)
      })

    const leave = (storeId: StoreId, followed: FollowedStore) =>
      Effect.sync(() => {
        if (--followed.followers === 0) stores.delete(storeId)
      })

    const follow = Effect.fn("Changes.follow")(function* (
      storeId: StoreId,
      after: EventId | undefined,
      resources: ReadonlyArray<CatalogKind>
    ) {
      const [{ micros, now }] = yield* findHorizons([storeId])
      const oldest = leastUuidOf(new Date(now - RETENTION_MILLIS))
      if (after !== undefined && (after < oldest || after > leastUuidOf(new Date(now + 1)))) {
        return yield* new ChangesGone()
      }
      const horizon = leastUuidOfMicros(micros)
      const followed = yield* Effect.acquireRelease(enter(storeId, horizon), (followed) => leave(storeId, followed))
      const start = after ?? EventId.make(horizon, { disableChecks: true })
      let last: string = start

      /** Returns the next page of changes. Waits while there are none. */
      const next: Effect.Effect<Chunk.Chunk<ChangeStreamItem>> = Effect.suspend(() => {
        const { advanced, horizon } = followed
        if (last >= horizon) return Effect.andThen(Deferred.await(advanced), next)
        return Effect.flatMap(orDefect(listChanges(storeId, last, horizon, plainArray(resources))), (entries) => {
          last = (entries.length < PAGE ? undefined : entries.at(-1)?.id) ?? horizon
          const known = entries.filter(isKnown)
          return known.length === 0 ? next : Effect.succeed(Chunk.fromArrayUnsafe(known.map(toChange)))
        })
      })

      return Stream.concat(
        Stream.succeed<ChangeStreamItem>(Following.make({ after: start })),
        Stream.fromIterableEffectRepeat(next)
      )
    }, orDefect)

    return Changes.of({ follow: (...request) => Stream.unwrap(follow(...request)) })
  })
)
