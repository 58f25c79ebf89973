import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Record, Redacted } from "effect"
import Pg from "pg"
import { ACQUIRE_TIMEOUT, Connection, type ConnectionConfig, KEEP_ALIVE, PLANNER, TIMEOUTS } from "./Connection.ts"
import { type DatabaseOf, makeDatabase } from "./Database.ts"
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

/** As the server takes them when a session begins. */
const PLANNER_OPTIONS = Object.entries(PLANNER)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(" ")

const TIMEOUT_PARAMETERS = Record.map(TIMEOUTS, String)

const makePool = ({ directUrl, isPatient = false, isPrepared = true, maxConnections, url }: PostgresOptions) => {
  const config: Pg.PoolConfig & ConnectionConfig = {
    // A pooler refuses parameters of a session that others use: there they hold for the session (docs/poolers.md).
    ...(isPatient || directUrl !== undefined ? {} : { ...TIMEOUTS, options: PLANNER_OPTIONS }),
    Client: Connection,
    isPatient,
    isPrepared,
    connectionString: Redacted.value(url),
    max: maxConnections,
    connectionTimeoutMillis: ACQUIRE_TIMEOUT,
    ...KEEP_ALIVE,
    application_name: "partner-api"
  }
  return new Pg.Pool(config)
}

/** Hears what other sessions announce with NOTIFY, on a connection of its own. */
export class Notices extends Context.Service<
  Notices,
  {
    /** Calls `heard` at each notice of the channel, until it fails with what broke the connection. */
    readonly hear: (channel: string, heard: () => void) => Effect.Effect<never, Error>
  }
>()("layers/Notices") {}

/** Until the connection breaks. */
const listen = (client: Pg.Client, channel: string, heard: () => void) =>
  Effect.callback<never, Error>((resume) => {
    const broken = (error: Error) => resume(Effect.fail(error))
    client.on("notification", heard).on("error", broken)
    client.once("end", () => broken(new Error("The connection was closed")))
    client
      .connect()
      .then(() => client.query(`listen ${channel}`))
      .catch(broken)
  })

/** A pooler would hand the session that listens to others. */
const makeNotices = ({ directUrl, url }: PostgresOptions): typeof Notices.Service => {
  const open = Effect.sync(
    () =>
      new Pg.Client({
        connectionString: Redacted.value(directUrl ?? url),
        connectionTimeoutMillis: ACQUIRE_TIMEOUT,
        ...KEEP_ALIVE,
        application_name: "partner-api"
      })
  )
  return {
    hear: (channel, heard) =>
      Effect.acquireUseRelease(
        open,
        (client) => listen(client, channel, heard),
        (client) => Effect.promise(() => client.end().catch(() => undefined))
      )
  }
}

/** The connections on which operations run. */
export class Database extends Context.Service<Database, DatabaseOf>()("layers/database/Database") {}

/** Connections that no operation can take: for the admission of requests, and for the question whether we are ready. */
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

/** A connection that breaks while idle is replaced on next use, so its error needs no handling. */
const openPool = (options: PostgresOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => makePool(options).on("error", () => {})),
    (pool) => Effect.promise(() => pool.end())
  )

const makeDoor = (pool: Pg.Pool): typeof Door.Service => {
  const database = makeDatabase(pool)
  return { ...database, together: makeTogether(database.send, MOST_ADMISSIONS) }
}

/**
 * Effect's own client, for migrations. It opens its connections when it is first used. Its URL parser does not know all
 * parameters of the other driver's, as `sslrootcert`, so it gets what that one read.
 */
const makeClient = ({ directUrl, isPatient = false, isPrepared = true, maxConnections, url }: PostgresOptions) => {
  const { database, host, password, port, ssl, user } = new Pg.Client({ connectionString: Redacted.value(url) })
  return PgClient.layer({
    host,
    port,
    ssl,
    database,
    username: user,
    password: Redacted.make(password ?? ""),
    applicationName: "partner-api",
    maxConnections,
    connectTimeout: ACQUIRE_TIMEOUT,
    keepAlive: KEEP_ALIVE.keepAliveInitialDelayMillis,
    prepare: isPrepared,
    ...(isPatient || directUrl !== undefined ? {} : { startupParameters: { ...TIMEOUT_PARAMETERS, ...PLANNER } })
  })
}

/** The one database. */
export const postgres = (options: PostgresOptions) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const pool = yield* openPool(options)
      const door = yield* openPool({ ...options, maxConnections: DOOR_CONNECTIONS })
      return makeClient(options).pipe(
        Layer.merge(Layer.succeed(Database, makeDatabase(pool))),
        Layer.merge(Layer.succeed(Door, makeDoor(door))),
        Layer.merge(Layer.succeed(Notices, makeNotices(options)))
      )
    })
  )
