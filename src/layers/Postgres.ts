import { PgClient } from "@effect/sql-pg"
import { Effect, Predicate, Redacted } from "effect"
import { Socket } from "node:net"
import Pg from "pg"

/** Milliseconds that a statement, a wait for a lock, and an idle transaction may take before they are given up: 503. */
const TIMEOUTS = { statement_timeout: 30_000, lock_timeout: 10_000, idle_in_transaction_session_timeout: 30_000 }

/** Milliseconds that a request waits for a free connection before it is answered with 503. */
const ACQUIRE_TIMEOUT = 10_000

/** Prepared statements that one connection keeps: the service's own few dozen first, then the shapes of rules. */
const MAX_PREPARED = 500

/** Gives each distinct statement with parameters a name, so that the server parses it once and can keep its plan. */
const makeNames = () => {
  const names = new Map<string, string>()
  return (text: string) => {
    const known = names.get(text)
    if (known !== undefined || names.size === MAX_PREPARED) return known
    const name = `s${names.size}`
    names.set(text, name)
    return name
  }
}

/** Lets everything that is written to the socket in one turn of the event loop leave in one packet. */
const makeCork = (socket: Socket) => {
  let isCorked = false
  return () => {
    if (isCorked) return
    isCorked = true
    socket.cork()
    process.nextTick(() => {
      isCorked = false
      socket.uncork()
    })
  }
}

/**
 * A connection that sends statements without waiting for the answer to the one before (the driver's pipeline mode), so
 * that what is known together travels together.
 */
class Connection extends Pg.Client {
  constructor(config?: Pg.ClientConfig) {
    const socket = new Socket()
    const options = { ...config, pipeline: true, stream: () => socket }
    super(options)
    const nameOf = makeNames()
    const cork = makeCork(socket)
    const query = this.query.bind(this)
    // The driver's `query` takes a dozen shapes. The one of @effect/sql-pg, (text, values, callback), gets a name.
    const named = (...args: ReadonlyArray<unknown>): unknown => {
      const [text, values, done] = args
      cork()
      return typeof text === "string" && Array.isArray(values) && values.length > 0
        ? Reflect.apply(query, this, [{ name: nameOf(text), text, values }, done])
        : Reflect.apply(query, this, args)
    }
    Object.defineProperty(this, "query", { value: named })
  }
}

/** The driver's connection below one of @effect/sql-pg, which keeps it as `pg`. */
export const clientOf = (connection: unknown): Pg.Client => {
  if (Predicate.hasProperty(connection, "pg") && connection.pg instanceof Pg.Client) return connection.pg
  throw new Error("The connection holds no client of the driver")
}

export interface PostgresOptions {
  readonly url: Redacted.Redacted
  readonly maxConnections: number
}

const makePool = ({ maxConnections, url }: PostgresOptions) =>
  new Pg.Pool({
    ...TIMEOUTS,
    Client: Connection,
    connectionString: Redacted.value(url),
    max: maxConnections,
    connectionTimeoutMillis: ACQUIRE_TIMEOUT,
    application_name: "partner-api"
  })

/** The one database. A connection that breaks while idle is replaced on next use, so its error needs no handling. */
export const postgres = (options: PostgresOptions) =>
  PgClient.layerFromPool({
    acquire: Effect.acquireRelease(
      Effect.sync(() => makePool(options).on("error", () => {})),
      (pool) => Effect.promise(() => pool.end())
    )
  })
