import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Context, Duration, Effect, Metric, Predicate, Scope, Semaphore } from "effect"
import type { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { connectionsInUse, connectionsMax, connectionTimeouts, connectionWait } from "../../domain/Metrics.ts"
import type { Duplex } from "node:stream"
import { textArray } from "./ArrayLiterals.ts"
import { ACQUIRE_TIMEOUT } from "./Session.ts"

/*
 * `SqlClient` over the driver's pool. `PgClient.make` would do but for four limits of the library:
 * - A request waits for a connection without a limit (`Unavailable.test.ts`).
 * - A parameter gets the type of its JavaScript value: an array of nulls or of mixed numbers fails (`Claims.test.ts`).
 * - Every statement is prepared, however long its text is (`Postgres.test.ts`).
 * - Interruption rolls back a transaction that has begun (`Transaction.test.ts`).
 */

/** Maximum length of a statement that is prepared by name. A session keeps it in about 40 bytes per character. */
const MAX_PREPARED = 20_000

const elementOf = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`
  return value instanceof Date ? value.toISOString() : String(value)
}

/** Encodes numbers and arrays as text, so that PostgreSQL gives them the type that the statement expects. */
const encodeParameter = (value: unknown): unknown => {
  if (typeof value === "number") return String(value)
  return Array.isArray(value) ? textArray(value.map(elementOf)) : value
}

const makeConnection = (connection: PgConnection.PgConnection): SqlConnection.Connection => {
  const query = (text: string, parameters: ReadonlyArray<unknown>, isPrepared = true) =>
    connection.query(text, parameters.map(encodeParameter), isPrepared && text.length <= MAX_PREPARED)
  const rows = (text: string, parameters: ReadonlyArray<unknown>) =>
    Effect.map(query(text, parameters), (result) => result.rows)
  return {
    execute: rows,
    executeRaw: query,
    executeUnprepared: (text, parameters) => Effect.map(query(text, parameters, false), (result) => result.rows),
    executeValues: (text, parameters) => connection.queryValues(text, parameters.map(encodeParameter)),
    executeValuesUnprepared: (text, parameters) => connection.queryValues(text, parameters.map(encodeParameter), false),
    executeStream: (text, parameters) => connection.stream(text, parameters.map(encodeParameter))
  }
}

const noConnection = () => {
  const message = `No connection was free for ${ACQUIRE_TIMEOUT / 1000} seconds`
  return new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error(message), message }) })
}

const rolledBack = () => {
  const message = "COMMIT rolled back an aborted transaction"
  return new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause: new Error(message), message }) })
}

/** PostgreSQL answers the COMMIT of an aborted transaction with ROLLBACK. */
const commit = (connection: SqlConnection.Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    Predicate.hasProperty(result, "command") && result.command === "ROLLBACK" ? Effect.fail(rolledBack()) : Effect.void
  )

export interface PoolConfig extends PgPool.Config {
  readonly maxConnections: number
  readonly stream: () => Duplex
}

/** Connections to a server. */
export interface Pool {
  readonly acquirer: SqlConnection.Acquirer
  readonly borrower: SqlConnection.Borrower
  readonly transactionAcquirer: SqlConnection.Acquirer
}

/** Makes a pool of at most `maxConnections`, which are opened on first use. */
export const makePool = Effect.fnUntraced(function* (name: string, config: PoolConfig) {
  const pool = yield* PgPool.make(config)
  const slots = Semaphore.makeUnsafe(config.maxConnections)
  const pooled = { "db.client.connection.pool.name": name }
  const inUse = Metric.withAttributes(connectionsInUse, pooled)
  const waits = Metric.withAttributes(connectionWait, pooled)
  const timeouts = Metric.withAttributes(connectionTimeouts, pooled)
  yield* Metric.update(Metric.withAttributes(connectionsMax, pooled), config.maxConnections)

  const waitForSlot = Effect.timeoutOrElse(slots.takeScoped(1), {
    duration: ACQUIRE_TIMEOUT,
    orElse: () => Effect.andThen(Metric.update(timeouts, 1), Effect.fail(noConnection()))
  }).pipe(Effect.trackDuration(waits, Duration.toSeconds))
  const slot = Effect.flatMap(Effect.scope, (scope) =>
    Effect.flatMap(slots.takeIfAvailable(1), (isTaken) =>
      isTaken ? Scope.addFinalizer(scope, slots.release(1)) : Effect.interruptible(waitForSlot)
    )
  )
  const counted = Effect.flatMap(Effect.scope, (scope) =>
    Effect.andThen(Metric.modify(inUse, 1), Scope.addFinalizer(scope, Metric.modify(inUse, -1)))
  )
  // Not `acquireRelease`: it copies the context of the request, with all services, for each finalizer.
  const acquireSlot = Effect.uninterruptible(Effect.andThen(slot, counted))

  const made: Pool = {
    acquirer: Effect.andThen(acquireSlot, Effect.map(pool.get, makeConnection)),
    borrower: (use) =>
      Effect.scoped(
        Effect.andThen(
          acquireSlot,
          pool.use((connection) => use(makeConnection(connection)))
        )
      ),
    transactionAcquirer: Effect.andThen(acquireSlot, Effect.map(pool.reserve, makeConnection))
  }
  return made
})

/** Pool of the replica from which the current request reads. */
export const ReadFrom = Context.Reference<Pool | undefined>("layers/sql/ReadFrom", { defaultValue: () => undefined })

/** Takes connections from `replica` where {@link ReadFrom} names it, and from `primary` elsewhere. */
export const eitherPool = (primary: Pool, replica: Pool): Pool => {
  const chosen = Effect.map(ReadFrom, (pool) => (pool === replica ? replica : primary))
  return {
    acquirer: Effect.flatMap(chosen, ({ acquirer }) => acquirer),
    borrower: (use) => Effect.flatMap(chosen, ({ borrower }) => borrower(use)),
    transactionAcquirer: Effect.flatMap(chosen, ({ transactionAcquirer }) => transactionAcquirer)
  }
}

/**
 * Makes a client of a pool. Interruption cancels a statement in the database. Transactions are uninterruptible from BEGIN on:
 * a client that disconnects must not decide what is stored.
 */
export const makeSqlClient = (
  pool: Pool,
  config: PgPool.Config
): Effect.Effect<SqlClient.SqlClient, never, Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const client = yield* SqlClient.make({
      ...pool,
      compiler: PgClient.makeCompiler(undefined, false),
      driver: "pg",
      commit,
      prepareTransactionControls: true,
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      spanAttributes: [
        ["db.system.name", "postgresql"],
        ["db.namespace", config.database],
        ["server.address", config.host],
        ["server.port", config.port]
      ]
    })
    const { withTransaction } = client
    return Object.assign(client, {
      withTransaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.uninterruptible(withTransaction(effect))
    })
  })
