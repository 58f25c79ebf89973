import { hash } from "node:crypto"
import { connect, Socket } from "node:net"
import type { Duplex } from "node:stream"
import Pg from "pg"
import { Batch, type Bound, columnsOf, type Parsed, valuesOf } from "./Batch.ts"
import type { Answer } from "./Plan.ts"
import type { Compiled } from "./Statement.ts"

/** Milliseconds that a statement, a wait for a lock, and an idle transaction may take before they are given up: 503. */
export const TIMEOUTS = { statement_timeout: 30_000, lock_timeout: 10_000, idle_in_transaction_session_timeout: 30_000 }

/**
 * How the planner works for the service, whose statements go by keys. It would leave them for a scan of the whole table
 * where that is small, or nobody has analyzed it yet, and keep the plan in every connection that was open then, whatever
 * the table becomes. Where there is no other way than a scan, its cost is made 1e10 before PostgreSQL 18, for which it
 * would be compiled.
 */
export const PLANNER = { enable_seqscan: "off", jit: "off" }

/**
 * Milliseconds after which a database that says nothing is taken to be gone, with all that waits on the connection: 503.
 * The waits above it ends itself, so this is for one that is frozen, or that the network no longer reaches: TCP gives up
 * after a quarter of an hour.
 */
const SILENCE = 35_000

/** Milliseconds that a request waits for a free connection before it is answered with 503. */
export const ACQUIRE_TIMEOUT = 10_000

/** Finds out within minutes, not hours, that a database is gone which did not say so. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

/** Prepared statements that one connection keeps: the service's own few dozen first, then the shapes of rules. */
const MAX_PREPARED = 500

/**
 * Characters of all of them together. The session of the database keeps some 40 bytes for each: twenty pages of up to
 * 200 collections with 60 rules each, of which every mix makes another statement, took 700 MB of one without this.
 */
const MAX_PREPARED_TEXT = 1_000_000

/**
 * A name that no other text has, in any process or version: behind a pooler a session is used by many, and would run
 * under a name what another one gave it.
 */
const hashed = (text: string) => `p${hash("sha256", text).slice(0, 32)}`

/** Gives distinct statements names, so that the server parses each once and can keep its plan. */
const makeNames = () => {
  const names = new Map<string, string>()
  let room = MAX_PREPARED_TEXT
  return (text: string) => {
    const known = names.get(text)
    if (known !== undefined || names.size === MAX_PREPARED || text.length > room) return known
    room -= text.length
    const made = hashed(text)
    names.set(text, made)
    return made
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

const silent = () =>
  Object.assign(new Error(`The database has not answered for ${SILENCE / 1000} seconds`), { code: "ETIMEDOUT" })

/** An idle connection is closed by the pool long before. */
const endWhenSilent = (stream: Duplex) => {
  if (stream instanceof Socket) stream.setTimeout(SILENCE, () => stream.destroy(silent()))
}

/** What the driver says that the database said. */
export const answerFrom = ({ command, rowCount, rows }: Pg.QueryResult): Answer => ({
  command,
  rows,
  count: rowCount ?? 0
})

/** The message CancelRequest: its length, its code, and who is meant. */
const cancelRequest = (processID: number, secretKey: number): Buffer => {
  const message = Buffer.alloc(16)
  for (const [place, value] of [16, 80_877_102, processID, secretKey].entries()) message.writeInt32BE(value, place * 4)
  return message
}

export interface ConnectionConfig extends Pg.ClientConfig {
  readonly isPatient: boolean
  readonly isPrepared: boolean
}

/**
 * A connection that sends statements without waiting for the answer to the one before (the driver's pipeline mode), so
 * that what is known together travels together.
 */
export class Connection extends Pg.Client {
  /** What the server gave this connection to be cancelled by. */
  readonly processID: number | null = null
  readonly secretKey: number | null = null
  /** Statements that the server has parsed for this connection, by their text. */
  private readonly parsed = new Map<string, Parsed>()
  private readonly nameOf: (text: string) => string | undefined

  constructor(config?: ConnectionConfig) {
    const socket = new Socket()
    const options = { ...config, pipeline: true, stream: () => socket }
    super(options)
    const nameOf = config?.isPrepared ? makeNames() : () => undefined
    this.nameOf = nameOf
    const cork = makeCork(socket)
    // What breaks the connection is told to each of its statements.
    this.on("error", () => {})
    // Where statements may take as long as they need, silence says nothing.
    if (!config?.isPatient) this.once("connect", () => endWhenSilent(this.connection.stream))
    const query = this.query.bind(this)
    // The driver's `query` takes a dozen shapes. The one of @effect/sql-pg, (text, values, callback), gets a name.
    // As a `Query` of its own: a plain object the driver would copy member by member, 10 µs for a create.
    const named = (...args: ReadonlyArray<unknown>): unknown => {
      const [text, values, callback] = args
      cork()
      return typeof text === "string" && Array.isArray(values) && values.length > 0
        ? Reflect.apply(query, this, [Object.assign(new Pg.Query(text, values), { name: nameOf(text), callback })])
        : Reflect.apply(query, this, args)
    }
    Object.defineProperty(this, "query", { value: named })
  }

  /**
   * Sends statements, of which each is done if those before it were: as one batch once the server has parsed them all,
   * and the first time each on its own.
   */
  sendAll(
    statements: ReadonlyArray<Compiled>,
    answered: (error: Error | undefined, answers: Array<Answer>) => void
  ): void {
    const bound: Array<Bound> = []
    for (const [text, given] of statements) {
      const [parsed, values] = [this.parsed.get(text), valuesOf(given)]
      if (parsed === undefined || values === undefined) return this.sendEach(statements, answered)
      bound.push({ parsed, values })
    }
    this.query(new Batch(bound, answered))
  }

  private sendEach(
    statements: ReadonlyArray<Compiled>,
    answered: (error: Error | undefined, answers: Array<Answer>) => void
  ): void {
    const answers: Array<Answer> = []
    let failed: Error | undefined
    let isAnswered = false
    const end = () => {
      if (!isAnswered) answered(failed, answers)
      isAnswered = true
    }
    for (const [index, [text, values]] of statements.entries()) {
      const name = this.nameOf(text)
      const config = { text, values: [...values], ...(name === undefined ? {} : { name }) }
      const query = new Pg.Query(config, (error, result) => {
        if (error instanceof Error) failed ??= error
        else {
          answers.push(answerFrom(result))
          if (name !== undefined && !this.parsed.has(text)) {
            this.parsed.set(text, { name, columns: columnsOf(result.fields) })
          }
        }
        if (index === statements.length - 1) end()
      })
      this.query(query)
      // Of a value that it cannot send the driver tells at once. What comes after, as a COMMIT, must not be sent.
      if (failed !== undefined) return end()
    }
  }

  /**
   * Asks the server to end the statement that it runs for this connection, over a connection of its own (manual of
   * PostgreSQL, "Canceling Requests in Progress"). It is done when the server has passed that on, so that no statement
   * sent afterwards is meant. A server that cannot be asked ends the statement by its own time limit.
   */
  async cancelRunning(): Promise<void> {
    const { host, port } = this
    const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    socket.setTimeout(ACQUIRE_TIMEOUT, () => socket.destroy()).on("error", () => {})
    socket.resume().write(cancelRequest(this.processID ?? 0, this.secretKey ?? 0))
    await new Promise<void>((closed) => socket.once("close", () => closed()))
  }
}
