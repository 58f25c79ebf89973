import { Effect, Option, Schedule, Schema } from "effect"
import { CellName, MAIN } from "../../domain/cells/Cells.ts"
import type { StoreId } from "../../domain/Store.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"
import { compareAll, compareChanged, compareLast } from "./Digests.ts"
import {
  addFence,
  createTriggers,
  deleteRows,
  dropTriggers,
  findFence,
  forgetChanges,
  freeze,
  isOverdue,
  limitWaits,
  readFreeze,
  recordPositions,
  removeFence,
  thaw
} from "./Fence.ts"
import {
  awaitTarget,
  countCopied,
  dropMoveSlot,
  isFollowed,
  publish,
  subscribe,
  unpublish,
  unsubscribe
} from "./Replication.ts"
import { copyTokens, recordTokens } from "../cells/TokenStores.ts"
import { awaitKilledCopies, copyFrozen, measure } from "./FrozenCopy.ts"
import { type Cell, type Method, microsOf, type Places, refuse, type Report } from "./Requirements.ts"

const State = Schema.Literals(["copying", "frozen", "switched", "cleaned"])

export const Move = Schema.Struct({ source: CellName, target: CellName, state: State, seconds: Schema.Number })
export type Move = typeof Move.Type

/** Time for which writes may wait while the target takes over. Then the store is thawed and stays. */
const PAUSE = "5 seconds"

/** Milliseconds that each statement of the switch may take, or wait for a lock. */
const WAIT = 1000

/** Time that requests to endpoints have to end. Their results could not be recorded behind the fence. */
const DRAIN = "15 seconds"

const POLL = Schedule.spaced("100 millis")

const readMembers = requiredRowReader(Schema.Struct({ ids: Schema.Array(Schema.String) }))
const readArrived = rowReader(Schema.Struct({ movedAt: Schema.NullOr(Schema.String) }))
const readCount = requiredRowReader(Schema.Struct({ count: Schema.Int }))

const setState = ({ sql }: Cell, store: StoreId, state: typeof State.Type) =>
  sql`update store_moves set state = ${state}, updated_at = clock_timestamp() where store_id = ${store}`

/** Makes the store of its tokens known, for those that do not name it: no request with them must look in the target. */
const nameTokens = ({ main, source, store }: Places) =>
  source === main ? recordTokens(main.sql, store) : copyTokens(source.sql, main.sql, store)

/** Fences both cells before the first row arrives: workers of the target must not touch it. */
const prepare = Effect.fnUntraced(function* (places: Places) {
  const { source, store, tables, target } = places
  yield* nameTokens(places)
  yield* createTriggers(target.sql, store, tables, "target")
  yield* addFence(target.sql, store, "arriving")
  yield* createTriggers(source.sql, store, tables, "source")
})

/** Ends replication. */
const endReplication = Effect.fnUntraced(function* ({ source, store, target }: Places) {
  yield* unsubscribe(target.sql, store)
  yield* dropMoveSlot(source.sql, store)
  yield* unpublish(source.sql, store)
})

/** Deletes the rows that a copy brought to the target. */
const emptyTarget = Effect.fnUntraced(function* ({ store, target }: Places) {
  yield* awaitKilledCopies(target.sql, store)
  yield* deleteRows(target.sql, store)
})

/** Copies the rows, and compares them. Returns the oldest transaction whose rows were not compared. */
const copy = Effect.fn("StoreMove.copy")(function* (places: Places, report: Report) {
  const { source, store, tables, target } = places
  yield* prepare(places)
  yield* publish(source.sql, store, tables)
  if (!(yield* isFollowed(source.sql, target.sql, store))) {
    yield* unsubscribe(target.sql, store)
    yield* emptyTarget(places)
    yield* subscribe(source.sql, source.url, target.sql, store)
  }
  let shown = -1
  yield* countCopied(target.sql, store).pipe(
    Effect.tap(({ all, ready }) => {
      if (ready === shown) return Effect.void
      shown = ready
      return report(`copying: ${ready} of ${all} tables`)
    }),
    Effect.repeat({ until: ({ all, ready }) => ready === all, schedule: POLL })
  )
  yield* report("copying: comparing all rows")
  const horizon = yield* awaitTarget(source.sql, store)
  yield* forgetChanges(source.sql, store, horizon)
  yield* compareAll({ source: source.sql, target: target.sql }, tables, store, horizon)
  return horizon
})

/** Compares the rows that changed since `last`, so that few are left for the time in which writes wait. */
const compareAgain = Effect.fn("StoreMove.compareAgain")(function* (places: Places, last: string) {
  const { source, store, tables, target } = places
  const horizon = yield* awaitTarget(source.sql, store)
  yield* compareChanged({ source: source.sql, target: target.sql }, tables, store, last, horizon)
  return horizon
})

/** Waits until no worker of the source sends a delivery of the store. */
const drain = Effect.fn("StoreMove.drain")(function* ({ source: { sql }, store }: Places) {
  yield* addFence(sql, store, "draining")
  yield* readCount(sql`
    select count(*)::integer as count from deliveries
    where store_id = ${store} and finished_at is null and lease is not null and next_at > now()
  `).pipe(Effect.repeat({ until: ({ count }) => count === 0, schedule: POLL }), Effect.timeoutOption(DRAIN))
})

/** Waits until the target has the freeze, which is the last change of the store. */
const awaitFreeze = ({ sql }: Cell, store: StoreId, movedAt: string) =>
  readArrived(sql`select moved_at::text as "movedAt" from stores where id = ${store}`).pipe(
    Effect.repeat({
      until: Option.exists((row) => row.movedAt === movedAt),
      schedule: Schedule.spaced("2 millis")
    })
  )

/** Waits for the last changes of the frozen store, and compares the rows that changed since `horizon`. */
const awaitLast = Effect.fnUntraced(function* ({ source, store, tables, target }: Places, horizon: string) {
  const { movedAt } = yield* readFreeze(source.sql, store)
  yield* awaitFreeze(target, store, movedAt)
  yield* compareLast({ source: source.sql, target: target.sql }, tables, store, horizon)
})

/** Lets the target replicate the store while it is used. Returns what is left while it is frozen. */
export const byReplication = Effect.fn("StoreMove.byReplication")(function* (places: Places, report: Report) {
  const copied = yield* copy(places, report)
  yield* drain(places)
  const horizon = yield* compareAgain(places, copied)
  yield* report("frozen: writes wait")
  return awaitLast(places, horizon)
})

/** Prepares a copy of all rows. Returns the copy, which is made while the store is frozen. */
export const byCopy = Effect.fn("StoreMove.byCopy")(function* (places: Places, report: Report) {
  const { source, store, tables } = places
  yield* prepare(places)
  yield* endReplication(places)
  yield* emptyTarget(places)
  yield* drain(places)
  const rows = (yield* measure(source.sql, store, tables)).reduce((sum, table) => sum + table.rows, 0)
  yield* report(`frozen: requests wait or get 503 while ${rows} rows are copied`)
  return copyFrozen(places, rows, report)
})

/** Brings the last rows of the frozen store to the target, and compares them. */
type Arrival = Effect.Success<ReturnType<typeof byCopy | typeof byReplication>>

/** Lets the target serve the store. Requests arrive once the directory names it. */
const open = Effect.fn("StoreMove.open")(function* ({ store, target: { sql } }: Places) {
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* limitWaits(sql, WAIT)
      yield* removeFence(sql, store)
      yield* sql`update stores set moved_at = null where id = ${store}`
      // Nothing that their processes do can be committed in the source any more.
      yield* sql`update jobs set lease = null, next_at = clock_timestamp() where store_id = ${store} and lease is not null`
      yield* sql`
        insert into wakeups (app_id, next_at)
        select app_id, min(next_at) from deliveries where store_id = ${store} and finished_at is null group by app_id
      `
      yield* recordPositions(sql, store)
    })
  )
})

/** Transfers the frozen store. Fails, and changes nothing, if the target lacks something. */
const transfer = Effect.fn("StoreMove.transfer")(function* (places: Places, arrive: Arrival) {
  const { main, source, store, target } = places
  const { newest } = yield* readFreeze(source.sql, store)
  yield* arrive
  // Other cells make new ones known themselves.
  if (source === main) yield* nameTokens(places)
  const { ids } = yield* readMembers(
    source.sql`select coalesce(json_agg(merchant_id), '[]') as ids from members where store_id = ${store}`
  )
  if (target.name !== MAIN) {
    yield* main.sql`
      insert into merchant_stores (merchant_id, store_id)
      select unnest(${ids}::uuid[]), ${store} on conflict do nothing
    `
  }
  yield* Effect.repeat(microsOf(target.sql), {
    until: ({ micros }) => micros > newest,
    schedule: Schedule.spaced("1 millis")
  })
  // The directory waits for nothing any more when the target is open: only its commit is left.
  yield* main.sql.withTransaction(
    limitWaits(main.sql, WAIT).pipe(Effect.andThen(nameTarget(places)), Effect.andThen(open(places)))
  )
})

/** Names the target in the directory. */
const nameTarget = ({ main, store, target }: Places) =>
  Effect.andThen(
    main.sql`
      insert into directory (store_id, cell) values (${store}, ${target.name})
      on conflict (store_id) do update set cell = excluded.cell, epoch = directory.epoch + 1
    `,
    setState(main, store, "switched")
  )

/** Names a target that has taken over the store before its command stopped. */
export const switchOver = Effect.fn("StoreMove.switchOver")((places: Places) =>
  places.main.sql.withTransaction(nameTarget(places))
)

/** True once the target serves the store. Waits for a transaction that opens it, which the database of a killed command ends. */
export const isOpen = ({ store, target }: Places) => Effect.map(findFence(target.sql, store), Option.isNone)

/**
 * Freezes the store, transfers it and switches. A failure before the target is open thaws it in the source. So does a
 * transfer by replication that takes too long; a copy of all rows has no limit. Returns the milliseconds for which writes
 * waited.
 */
export const freezeAndSwitch = Effect.fn("StoreMove.freezeAndSwitch")(function* (
  places: Places,
  method: Method,
  arrive: Arrival
) {
  const { main, source, store, target } = places
  yield* setState(main, store, "frozen")
  const giveUp = refuse(
    `The cell ${target.name} did not take over in time, so the store stays where it is; see the log of its server for locks and long statements, and run the command again`
  )
  const transferred = Effect.catchIf(transfer(places, arrive), isOverdue, () => giveUp)
  return yield* freeze(source.sql, store).pipe(
    Effect.tap(
      method === "copy" ? transferred : Effect.timeoutOrElse(transferred, { duration: PAUSE, orElse: () => giveUp })
    ),
    Effect.map((start) => Math.round(performance.now() - start)),
    Effect.onError(() =>
      Effect.gen(function* () {
        // Only the answer to the commit was lost.
        if (yield* isOpen(places)) return yield* switchOver(places)
        yield* thaw(source.sql, store)
        return yield* setState(main, store, "copying")
      }).pipe(Effect.ignore({ log: "Warn" }))
    )
  )
})

/** Deletes what the source still has, once no process sends requests there. */
export const clean = Effect.fn("StoreMove.clean")(function* (places: Places, seconds: number, report: Report) {
  const { main, source, store, tables, target } = places
  yield* endReplication(places)
  yield* dropTriggers(target.sql, store, tables)
  if (seconds > 0) {
    yield* report(`switched: cleaning ${source.name} in ${Math.ceil(seconds)} s, when no process remembers it`)
    yield* Effect.sleep(`${seconds} seconds`)
  }
  yield* report(`switched: cleaning ${source.name}`)
  yield* deleteRows(source.sql, store)
  yield* dropTriggers(source.sql, store, tables)
  yield* forgetChanges(source.sql, store)
  yield* removeFence(source.sql, store)
  yield* setState(main, store, "cleaned")
})

/** Undoes a move that has not switched. The source serves the store as before. */
export const undo = Effect.fn("StoreMove.undo")(function* (places: Places, state: Move["state"]) {
  const { main, source, store, tables, target } = places
  if (state === "switched" || (state === "frozen" && (yield* isOpen(places)))) {
    return yield* refuse(`The cell ${target.name} has taken over the store: end the move, then move the store back`)
  }
  yield* thaw(source.sql, store)
  // A frozen move whose target has no fence counts as one that the target has taken over.
  yield* setState(main, store, "copying")
  yield* endReplication(places)
  yield* dropTriggers(source.sql, store, tables)
  yield* forgetChanges(source.sql, store)
  yield* emptyTarget(places)
  yield* dropTriggers(target.sql, store, tables)
  yield* removeFence(target.sql, store)
  yield* main.sql`delete from store_moves where store_id = ${store}`
})
