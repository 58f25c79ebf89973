import { Context, Effect, Latch, type Option, Schema, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient, SqlError } from "effect/sql"
import type { Duplex } from "node:stream"
import { innermostMessage } from "../../domain/Unavailable.ts"
import { makePool, makeSqlClient, type Pool, type PoolConfig } from "./Client.ts"
import { requiredRowReader } from "./Rows.ts"

/** Maximum milliseconds that a replica that is read from may be behind the primary. */
export const MAX_LAG = 10_000

/** Pause between polls of the position that the replica has replayed, while it is used. */
const POLL_INTERVAL = "100 millis"

/** Time for a poll. A replica that takes longer is out of use. */
const POLL_TIMEOUT = "2 seconds"

/** Pause before a replica is polled again that failed. */
const RETRY_INTERVAL = "1 second"

/** Milliseconds between samples of the position of the primary. */
const SAMPLE_INTERVAL = 1_000

/** Maximum number of samples that wait for the replica. */
const MAX_SAMPLES = 2 * (MAX_LAG / SAMPLE_INTERVAL)

/** Polls while an export waits for the replica: for 5 seconds. */
const MAX_WAITS = 100

/** Identifies a database: its cluster, which a replica shares with the primary, and its name. */
const DATABASE = "(select system_identifier from pg_control_system()) || ' ' || current_database()"

const Primary = Schema.Struct({ position: Schema.Number, database: Schema.String })

const Replayed = Schema.Struct({ position: Schema.Number, database: Schema.String, isStreaming: Schema.Boolean })

const readPrimary = requiredRowReader(Primary)
const readReplayed = requiredRowReader(Replayed)

/** A server that replays the log of the primary. */
export interface Replica {
  readonly pool: Pool
  /** True if the replica has replayed the log up to a position, and is not too far behind. Does not wait. */
  readonly hasReplayed: (position: number) => boolean
  /** Waits some seconds until the replica has replayed all that is committed now. Returns false if it has not. */
  readonly awaitLatest: Effect.Effect<boolean, SqlError.SqlError | Schema.SchemaError>
  /** Makes a client of the replica with a connection of its own, which closes with the scope. */
  readonly open: Effect.Effect<SqlClient.SqlClient, SqlError.SqlError, Scope.Scope>
}

/** The replica of the database, if there is one. */
export class ReadReplica extends Context.Service<ReadReplica, Option.Option<Replica>>()("layers/sql/ReadReplica") {}

/**
 * Connects to a replica on first use. The position that it has replayed is polled while it is used. A known position is a lower
 * bound, because the replica only advances. Its lag is the age of the newest sample of the position of the primary that it has
 * reached, which needs no common clock and also rises if the replica receives nothing.
 */
export const makeReplica = Effect.fnUntraced(function* (config: PoolConfig, primary: SqlClient.SqlClient) {
  const sockets = new Set<Duplex>()
  const stream = () => {
    const socket = config.stream()
    sockets.add(socket)
    // The next connection may reach a server that has replayed less, such as one that has started again.
    return socket.once("close", () => {
      sockets.delete(socket)
      replayed = -1
    })
  }
  const reading = { ...config, stream }
  let [sampledAt, latestAt, replayed] = [-Infinity, -Infinity, -1]
  const pool = yield* makePool("replica", reading)
  const polling = yield* makeSqlClient(yield* makePool("replica_position", { ...reading, maxConnections: 1 }), config)

  const selectPrimary = readPrimary(primary`
    select (pg_current_wal_flush_lsn() - '0/0')::float8 as position, ${primary.literal(DATABASE)} as database
  `)
  const selectReplayed = readReplayed(polling`
    select
      coalesce(pg_last_wal_replay_lsn() - '0/0', 0)::float8 as position, ${polling.literal(DATABASE)} as database,
      pg_is_in_recovery() and exists(select from pg_stat_wal_receiver) as "isStreaming"
  `)

  const used = Latch.makeUnsafe(false)
  const samples: Array<{ readonly at: number; readonly position: number }> = []
  let database = ""
  let isInUse: boolean | undefined

  const sample = Effect.gen(function* () {
    const at = performance.now()
    if (at - sampledAt < SAMPLE_INTERVAL || samples.length === MAX_SAMPLES) return
    const found = yield* selectPrimary
    sampledAt = at
    database = found.database
    samples.push({ at, position: found.position })
  })

  const read = Effect.gen(function* () {
    const found = yield* selectReplayed
    if (found.database !== database) return yield* Effect.die(new Error("It is not a replica of this database"))
    if (!found.isStreaming) return yield* Effect.die(new Error("It does not receive the log of a primary"))
    replayed = found.position
    while (samples[0] !== undefined && samples[0].position <= replayed) latestAt = samples.shift()?.at ?? latestAt
    if (isInUse !== true) yield* Effect.logInfo("The replica is in use")
    isInUse = true
  })

  /** Closes all connections, so that reads that the replica does not answer go on on the primary. */
  const leave = Effect.fnUntraced(function* (error: unknown) {
    if (isInUse !== false) yield* Effect.logWarning(`The replica is not in use: ${innermostMessage(error)}`)
    isInUse = false
    replayed = -1
    for (const socket of sockets) socket.destroy()
    yield* Effect.sleep(RETRY_INTERVAL)
  })

  const poll = Effect.andThen(
    sample,
    read.pipe(
      Effect.timeout(POLL_TIMEOUT),
      Effect.catchDefect((defect) => Effect.fail(defect)),
      Effect.catch(leave)
    )
  )

  const next = Effect.gen(function* () {
    yield* used.await
    used.closeUnsafe()
    yield* Effect.ignoreCause(poll)
    yield* Effect.sleep(POLL_INTERVAL)
  })
  yield* Effect.forkScoped(Effect.forever(next))

  const hasReplayed = (position: number) => {
    used.openUnsafe()
    return replayed >= position && performance.now() - latestAt <= MAX_LAG
  }

  const awaitLatest = Effect.gen(function* () {
    const { position } = yield* selectPrimary
    for (let waits = 0; waits < MAX_WAITS; waits++) {
      if (hasReplayed(position)) return true
      yield* Effect.sleep("50 millis")
    }
    return false
  })

  const open = Effect.flatMap(makePool("snapshots", { ...reading, maxConnections: 1 }), (one) =>
    makeSqlClient(one, config)
  ).pipe(Effect.provide(Reactivity.layer))
  return { pool, hasReplayed, awaitLatest, open } satisfies Replica
})
