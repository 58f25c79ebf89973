import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { CellName, MAIN } from "../../domain/cells/Cells.ts"
import type { StoreId } from "../../domain/Store.ts"
import { innermostMessage } from "../../domain/Unavailable.ts"
import { cellSettings } from "../cells/CellSettings.ts"
import { databaseOptions } from "../DatabaseConfig.ts"
import { postgres } from "../sql/Postgres.ts"
import { rowReader } from "../sql/Rows.ts"
import { thaw } from "./Fence.ts"
import { estimatePause, measure } from "./FrozenCopy.ts"
import { listMoveTables } from "./MoveTables.ts"
import { type Cell, listProblems, listWarnings, type Method, type Places, refuse, type Report } from "./Requirements.ts"
import { byCopy, byReplication, clean, freezeAndSwitch, isOpen, Move, switchOver, undo } from "./Steps.ts"

/*
 * Moves a store to another cell while it is used (docs/operations/move-stores.md). Each state can be entered again after a kill:
 *
 * - copying: replication copies the rows and follows their changes.
 * - frozen: the source refuses writes, and the target gets the last of them. Only here, requests wait.
 *   A move by copy copies all rows here.
 * - switched: the target serves the store.
 * - cleaned: the source has no rows of it.
 */

const readMove = rowReader(Move)
const readCell = rowReader(Schema.Struct({ cell: CellName }))
const decodeLocked = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ isLocked: Schema.Boolean })]))

/** Connects to a cell. */
const connect = Effect.fnUntraced(function* (name: CellName) {
  const settings = yield* cellSettings
  const other = settings.find((cell) => cell.name === name)
  if (name !== MAIN && other === undefined) {
    return yield* refuse(
      `CELLS does not name ${name}; use one of ${[MAIN, ...settings.map((cell) => cell.name)].join(", ")}`
    )
  }
  const { directUrl, url } = other ?? (yield* databaseOptions)
  const direct = directUrl ?? url
  const services = yield* Layer.build(Layer.fresh(postgres({ url: direct, maxConnections: 6, withoutTimeouts: true })))
  return { name, sql: Context.get(services, SqlClient.SqlClient), url: direct } satisfies Cell
})

/** Keeps other commands from moving the store until the scope ends. */
const lockMove = Effect.fnUntraced(function* ({ sql }: Cell, store: StoreId) {
  const connection = yield* sql.reserve
  const locked = yield* connection.executeUnprepared(
    'select pg_try_advisory_lock(72104, uuid_hash($1::uuid)) as "isLocked"',
    [store],
    undefined
  )
  yield* Effect.addFinalizer(() =>
    Effect.ignore(connection.executeUnprepared("select pg_advisory_unlock_all()", [], undefined))
  )
  const [{ isLocked }] = yield* decodeLocked(locked)
  if (!isLocked) return yield* refuse(`Another command moves store ${store}; wait for its end`)
})

const findMove = ({ sql }: Cell, store: StoreId) =>
  readMove(sql`
    select source, target, state, extract(epoch from clock_timestamp() - updated_at)::float8 as seconds
    from store_moves where store_id = ${store} and state <> 'cleaned'
  `)

/** Finds the cells of a store and of its move. */
const findPlaces = Effect.fnUntraced(function* (store: StoreId, to: CellName | undefined) {
  const main = yield* connect(MAIN)
  yield* lockMove(main, store)
  const move = Option.getOrUndefined(yield* findMove(main, store))
  const found = yield* readCell(main.sql`select cell from directory where store_id = ${store}`)
  const source = move?.source ?? Option.match(found, { onNone: () => MAIN, onSome: ({ cell }) => cell })
  const target = move?.target ?? to
  if (target === undefined) return yield* refuse(`No move of store ${store} is under way`)
  if (to !== undefined && to !== target) {
    return yield* refuse(`The store is moving to ${target}: use --cell ${target}, or --abort`)
  }
  if (source === target) return yield* refuse(`The store is in the cell ${target} already`)
  const open = (name: CellName) => (name === MAIN ? Effect.succeed(main) : connect(name))
  const ends = { source: yield* open(source), target: yield* open(target) }
  // The lock in `main` ends with its server, which can restart while this command uses the other two.
  for (const cell of [ends.source, ends.target]) if (cell !== main) yield* lockMove(cell, store)
  const places: Places = {
    store,
    main,
    ...ends,
    tables: yield* listMoveTables(main.sql)
  }
  return { places, move }
})

/** Turns a failed statement into a refusal with the reason, which says what to do. */
const explained = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    effect,
    (error): error is Extract<E, SqlError.SqlError> => SqlError.isSqlError(error),
    (error) =>
      refuse(
        `The move stopped: ${innermostMessage(error)}. Correct the reason, then run the command again, or with --abort before the switch`
      )
  )

export interface MoveRequest {
  readonly store: StoreId
  readonly cell: CellName
  /** A stopped move may go on with another one. */
  readonly method: Method
  /** Seconds after the switch for which the source answers that the store moved. */
  readonly cleanAfter: number
}

/** Moves a store to another cell, or goes on with its move. Returns the milliseconds for which writes waited. */
export const moveStore = Effect.fn("moveStore")(
  function* ({ cell, cleanAfter, method, store }: MoveRequest, report: Report) {
    const { move, places } = yield* findPlaces(store, cell)
    const { main, source, target } = places
    let state = move?.state ?? "copying"
    let pause: number | null = null
    if (move === undefined) {
      const problems = yield* listProblems(places, method)
      if (problems.length > 0) return yield* refuse(problems.join(". "))
      for (const warning of yield* listWarnings(places, method)) yield* report(`Warning: ${warning}`)
      yield* main.sql`
      insert into store_moves (store_id, source, target, state) values (${store}, ${source.name}, ${target.name}, 'copying')
      on conflict (store_id) do update set source = excluded.source, target = excluded.target, state = excluded.state,
        started_at = clock_timestamp(), updated_at = clock_timestamp()
    `
    }
    if (state === "frozen" && (yield* isOpen(places))) {
      yield* switchOver(places)
      state = "switched"
    }
    if (state !== "switched") {
      // A killed command may have left the store frozen. Comparing all rows takes longer than writes may wait.
      yield* thaw(source.sql, store)
      const arrive = yield* method === "copy" ? byCopy(places, report) : byReplication(places, report)
      pause = yield* freezeAndSwitch(places, method, arrive)
      yield* report(`switched: the cell ${target.name} serves the store; writes waited ${pause} ms`)
    }
    yield* clean(places, cleanAfter - (state === "switched" ? (move?.seconds ?? 0) : 0), report)
    return { storeId: store, source: source.name, cell: target.name, pauseMillis: pause }
  },
  Effect.scoped,
  explained
)

/** Undoes the move of a store. */
export const abortMove = Effect.fn("abortMove")(
  function* (store: StoreId) {
    const { move, places } = yield* findPlaces(store, undefined)
    if (move === undefined) return yield* refuse(`No move of store ${store} is under way`)
    yield* undo(places, move.state)
    return { storeId: store, cell: places.source.name, aborted: true }
  },
  Effect.scoped,
  explained
)

/** Lists what a move would copy, and what keeps it from succeeding. Changes nothing. */
export const describeMove = Effect.fn("describeMove")(
  function* (store: StoreId, cell: CellName, method: Method) {
    const { places } = yield* findPlaces(store, cell)
    const { source, tables, target } = places
    const sizes = yield* measure(source.sql, store, tables)
    return {
      source: source.name,
      cell: target.name,
      tables: sizes.filter(({ rows }) => rows > 0),
      ...(method === "copy" ? { estimatedPauseSeconds: estimatePause(sizes) } : {}),
      problems: yield* listProblems(places, method),
      warnings: yield* listWarnings(places, method)
    }
  },
  Effect.scoped,
  explained
)
