import { Array, Context, Deferred, Effect, Layer, Schema, type Scope, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ChangesGone, MAX_FOLLOWERS, TooManyFollowers } from "../../domain/journal/Changes.ts"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { StoreId } from "../../domain/Store.ts"
import { leastUuidOf, leastUuidOfMicros } from "../../domain/Uuid.ts"
import { makeOutageRetry } from "../OutageRetry.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { PARTITION_MILLIS, partAt } from "./Journal.ts"

/*
 * Horizons of stores. Ids of journal entries are assigned before the commit, so two changes may commit in the other order. An
 * entry is therefore delivered once every change of its store that began before it has ended. Running changes hold the lock
 * that `change_clock` takes before it reads the clock; it is free when their rows are visible.
 */

/** Interval between polls for new entries. One statement serves all followed stores. */
const POLL_INTERVAL = "250 millis"

/** Instant before which every change of a store has ended, and the clock of the database. */
const Horizon = Schema.Struct({
  storeId: Schema.toType(StoreId),
  /** Milliseconds. */
  now: Schema.Number,
  micros: Schema.NumberFromString
})

const readStores = rowsReader(Horizon.mapFields(Struct.pick(["storeId"])))

/** Store with followers in this process. */
export interface FollowedStore {
  followers: number
  /** Id below which no further entry can appear. */
  horizon: string
  /** Done when the horizon has advanced. */
  advanced: Deferred.Deferred<void>
}

const newDeferred = () => Deferred.makeUnsafe<void>()

/** Returns the parts of the journal with the entries between two instants. */
export const partsOf = (from: number, to: number): string => {
  const count = Math.min(Math.floor(to / PARTITION_MILLIS) - Math.floor(from / PARTITION_MILLIS), 15)
  return plainArray(Array.makeBy(count + 1, (index) => partAt(from + index * PARTITION_MILLIS)))
}

/** Returns the parts of new entries. The margin covers clocks that differ and the end of a part. */
const newestParts = () => partsOf(Date.now() - PARTITION_MILLIS, Date.now() + PARTITION_MILLIS)

/** Horizons of stores, which readers of changes share. */
export class FollowedStores extends Context.Service<FollowedStores>()("layers/journal/FollowedStores", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { journalDays } = yield* OperatorLimits
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

    return {
      /** Returns the current horizon of a store. Fails if no entries are kept from `after` on. */
      findHorizon: Effect.fnUntraced(function* (storeId: StoreId, after: string | undefined) {
        const [{ micros, now }] = yield* findHorizons([storeId])
        const oldest = leastUuidOf(new Date(now - journalDays * 24 * 3_600_000))
        if (after !== undefined && (after < oldest || after > leastUuidOf(new Date(now + 1)))) {
          return yield* new ChangesGone()
        }
        return leastUuidOfMicros(micros)
      }, orDefect),

      /** Polls the store until the scope ends. A store without followers starts at `horizon`. */
      follow: (storeId: StoreId, horizon: string): Effect.Effect<FollowedStore, TooManyFollowers, Scope.Scope> =>
        Effect.acquireRelease(enter(storeId, horizon), (followed) => leave(storeId, followed))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
