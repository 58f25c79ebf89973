import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue, Record, Redacted, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import type { Duplex } from "node:stream"
import Pg from "pg"
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

/** Host and port of a URL, as the driver understands it, which takes what is missing from elsewhere. */
export const placeOf = (url: Redacted.Redacted): string => {
  const { host, port } = new Pg.Client({ connectionString: Redacted.value(url) })
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

/** The driver's URL parser does not know all parameters of libpq, as `sslrootcert`, so it gets what another one read. */
const configOf = (
  { directUrl, isPatient = false, isPrepared = true, maxConnections, url }: PostgresOptions,
  onClose: () => void
): PgClient.PgPoolConfig & { readonly stream: () => Duplex } => {
  const { database, host, password, port, ssl, user } = new Pg.Client({ connectionString: Redacted.value(url) })
  return {
    host,
    port,
    ssl,
    database,
    username: user,
    password: Redacted.make(password ?? ""),
    applicationName: "partner-api",
    maxConnections,
    connectTimeout: ACQUIRE_TIMEOUT,
    stream: () => openSocket(host, port, isPatient, onClose),
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
