import { Effect, Option, Redacted } from "effect"
import { Client } from "pg"
import { reasonOf } from "./Failed.ts"
import { NotServing } from "./Postmaster.ts"

/** Two arbitrary numbers, the name of the lock that everyone who uses the embedded server holds. */
const lock = "(1886547824, 1701012592)"

const open = (url: Redacted.Redacted) =>
  Effect.tryPromise({
    try: async () => {
      const client = new Client({
        connectionString: Redacted.value(url),
        application_name: "partner-api presence",
        connectionTimeoutMillis: 10_000
      })
      // A session that the server ends is reported here, and would otherwise end our process.
      client.on("error", () => undefined)
      await client.connect()
      return client
    },
    catch: (thrown) => new NotServing({ reason: reasonOf(thrown) })
  })

const ask = (client: Client, question: string) =>
  Effect.tryPromise({
    try: async () => {
      const { rows } = await client.query<{ yes: boolean }>(`select ${question} as yes`)
      return rows[0]?.yes === true
    },
    catch: (thrown) => new NotServing({ reason: reasonOf(thrown) })
  })

const close = (client: Client) => Effect.ignore(Effect.tryPromise(() => client.end()))

/** Being one of the server's users. */
export interface Session {
  readonly client: Client
  readonly url: Redacted.Redacted
}

/**
 * Everyone who uses the server holds a shared advisory lock in it, and who leaves tries for the exclusive one: only
 * the last gets it. The lock ends with its holder however that ends, so there is no owner file to go stale, and no
 * pid that another program could have got since.
 */
export const enter = (url: Redacted.Redacted): Effect.Effect<Session, NotServing> =>
  Effect.gen(function* () {
    const client = yield* open(url)
    const entered = ask(client, `pg_try_advisory_lock_shared${lock}`).pipe(
      Effect.filterOrFail(
        (yes) => yes,
        () => new NotServing({ reason: "the last user is stopping the server" })
      )
    )
    yield* Effect.tapError(entered, () => close(client))
    return { client, url }
  })

/** Leaves, and does `whenLast` if no one else is using the server; newcomers wait until that is done. */
export const leave = <E>(session: Session, whenLast: Effect.Effect<void, E>): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    // The lock is lost with the session when the server restarts after a crash: a new session asks then.
    const held = Effect.andThen(ask(session.client, `pg_advisory_unlock_shared${lock}`), Effect.succeed(session.client))
    const client = yield* Effect.option(Effect.catch(held, () => Effect.tap(open(session.url), close(session.client))))
    if (Option.isNone(client)) return
    const isLast = yield* Effect.orElseSucceed(ask(client.value, `pg_try_advisory_lock${lock}`), () => false)
    yield* Effect.ensuring(isLast ? whenLast : Effect.void, close(client.value))
  })
