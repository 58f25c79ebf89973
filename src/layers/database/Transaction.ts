import { Context, Effect, Exit, Option } from "effect"
import type Pg from "pg"
import type { Refusal } from "../../domain/Write.ts"
import { TIMEOUTS } from "./Connection.ts"
import { AfterCommit, type Answer, Ask, Leave, type Steps } from "./Plan.ts"
import { type Compiled, makeCombine, type Statement, statement } from "./Statement.ts"
import { defectOf, isCancelled, unconnected } from "./Unavailable.ts"

/** How a transaction begins and ends, or one inside of it. */
interface Bounds {
  readonly begin: string
  readonly commit: string
  readonly rollback: string
}

const TRANSACTION: Bounds = { begin: "begin", commit: "commit", rollback: "rollback" }

/** What fails inside leaves nothing, and the transaction around it can go on. */
const SAVEPOINT: Bounds = {
  begin: "savepoint joined",
  commit: "release savepoint joined",
  rollback: "rollback to savepoint joined; release savepoint joined"
}

/** A transaction that is open: its connection, and what follows its commit. */
export interface Open {
  readonly client: Pg.ClientBase
  readonly afterCommit: Array<() => void>
}

/** The transaction that a fiber is in. */
export class Current extends Context.Tag("layers/database/Transaction")<Current, Open>() {}

/** Straight from the fiber: a look-up of a service costs half a microsecond, and every statement makes one. */
export const withCurrent = <A, E, R>(
  use: (transaction: Open | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) => use(Option.getOrUndefined(Context.getOption(fiber.currentContext, Current))))

const NOTHING: Answer = { command: "", rows: [], count: 0 }

/** Sends a statement on the spot; it travels with what is sent in the same turn of the event loop. */
export const send = (
  client: Pg.ClientBase,
  [text, values]: Compiled,
  answered: (error: Error | undefined, answer: Answer) => void
): void => {
  let isAnswered = false
  client.query(text, [...values], (error: Error | null, result) => {
    // Of a value that it cannot send the driver tells at once, and then answers as if it had been sent.
    if (isAnswered) return
    isAnswered = true
    if (error instanceof Error) answered(defectOf(error), NOTHING)
    else answered(undefined, { command: result.command, rows: result.rows, count: result.rowCount ?? 0 })
  })
}

const sendBound = (
  client: Pg.ClientBase,
  text: string,
  answered: (error: Error | undefined, answer: Answer) => void = () => {}
) => send(client, [text, []], answered)

const LIMIT = statement("select set_config('statement_timeout', $1, true)")

/** Sends a statement with less time than others have, where that is so. Who waits too long ends the transaction. */
const ask = (client: Pg.ClientBase, step: Ask, answered: (error: Error | undefined) => void) => {
  const { millis } = step
  if (millis !== undefined) send(client, LIMIT(String(millis)).compile(), () => {})
  send(client, step.statement.compile(), (error, answer) => {
    step.answer = answer
    step.isTooLong = millis !== undefined && error !== undefined && isCancelled(error)
    answered(step.isTooLong ? undefined : error)
  })
  if (millis !== undefined) send(client, LIMIT(String(TIMEOUTS.statement_timeout)).compile(), () => {})
}

/** What the steps of a write came to, and what they left to the commit. */
interface Taken<A, E> {
  readonly exit: Exit.Exit<A, E>
  readonly left: ReadonlyArray<Statement>
  readonly afterCommit: ReadonlyArray<() => void>
}

/** Takes the steps of a write one after the other until it ends. */
const takeSteps = <A, E>(
  client: Pg.ClientBase,
  steps: Steps<A, Refusal<E>>,
  ended: (taken: Taken<A, E>) => void
): void => {
  const left: Array<Statement> = []
  const afterCommit: Array<() => void> = []
  const end = (exit: Exit.Exit<A, E>) => ended({ exit, left, afterCommit })
  const nextOf = () => {
    try {
      return steps.next()
    } catch (defect) {
      end(Exit.die(defect))
      return undefined
    }
  }
  const take = (): void => {
    let next = nextOf()
    while (next !== undefined) {
      if (next.done === true) return end(Exit.succeed(next.value))
      const step = next.value
      if (step._tag === "Refusal") return end(Exit.fail(step.error))
      if (step instanceof Ask)
        return ask(client, step, (error) => (error === undefined ? take() : end(Exit.die(error))))
      if (step instanceof Leave) left.push(step.statement)
      else if (step instanceof AfterCommit) afterCommit.push(step.action)
      else return end(Exit.die(new Error("A write took a step that nobody performs")))
      next = nextOf()
    }
  }
  take()
}

/** Makes one statement of those that are left to the commit. */
type Combine = (statements: ReadonlyArray<Statement>) => Compiled

/** Commits what was done, or takes it back where it failed or is not to be kept. COMMIT travels with what was left to it. */
const finish = <A, E>(
  { client }: Pick<Open, "client">,
  bounds: Bounds,
  keep: boolean,
  combine: Combine,
  { afterCommit, exit, left }: Taken<A, E>,
  finished: (exit: Exit.Exit<A, E>, afterCommit: ReadonlyArray<() => void>) => void
): void => {
  const takeBack = (exit: Exit.Exit<A, E>) => sendBound(client, bounds.rollback, () => finished(exit, []))
  if (Exit.isFailure(exit) || !keep) return takeBack(exit)
  const failures: Array<Error> = []
  const note = (error: Error | undefined) => {
    if (error !== undefined) failures.push(error)
  }
  if (left.length > 0) send(client, combine(left), note)
  const [unsent] = failures
  if (unsent !== undefined) return takeBack(Exit.die(unsent))
  sendBound(client, bounds.commit, (error, { command }) => {
    note(error)
    // The answer to a COMMIT whose transaction had failed is ROLLBACK, and no error.
    if (command === "ROLLBACK") note(new Error("The transaction was rolled back"))
    // Why a statement failed says more than that its transaction did.
    const [failed] = failures
    if (failed === undefined) finished(exit, afterCommit)
    else takeBack(Exit.die(failed))
  })
}

/** Who gives up waiting for a connection leaves none behind. */
const connected = (pool: Pg.Pool) =>
  Effect.async<Pg.PoolClient>((resume) => {
    let isUnwanted = false
    pool.connect((refused, client) => {
      if (client === undefined) resume(Effect.die(unconnected(refused)))
      else if (isUnwanted) client.release()
      else resume(Effect.succeed(client))
    })
    return Effect.sync(() => {
      isUnwanted = true
    })
  })

/** Uses a connection, and gives it back. */
export const withConnection = <A, E, R>(
  pool: Pg.Pool,
  use: (client: Pg.PoolClient) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(connected(pool)), (client) =>
      Effect.ensuring(
        restore(use(client)),
        Effect.sync(() => client.release())
      )
    )
  )

/** Where there is no other way than a scan, its cost is made 1e10 before PostgreSQL 18, for which it would be compiled. */
const WITHOUT_SCANS = statement("select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)")

/**
 * What is done as a whole or not at all. BEGIN travels with the first statement and COMMIT with the last, so that neither
 * costs a round trip. Inside of a transaction each of these is a part of it that can fail alone. Nothing that has begun is
 * interrupted: a client that hangs up while it waits must not decide what is stored.
 */
export const makeTransactions = (pool: Pg.Pool) => {
  const combine = makeCombine()

  const runOn = <A, E, R>(open: Open, bounds: Bounds, keep: boolean, body: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const own: Array<() => void> = []
      sendBound(open.client, bounds.begin)
      return Effect.exit(Effect.provideService(body, Current, { client: open.client, afterCommit: own })).pipe(
        Effect.flatMap((exit) =>
          Effect.async<A, E>((resume) =>
            finish(open, bounds, keep, combine, { exit, left: [], afterCommit: own }, (exit, afterCommit) => {
              open.afterCommit.push(...afterCommit)
              resume(exit)
            })
          )
        )
      )
    })

  const run = <A, E, R>(keep: boolean, body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptible(
      withCurrent((current) => {
        if (current !== undefined) return runOn(current, SAVEPOINT, keep, body)
        const afterCommit: Array<() => void> = []
        return Effect.tap(
          withConnection(pool, (client) => runOn({ client, afterCommit }, TRANSACTION, keep, body)),
          () => Effect.sync(() => afterCommit.forEach((action) => action()))
        )
      })
    )

  const performOn = <A, E>(
    open: Open,
    bounds: Bounds,
    keep: boolean,
    steps: Steps<A, Refusal<E>>,
    performed: (exit: Exit.Exit<A, E>) => void
  ) => {
    sendBound(open.client, bounds.begin)
    takeSteps(open.client, steps, (taken) =>
      finish(open, bounds, keep, combine, taken, (exit, afterCommit) => {
        open.afterCommit.push(...afterCommit)
        performed(exit)
      })
    )
  }

  return {
    /** Runs the body, whose statements see each other; what fails leaves nothing of itself. */
    transaction: <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => run(true, body),

    /** Runs the body for what it answers, and takes back what it did. */
    rehearse: <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => run(false, body),

    /**
     * Performs a described write, or only finds out what it would answer. By callback: as an effect for each statement it
     * cost half as much again (docs/performance.md, Writes).
     */
    perform: <A, E>(write: () => Steps<A, Refusal<E>>, keep = true): Effect.Effect<A, E> =>
      Effect.uninterruptible(
        withCurrent((current) =>
          Effect.async<A, E>((resume) => {
            if (current !== undefined) return performOn(current, SAVEPOINT, keep, write(), resume)
            pool.connect((refused, client) => {
              if (client === undefined) return resume(Effect.die(unconnected(refused)))
              const afterCommit: Array<() => void> = []
              performOn({ client, afterCommit }, TRANSACTION, keep, write(), (exit) => {
                client.release()
                for (const action of afterCommit) action()
                resume(exit)
              })
            })
          })
        )
      ),

    /**
     * The answer to a statement that goes by keys. The planner leaves them for a scan of the whole table where it takes
     * the table to be small, or the rows that are wanted for many, and keeps a plan that it made so; here it may not.
     */
    indexed: (statement: Statement): Effect.Effect<Answer> =>
      Effect.gen(function* () {
        let answer: Effect.Effect<Answer> = Effect.succeed(NOTHING)
        const sent = withCurrent((current) => {
          if (current === undefined) return Effect.dieMessage("There is no transaction")
          send(current.client, WITHOUT_SCANS().compile(), () => {})
          send(current.client, statement.compile(), (error, given) => {
            answer = error === undefined ? Effect.succeed(given) : Effect.die(error)
          })
          return Effect.void
        })
        // All of it is one packet: COMMIT does not wait for the rows.
        const ended = yield* Effect.exit(run(true, sent))
        // Why it failed says more than that it was rolled back.
        const given = yield* answer
        yield* ended
        return given
      })
  }
}
