import { PgTypes } from "@effect/sql-pg"
import { Context, Result } from "effect"
import { connect, type Socket } from "node:net"

/** Milliseconds that a statement, a wait for a lock, and an idle transaction may take before they fail with 503. */
export const TIMEOUTS = { statement_timeout: 30_000, lock_timeout: 10_000, idle_in_transaction_session_timeout: 30_000 }

/**
 * Fixed settings of a session. The isolation level is that of single statements and of transactions that name none: at a
 * higher one, from the database or the role, concurrent writes would fail with serialization errors. The others are
 * settings of the planner. The statements of the service use keys. PostgreSQL would prefer a sequential scan while a table is
 * small or not yet analyzed, and a connection keeps that plan when the table has grown. `jit` is off because PostgreSQL
 * before 18 adds 1e10 to the cost of a disabled scan, which would trigger compilation.
 */
export const FIXED_SETTINGS = { default_transaction_isolation: "read committed", enable_seqscan: "off", jit: "off" }

/** Milliseconds without data from the database after which a connection and its statements fail. */
export const Silence = Context.Reference("layers/sql/Silence", { defaultValue: () => 35_000 })

/** Milliseconds that a request waits for a free connection before it fails with 503. */
export const ACQUIRE_TIMEOUT = 10_000

/** Milliseconds of idle time before TCP keepalive probes start. */
const KEEP_ALIVE = 10_000

const silent = (silence: number) =>
  Object.assign(new Error(`The database has not answered for ${silence / 1000} seconds`), { code: "ETIMEDOUT" })

/**
 * Opens the socket of a connection. `onClose` is called when it closes. The driver has no limit for a server that stops
 * responding, so the socket closes after `silence` milliseconds without data. 0 keeps it open, for connections whose
 * statements have no timeout.
 */
export const openSocket = (host: string, port: number, silence: number, onClose: () => void): Socket => {
  const socket = host.startsWith("/")
    ? connect(`${host}/.s.PGSQL.${port}`)
    : connect({ host, port, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE })
  socket.once("close", onClose)
  socket.setTimeout(silence, () => socket.destroy(silent(silence)))
  return socket
}

const bigint = (bytes: Uint8Array) => PgTypes.decode(bytes, PgTypes.OID.int8, 1)

/** Overrides the driver's decoding of results: `bigint` columns become text. */
export const types = (() => {
  const registry = PgTypes.makeRegistry()
  registry.register<string>(PgTypes.OID.int8, {
    encode: (value) => PgTypes.encode(BigInt(value), PgTypes.OID.int8),
    decode: (bytes) => Result.map(bigint(bytes), String)
  })
  return registry
})()
