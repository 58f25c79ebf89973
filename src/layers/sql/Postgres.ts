import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Queue, Record, Redacted, Schedule, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import type { Duplex } from "node:stream"
import { parse, toClientConfig } from "pg-connection-string"
import { ACQUIRE_TIMEOUT, FIXED_SETTINGS, openSocket, Silence, TIMEOUTS, types } from "./Session.ts"
import { type Batcher, makeBatcher } from "./Batcher.ts"
import { eitherPool, makePool, makeSqlClient, type PoolConfig } from "./Client.ts"
import { makeReplica, ReadReplica } from "./Replica.ts"

export interface PostgresOptions {
  readonly url: Redacted.Redacted
  /** URL that bypasses the pooler at `url`. LISTEN needs a session that no other client shares. */
  readonly directUrl?: Redacted.Redacted
  /** URL of a replica, for reads. */
  readonly readUrl?: Redacted.Redacted
  readonly maxConnections: number
  /** Prepares statements by name. Must be false if a pooler shares sessions without tracking prepared statements. */
  readonly isPrepared?: boolean
  /** Disables timeouts of statements and of silent connections, for migrations. */
  readonly withoutTimeouts?: boolean
}

/** TLS options of a URL. */
const tlsOf = (url: string): PgClient.PgPoolConfig["ssl"] => {
  const parsed = parse(url)
  if (typeof parsed.ssl === "string") return parsed.ssl === "no-verify" ? { rejectUnauthorized: false } : true
  return toClientConfig(parsed).ssl
}

/**
 * Parses address, credentials and TLS options of a URL. Missing parts come from the environment variables of libpq, or
 * from its defaults. The driver's parser does not support all parameters of libpq, for example `sslrootcert`.
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

/** Formats the host and port of a URL. */
export const formatHostAndPort = (url: Redacted.Redacted): string => {
  const { host, port } = connectionOf(url)
  return `${host}:${port}`
}

const STARTUP = {
  startupParameters: Record.map(TIMEOUTS, String),
  // The list of parameters that a pooler ignores covers all of these by one name, `options`.
  // A backslash escapes a space.
  startupOptions: Object.entries(FIXED_SETTINGS)
    .map(([name, value]) => `-c ${name}=${value.replace(" ", "\\ ")}`)
    .join(" ")
}

/** Maximum number of prepared statements of a connection: those of the service, and some shapes of rules. */
const PREPARED = 400

/** Maximum bytes of a row. */
const MAX_MESSAGE = 1024 ** 3

const configOf = (
  { directUrl, withoutTimeouts = false, isPrepared = true, maxConnections, url }: PostgresOptions,
  silence: number,
  onClose: () => void
): PoolConfig => {
  const connection = connectionOf(url)
  return {
    ...connection,
    applicationName: "partner-api",
    maxConnections,
    connectTimeout: ACQUIRE_TIMEOUT,
    stream: () => openSocket(connection.host, connection.port, withoutTimeouts ? 0 : silence, onClose),
    prepare: isPrepared,
    preparedStatementCacheSize: PREPARED,
    maxMessageSize: MAX_MESSAGE,
    types,
    // Poolers refuse startup parameters. Operators set them in the pooler or for the role (docs/poolers.md).
    ...(withoutTimeouts || directUrl !== undefined ? {} : STARTUP)
  }
}

/** Receives NOTIFY messages of other sessions on a separate connection. */
export class Notifications extends Context.Service<
  Notifications,
  {
    /** Calls `onMessage` for each message of the channel. Fails when the connection breaks. */
    readonly listen: (channel: string, onMessage: () => void) => Effect.Effect<never, SqlError.SqlError>
  }
>()("layers/sql/Notifications") {}

/**
 * Bypasses a pooler, which would share the listening session. Interruption closes the socket, because the driver would
 * wait for the response to UNLISTEN, which a silent database never sends.
 */
const makeNotifications = ({ directUrl, url, ...others }: PostgresOptions): typeof Notifications.Service => ({
  listen: (channel, onMessage) =>
    Effect.suspend(() => {
      const sockets: Array<Duplex> = []
      const config = configOf(
        { ...others, url: directUrl ?? url, withoutTimeouts: true, maxConnections: 1 },
        0,
        () => {}
      )
      const stream = () => {
        const socket = config.stream()
        sockets.push(socket)
        return socket
      }
      return Effect.gen(function* () {
        const client = yield* PgClient.make({ ...config, stream })
        const messages = yield* client.listen(channel)
        return yield* Effect.forever(Effect.tap(Queue.take(messages), () => Effect.sync(onMessage)))
      }).pipe(Effect.onInterrupt(() => Effect.sync(() => sockets.forEach((socket) => socket.destroy()))))
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
})

/** Properties of the pool on which operations run. */
export class ConnectionPool extends Context.Service<
  ConnectionPool,
  {
    readonly maxConnections: number
    /** Calls `action` whenever a connection closes: the next one may reach a server without the last commits. */
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

/** The database of the rows that belong to no store, such as accounts and apps. In the cell `main`, it is the same one. */
export class GlobalDatabase extends Context.Service<
  GlobalDatabase,
  {
    readonly sql: SqlClient.SqlClient
    /** True if this cell has copies of global tables, which arrive some milliseconds after a change. */
    readonly isCopied: boolean
  }
>()("layers/sql/GlobalDatabase") {}

/** Pauses before a row is read again that may not have arrived yet: together 1.3 s, many times the usual delay. */
const ARRIVAL = Schedule.max([Schedule.exponential("5 millis"), Schedule.recurs(8)])

/** Makes a function that reads a row of a global table. In a cell, it waits for a row that may still arrive. */
export const readArrived = Effect.map(
  GlobalDatabase,
  ({ isCopied }) =>
    <A, E>(read: Effect.Effect<Option.Option<A>, E>): Effect.Effect<Option.Option<A>, E> =>
      isCopied ? Effect.repeat(read, { until: Option.isSome<A>, schedule: ARRIVAL }) : read
)

/** Connections for long reads of one moment, which take none of those of requests. */
export class SnapshotConnections extends Context.Service<
  SnapshotConnections,
  {
    /** Makes a client with a connection of its own, which closes with the scope. */
    readonly open: Effect.Effect<SqlClient.SqlClient, SqlError.SqlError, Scope.Scope>
  }
>()("layers/sql/SnapshotConnections") {}

/** Maximum number of concurrent admission statements. There are two only while one of them is slow. */
const MAX_ADMISSIONS = 2

/** One connection more than admission uses, for the readiness probe. */
const ADMISSION_CONNECTIONS = MAX_ADMISSIONS + 1

/** Connects to the database. Connections are opened on first use. */
export const postgres = (options: PostgresOptions) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const actions: Array<() => void> = []
      const silence = yield* Silence
      const config = configOf(options, silence, () => actions.forEach((action) => action()))
      const onLost = (action: () => void) => void actions.push(action)
      const admissionPool = yield* makePool("admission", { ...config, maxConnections: ADMISSION_CONNECTIONS })
      const admission = yield* makeSqlClient(admissionPool, config)
      const { readUrl } = options
      const replica =
        readUrl === undefined
          ? undefined
          : yield* makeReplica(
              configOf({ ...options, url: readUrl }, silence, () => {}),
              admission
            )
      const operations = yield* makePool("operations", config)
      const sql = yield* makeSqlClient(
        replica === undefined ? operations : eitherPool(operations, replica.pool),
        config
      )
      const snapshots = Effect.flatMap(makePool("snapshots", { ...config, maxConnections: 1 }), (pool) =>
        makeSqlClient(pool, config)
      )
      const open = Effect.provide(snapshots, Reactivity.layer)
      return Context.make(SqlClient.SqlClient, sql).pipe(
        Context.add(ConnectionPool, { maxConnections: options.maxConnections, onLost }),
        Context.add(GlobalDatabase, { sql, isCopied: false }),
        Context.add(AdmissionPool, { sql: admission, batch: makeBatcher(MAX_ADMISSIONS) }),
        Context.add(ReadReplica, Option.fromUndefinedOr(replica)),
        Context.add(SnapshotConnections, { open }),
        Context.add(Notifications, makeNotifications(options))
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))
