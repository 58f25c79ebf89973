import { PgClient, type PgPool } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue, Record, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import type { Duplex } from "node:stream"
import { parse, toClientConfig } from "pg-connection-string"
import { type DatabaseOf, makeDatabase } from "./Database.ts"
import { ACQUIRE_TIMEOUT, openSocket, PLANNER, TIMEOUTS, types } from "./Session.ts"
import { type Batcher, makeBatcher } from "./Batcher.ts"
import { makeSqlClient } from "./Client.ts"

export interface PostgresOptions {
  readonly url: Redacted.Redacted
  /** The way around the pooler that stands at `url`, for what needs a session of its own. */
  readonly directUrl?: Redacted.Redacted
  readonly maxConnections: number
  /** Whether statements are prepared by name: unless a pooler hands a session from one to the other and does not know. */
  readonly isPrepared?: boolean
  /** Whether statements may take as long as they need, as those that change the schema of a large store do. */
  readonly isPatient?: boolean
}

/** TLS of a URL: off, on, or on with these options. */
const tlsOf = (url: string): PgClient.PgPoolConfig["ssl"] => {
  const parsed = parse(url)
  if (typeof parsed.ssl === "string") return parsed.ssl === "no-verify" ? { rejectUnauthorized: false } : true
  return toClientConfig(parsed).ssl
}

/**
 * The address, credentials and TLS options in a URL. Parts that it leaves out come from the environment variables of libpq,
 * else from its defaults. The driver's own parser does not know all parameters of libpq, as `sslrootcert`.
 */
const connectionOf = (url: Redacted.Redacted) => {
  const { PGDATABASE, PGHOST, PGPASSWORD, PGPORT, PGSSLMODE, PGUSER, USER } = process.env
  const text = Redacted.value(url)
  const { database, host, password, port, user } = parse(text)
  const username = user || PGUSER || USER
  return {
    host: host || PGHOST || "localhost",
    port: Number(port || PGPORT || 5432),
    username,
    password: Redacted.make(password || PGPASSWORD || ""),
    database: database || PGDATABASE || username,
    ssl: tlsOf(text) ?? tlsOf(`postgres:///?sslmode=${PGSSLMODE ?? ""}`) ?? false
  }
}

/** Host and port of a URL. */
export const formatHostAndPort = (url: Redacted.Redacted): string => {
  const { host, port } = connectionOf(url)
  return `${host}:${port}`
}

const STARTUP = {
  startupParameters: Record.map(TIMEOUTS, String),
  // Poolers that drop parameters drop these by one name, `options`.
  startupOptions: Object.entries(PLANNER)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ")
}

/** Statements that a connection keeps prepared: those of the service, and some shapes of rules. */
const PREPARED = 400

/** Bytes of the largest row. */
const MAX_MESSAGE = 1024 ** 3

const configOf = (
  { directUrl, isPatient = false, isPrepared = true, maxConnections, url }: PostgresOptions,
  onClose: () => void
): PgPool.Config & { readonly maxConnections: number; readonly stream: () => Duplex } => {
  const connection = connectionOf(url)
  return {
    ...connection,
    applicationName: "partner-api",
    maxConnections,
    connectTimeout: ACQUIRE_TIMEOUT,
    stream: () => openSocket(connection.host, connection.port, isPatient, onClose),
    prepare: isPrepared,
    preparedStatementCacheSize: PREPARED,
    maxMessageSize: MAX_MESSAGE,
    types,
    // A pooler refuses parameters of a session that others use: there they hold for the session (docs/poolers.md).
    ...(isPatient || directUrl !== undefined ? {} : STARTUP)
  }
}

/** Hears what other sessions announce with NOTIFY, on a connection of its own. */
export class Notifications extends Context.Service<
  Notifications,
  {
    /** Calls `heard` at each notice of the channel, until it fails with what broke the connection. */
    readonly hear: (channel: string, heard: () => void) => Effect.Effect<never, SqlError.SqlError>
  }
>()("layers/Notices") {}

/**
 * A pooler would hand the session that listens to others. When listening ends the socket closes first: the driver would
 * wait for the answer to UNLISTEN, which a silent database never gives.
 */
const makeNotices = ({ directUrl, url, ...others }: PostgresOptions): typeof Notifications.Service => ({
  hear: (channel, heard) =>
    Effect.suspend(() => {
      const sockets: Array<Duplex> = []
      const config = configOf({ ...others, url: directUrl ?? url, isPatient: true, maxConnections: 1 }, () => {})
      const stream = () => {
        const socket = config.stream()
        sockets.push(socket)
        return socket
      }
      return Effect.gen(function* () {
        const client = yield* PgClient.make({ ...config, stream })
        const notices = yield* client.listen(channel)
        return yield* Effect.forever(Effect.tap(Queue.take(notices), () => Effect.sync(heard)))
      }).pipe(Effect.onInterrupt(() => Effect.sync(() => sockets.forEach((socket) => socket.destroy()))))
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
})

/** The connections on which operations run. */
export class Database extends Context.Service<Database, DatabaseOf>()("layers/sql/Database") {}

/** Properties of the pool on which operations run. */
export class ConnectionPool extends Context.Service<
  ConnectionPool,
  {
    readonly maxConnections: number
    /** Calls `action` whenever a connection closes: another server may answer next, without the last commits. */
    readonly onLost: (action: () => void) => void
  }
>()("layers/sql/ConnectionPool") {}

/**
 * A few connections that only admission and readiness use, so that both respond while all others are busy or wait for
 * locks.
 */
export class AdmissionPool extends Context.Service<
  AdmissionPool,
  {
    readonly sql: SqlClient.SqlClient
    /** Makes a function whose concurrent calls share one statement. */
    readonly batch: Batcher
  }
>()("layers/sql/AdmissionPool") {}

/** Maximum number of concurrent admission statements. There are two only while one of them is slow. */
const MAX_ADMISSIONS = 2

/** One connection more than admission uses, for the readiness probe. */
const ADMISSION_CONNECTIONS = MAX_ADMISSIONS + 1

/** Connects to the database. Connections are opened on first use. */
export const postgres = (options: PostgresOptions) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const actions: Array<() => void> = []
      const config = configOf(options, () => actions.forEach((action) => action()))
      const onLost = (action: () => void) => void actions.push(action)
      const sql = yield* makeSqlClient("operations", config)
      const admission = yield* makeSqlClient("admission", { ...config, maxConnections: ADMISSION_CONNECTIONS })
      return Context.make(SqlClient.SqlClient, sql).pipe(
        Context.add(Database, makeDatabase(sql, options.maxConnections, onLost)),
        Context.add(ConnectionPool, { maxConnections: options.maxConnections, onLost }),
        Context.add(AdmissionPool, { sql: admission, batch: makeBatcher(MAX_ADMISSIONS) }),
        Context.add(Notifications, makeNotices(options))
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))
