import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue, Record, Redacted, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import type { Duplex } from "node:stream"
import { parse, toClientConfig } from "pg-connection-string"
import { type DatabaseOf, makeDatabase } from "./Database.ts"
import { ACQUIRE_TIMEOUT, openSocket, PLANNER, TIMEOUTS, types } from "./Session.ts"
import { makeTogether, type Together } from "./Together.ts"

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
export const placeOf = (url: Redacted.Redacted): string => {
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
): PgClient.PgPoolConfig & { readonly stream: () => Duplex } => {
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
export class Notices extends Context.Service<
  Notices,
  {
    /** Calls `heard` at each notice of the channel, until it fails with what broke the connection. */
    readonly hear: (channel: string, heard: () => void) => Effect.Effect<never, SqlError.SqlError>
  }
>()("layers/Notices") {}

/**
 * A pooler would hand the session that listens to others. When listening ends the socket closes first: the driver would
 * wait for the answer to UNLISTEN, which a silent database never gives.
 */
const makeNotices = ({ directUrl, url, ...others }: PostgresOptions): typeof Notices.Service => ({
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
export class Database extends Context.Service<Database, DatabaseOf>()("layers/database/Database") {}

/**
 * A few connections for admission and readiness, which nothing else takes, so that both answer while all others are
 * busy or wait for locks.
 */
export class Door extends Context.Service<
  Door,
  DatabaseOf & {
    /** How admissions ask: what comes at once is asked by one statement. */
    readonly together: Together
  }
>()("layers/database/Door") {}

/** Statements of admission under way at once, where one of them is slow. */
const MOST_ADMISSIONS = 2

/** One more than admission uses at once is left for the probe of readiness. */
const DOOR_CONNECTIONS = MOST_ADMISSIONS + 1

/** A client, and the way to its database. Connections are opened when they are first used. */
const open = (
  pool: string,
  options: PostgresOptions
): Effect.Effect<
  { readonly client: PgClient.PgClient; readonly database: DatabaseOf },
  SqlError.SqlError,
  Scope.Scope | Reactivity.Reactivity
> =>
  Effect.gen(function* () {
    const actions: Array<() => void> = []
    const client = yield* PgClient.make(configOf(options, () => actions.forEach((action) => action())))
    const onLost = (action: () => void) => void actions.push(action)
    return { client, database: makeDatabase(client, pool, options.maxConnections, onLost) }
  })

/** The one database. */
export const postgres = (options: PostgresOptions) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { client, database } = yield* open("operations", options)
      const { database: door } = yield* open("admission", { ...options, maxConnections: DOOR_CONNECTIONS })
      return Context.make(SqlClient.SqlClient, client).pipe(
        Context.add(PgClient.PgClient, client),
        Context.add(Database, database),
        Context.add(Door, { ...door, together: makeTogether(door.answer, MOST_ADMISSIONS) }),
        Context.add(Notices, makeNotices(options))
      )
    })
  ).pipe(Layer.provide(Reactivity.layer))
