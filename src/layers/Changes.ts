import { Chunk, Deferred, Effect, Layer, Schema, Stream, Struct } from "effect"
import { EventId } from "../domain/Events.ts"
import {
  Changed,
  Changes,
  ChangesGone,
  Following,
  MAX_FOLLOWERS,
  type ChangeStreamItem,
  TooManyFollowers
} from "../domain/journal/Changes.ts"
import { ENTRY_DAYS } from "../domain/journal/Journal.ts"
import type { CatalogKind } from "../domain/journal/Kinds.ts"
import { StoreId } from "../domain/Store.ts"
import { leastUuidOf, leastUuidOfMicros, millisOf } from "../domain/Uuid.ts"
import { Database } from "./sql/Postgres.ts"
import { constant, sql } from "./sql/Statement.ts"
import { PART, partAt } from "./Journal.ts"
import { listOf } from "./Lists.ts"
import { makePatience } from "./Patience.ts"

/*
 * Entries of the journal in the order of their ids, each told once nothing older can come. Ids are made before the commit,
 * and those of two resources may be committed the other way round: so an entry is told when every change of its store has
 * ended that began before it. Which are under way is known by the lock that `change_clock` takes before it tells the time,
 * and which is free when what was written can be seen.
 */

/** How often it is looked whether something was committed, for all stores that are followed, by one statement. */
const EVERY = "250 millis"

/** Changes that are read and told at once. */
const PAGE = 100

const MILLIS_KEPT = ENTRY_DAYS * 24 * 3_600_000

/** Stores in which something was committed since they were last settled, and so stands in the newest parts. */
const selectMoved = (stores: string, settled: string, parts: string) => sql`
  select watched.store_id as "storeId"
  from unnest(${stores}::uuid[], ${settled}::uuid[]) as watched (store_id, settled), lateral (
    select from journal j
    where j.store_id = watched.store_id and j.id >= watched.settled and j.part = any(${parts}::smallint[])
    order by j.id limit 1
  ) as newer
`

/**
 * The instant in microseconds before which every change of a store has ended: that of now, or when the first transaction
 * began that changes something there. A role that may not see when it began waits for its end.
 */
const selectSettled = (stores: string) => sql`
  with under_way as materialized (
    select l.objid, min(coalesce(extract(epoch from a.xact_start) * 1000000, 0)) as since
    from pg_locks l left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and l.classid = 72101 and l.objsubid = 2
      and l.database = (select oid from pg_database where datname = current_database())
    group by l.objid
  )
  select given.store_id as "storeId", extract(epoch from now())::float8 * 1000 as now,
    least(extract(epoch from now()) * 1000000, under_way.since)::bigint as micros
  from unnest(${stores}::uuid[]) as given (store_id)
  left join under_way on under_way.objid = (uuid_hash(given.store_id)::bigint & 4294967295)::oid
`

const selectChanges = (store: StoreId, after: string, before: string, parts: string, resources: string) => sql`
  select
    id, at as "occurredAt", actor_type as "actorType", actor_id as "actorId", surface, resource,
    resource_id as "resourceId",
    version, case when before is null then 'created' when after is null then 'deleted' else 'updated' end as kind,
    case when before is null or after is null then '{}' else array(
      select json_object_keys(before::json) union select json_object_keys(after::json) union select unnest(omitted)
      order by 1
    ) end as members
  from entries_after(${store}, ${after}, ${before}, ${parts}, ${resources}, ${constant(PAGE)})
`

const { actor, id, resourceId, ...asTold } = Struct.omit(Changed.fields, ["_tag", "occurredAt"])

const Row = Schema.Struct({
  ...asTold,
  surface: Schema.String,
  id: Schema.toType(id),
  resourceId: Schema.toType(resourceId),
  occurredAt: Schema.Date,
  actorType: Schema.String,
  actorId: Schema.String
})

const Entry = Schema.Struct({ ...Row.fields, surface: asTold.surface, actorType: actor.fields.type })

/** Leaves out what a newer release wrote through a surface, or for an actor, that this one and its clients cannot name. */
const isKnown = Schema.is(Entry)

const changedOf = ({ actorId, actorType, occurredAt, ...entry }: typeof Entry.Type): Changed => ({
  _tag: "Changed",
  ...entry,
  occurredAt: occurredAt.toISOString(),
  actor: { type: actorType, id: actorId }
})

const Settled = Schema.Struct({
  storeId: Schema.toType(StoreId),
  /** Milliseconds, by the clock of the database. */
  now: Schema.Number,
  micros: Schema.NumberFromString
})

/** A store that is followed here. */
interface Watched {
  followers: number
  /** Below this id nothing more can come. */
  settled: string
  /** Done when that has risen. */
  risen: Deferred.Deferred<void>
}

const newDeferred = () => Deferred.makeUnsafe<void>()

/** The parts of the journal that hold what was made between two instants. */
const partsOf = (from: number, to: number): string => {
  const count = Math.min(Math.floor(to / PART) - Math.floor(from / PART), 15)
  return listOf(Array.from({ length: count + 1 }, (_, index) => partAt(from + index * PART)))
}

/** What is committed now: it does not matter whose clock is ahead, or that a part ends. */
const newestParts = () => partsOf(Date.now() - PART, Date.now() + PART)

export const ChangesLive = Layer.effect(
  Changes,
  Effect.gen(function* () {
    const { rows, one } = yield* Database
    const movedOf = rows(Settled.mapFields(Struct.pick(["storeId"])))
    const allSettledOf = rows(Settled)
    const settledOf = one(Settled)
    const entriesOf = rows(Row)
    const untilItWorks = makePatience("Followers of changes")
    const stores = new Map<StoreId, Watched>()

    const look = Effect.gen(function* () {
      if (stores.size === 0) return
      const settled = [...stores.values()].map((watched) => watched.settled)
      const moved = yield* movedOf(selectMoved(listOf([...stores.keys()]), listOf(settled), newestParts()))
      if (moved.length === 0) return
      for (const { micros, storeId } of yield* allSettledOf(
        selectSettled(listOf(moved.map(({ storeId }) => storeId)))
      )) {
        const watched = stores.get(storeId)
        const settled = leastUuidOfMicros(micros)
        if (watched === undefined || settled <= watched.settled) continue
        watched.settled = settled
        Deferred.doneUnsafe(watched.risen, Effect.void)
        watched.risen = newDeferred()
      }
    })
    yield* untilItWorks(look).pipe(Effect.andThen(Effect.sleep(EVERY)), Effect.forever, Effect.forkScoped)

    const enter = (store: StoreId, settled: string) =>
      Effect.suspend(() => {
        const watched = stores.get(store) ?? { followers: 0, settled, risen: newDeferred() }
        if (watched.followers === MAX_FOLLOWERS) return new TooManyFollowers()
        watched.followers++
        stores.set(store, watched)
        return Effect.succeed(watched)
      })

    const leave = (store: StoreId, watched: Watched) =>
      Effect.sync(() => {
        if (--watched.followers === 0) stores.delete(store)
      })

    const follow = Effect.fnUntraced(function* (
      store: StoreId,
      after: EventId | undefined,
      resources: ReadonlyArray<CatalogKind>
    ) {
      const { micros, now } = yield* settledOf(selectSettled(listOf([store])))
      const kept = leastUuidOf(new Date(now - MILLIS_KEPT))
      if (after !== undefined && (after < kept || after > leastUuidOf(new Date(now + 1))))
        return yield* new ChangesGone()
      const settled = leastUuidOfMicros(micros)
      const watched = yield* Effect.acquireRelease(enter(store, settled), (watched) => leave(store, watched))
      const start = after ?? EventId.make(settled, { disableChecks: true })
      let told: string = start

      /** What came since, a page at a time. It waits where nothing did. */
      const next: Effect.Effect<Chunk.Chunk<ChangeStreamItem>> = Effect.suspend(() => {
        const { risen, settled } = watched
        if (told >= settled) return Effect.andThen(Deferred.await(risen), next)
        const parts = partsOf(millisOf(told), millisOf(settled))
        return Effect.flatMap(entriesOf(selectChanges(store, told, settled, parts, listOf(resources))), (entries) => {
          const last = entries.length < PAGE ? undefined : entries.at(-1)
          told = last?.id ?? settled
          const known = entries.filter(isKnown)
          return known.length === 0 ? next : Effect.succeed(Chunk.fromArrayUnsafe(known.map(changedOf)))
        })
      })

      return Stream.concat(
        Stream.succeed<ChangeStreamItem>(Following.make({ after: start })),
        Stream.fromIterableEffectRepeat(next)
      )
    })

    return Changes.of({ follow: (...asked) => Stream.unwrap(follow(...asked)) })
  })
)
