import { Context, Effect, Exit, Option } from "effect"
import type Pg from "pg"
import type { Refusal } from "../../domain/Write.ts"
import { Connection, TIMEOUTS } from "./Connection.ts"
import { AfterCommit, Ahead, type Answer, Ask, Leave, type Steps } from "./Plan.ts"
import { type Compiled, makeCombine, type Statement, statement } from "./Statement.ts"
import { defectOf, isCancelled, unconnected } from "./Unavailable.ts"

/** How a transaction begins and ends, or one inside of it. */
interface Bounds {
  readonly begin: Compiled
  readonly commit: Compiled
  readonly rollback: ReadonlyArray<Compiled>
}

const TRANSACTION: Bounds = { begin: ["begin", []], commit: ["commit", []], rollback: [["rollback", []]] }

/** What fails inside leaves nothing, and the transaction around it can go on. */
const SAVEPOINT: Bounds = {
  begin: ["savepoint joined", []],
  commit: ["release savepoint joined", []],
  rollback: [
    ["rollback to savepoint joined", []],
    ["release savepoint joined", []]
  ]
}

/** What sees one moment, and writes nothing. */
const SNAPSHOT: Bounds = { ...TRANSACTION, begin: ["begin isolation level repeatable read, read only", []] }

/** A transaction that is open: its connection, and what follows its commit. */
export interface Open {
  readonly client: Connection
  readonly afterCommit: Array<() => void>
}

/** The transaction that a fiber is in. */
export class Current extends Context.Service<Current, Open>()("layers/database/Transaction") {}

/** Runs `use` with the transaction that the fiber is in, if it is in one. */
export const withCurrent = <A, E, R>(
  use: (transaction: Open | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.serviceOption(Current), (current) => use(Option.getOrUndefined(current)))

const NOTHING: Answer = { command: "", rows: [], count: 0 }

type Answered = (error: Error | undefined, answers: ReadonlyArray<Answer>) => void

/** Sends statements on the spot, in one packet. */
const sendAll = (client: Connection, statements: ReadonlyArray<Compiled>, answered: Answered = () => {}): void =>
  client.sendAll(statements, (error, answers) => answered(error && defectOf(error), answers))

/** Sends a statement likewise. */
export const send = (
  client: Connection,
  statement: Statement,
  answered: (error: Error | undefined, answer: Answer) => void
): void => sendAll(client, [statement.compile()], (error, [answer = NOTHING]) => answered(error, answer))

const limit = statement("select set_config('statement_timeout', $1, true)")

/** A statement, with less time than others have where that is so. What takes longer ends the transaction. */
const timed = ({ millis, statement }: Ask): ReadonlyArray<Compiled> => {
  if (millis === undefined) return [statement.compile()]
  const unlimited = limit(String(TIMEOUTS.statement_timeout))
  return [limit(String(millis)).compile(), statement.compile(), unlimited.compile()]
}

/** What the steps of a write came to, and what they left to the commit. */
interface Taken<A, E> {
  readonly exit: Exit.Exit<A, E>
  readonly left: ReadonlyArray<Statement>
  readonly afterCommit: ReadonlyArray<() => void>
  /** Why one that was sent ahead failed, as far as that is known: what came after it tells only that something did. */
  readonly failedAhead: () => Error | undefined
}

/** Takes the steps of a write one after the other until it ends; what is `unsent` goes out with the first question. */
const takeSteps = <A, E>(
  client: Connection,
  unsent: Array<Compiled>,
  steps: Steps<A, Refusal<E>>,
  ended: (taken: Taken<A, E>) => void
): void => {
  const left: Array<Statement> = []
  const afterCommit: Array<() => void> = []
  let failed: Error | undefined
  const end = (exit: Exit.Exit<A, E>) => ended({ exit, left, afterCommit, failedAhead: () => failed })
  const ask = (step: Ask) => {
    const before = unsent.splice(0)
    sendAll(client, [...before, ...timed(step)], (error, answers) => {
      step.answer = answers[before.length + (step.millis === undefined ? 0 : 1)] ?? NOTHING
      step.isTooLong = step.millis !== undefined && error !== undefined && isCancelled(error)
      if (error === undefined || step.isTooLong) take()
      else end(Exit.die(failed ?? error))
    })
  }
  // What it answers to statements before is read in between, so that those that wait behind them go out.
  const sendAhead = ({ statements }: Ahead) => {
    if (statements.length > 0) {
      sendAll(client, [...unsent.splice(0), ...statements.map((one) => one.compile())], (error) => {
        failed ??= error
      })
    }
    setImmediate(take)
  }
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
      if (step instanceof Ask) return ask(step)
      if (step instanceof Ahead) return sendAhead(step)
      if (step instanceof Leave) left.push(step.statement)
      else if (step instanceof AfterCommit) afterCommit.push(step.action)
      else return end(Exit.die(new Error("A write took a step that nobody performs")))
      next = nextOf()
    }
  }
  take()
}

/** Who gives up waiting for a connection leaves none behind. */
const connected = (pool: Pg.Pool) =>
  Effect.callback<Pg.PoolClient & Connection>((resume) => {
    let isUnwanted = false
    pool.connect((refused, client) => {
      if (!(client instanceof Connection)) resume(Effect.die(unconnected(refused)))
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
  use: (client: Pg.PoolClient & Connection) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(connected(pool)), (client) =>
      Effect.ensuring(
        restore(use(client)),
        Effect.sync(() => client.release())
      )
    )
  )

/**
 * What is done as a whole or not at all. BEGIN travels with the first statement and COMMIT with the last, so that neither
 * costs a round trip. Inside of a transaction each of these is a part of it that can fail alone. Nothing that has begun is
 * interrupted: a client that hangs up while it waits must not decide what is stored.
 */
export const makeTransactions = (pool: Pg.Pool) => {
  const combine = makeCombine()

  /** Commits what was done, or takes it back where it failed or is not to be kept. COMMIT travels with what was left to it. */
  const finish = <A, E>(
    open: Open,
    bounds: Bounds,
    unsent: ReadonlyArray<Compiled>,
    keep: boolean,
    { afterCommit, exit, failedAhead, left }: Taken<A, E>,
    finished: (exit: Exit.Exit<A, E>) => void
  ): void => {
    const takeBack = (exit: Exit.Exit<A, E>) => sendAll(open.client, bounds.rollback, () => finished(exit))
    if (Exit.isFailure(exit) || !keep) return unsent.length > 0 ? finished(exit) : takeBack(exit)
    const statements = [...unsent, ...(left.length > 0 ? [combine(left)] : []), bounds.commit]
    sendAll(open.client, statements, (error, answers) => {
      // The answer to a COMMIT whose transaction had failed is ROLLBACK, and no error.
      const isRolledBack = answers.at(-1)?.command === "ROLLBACK"
      const failed = failedAhead() ?? error ?? (isRolledBack ? new Error("The transaction was rolled back") : undefined)
      if (failed !== undefined) return takeBack(Exit.die(failed))
      open.afterCommit.push(...afterCommit)
      finished(exit)
    })
  }

  const runOn = <A, E, R>(open: Open, bounds: Bounds, keep: boolean, body: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const own: Array<() => void> = []
      sendAll(open.client, [bounds.begin])
      return Effect.exit(Effect.provideService(body, Current, { client: open.client, afterCommit: own })).pipe(
        Effect.flatMap((exit) =>
          Effect.callback<A, E>((resume) =>
            finish(open, bounds, [], keep, { exit, left: [], afterCommit: own, failedAhead: () => undefined }, resume)
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
    const unsent = [bounds.begin]
    takeSteps(open.client, unsent, steps, (taken) => finish(open, bounds, unsent, keep, taken, performed))
  }

  return {
    /** Runs the body, whose statements see each other; what fails leaves nothing of itself. */
    transaction: <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => run(true, body),

    /** Runs the body for what it answers, and takes back what it did. */
    rehearse: <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => run(false, body),

    /** Runs the body, whose statements all see the database as it is at the first of them; it may be interrupted. */
    snapshot: <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.uninterruptibleMask((restore) =>
        withConnection(pool, (client) => runOn({ client, afterCommit: [] }, SNAPSHOT, false, restore(body)))
      ),

    /**
     * Performs a described write, or only finds out what it would answer. By callback: as an effect for each statement it
     * cost half as much again (docs/performance.md, Writes).
     */
    perform: <A, E>(write: () => Steps<A, Refusal<E>>, keep = true): Effect.Effect<A, E> =>
      Effect.uninterruptible(
        withCurrent((current) =>
          Effect.callback<A, E>((resume) => {
            if (current !== undefined) return performOn(current, SAVEPOINT, keep, write(), resume)
            pool.connect((refused, client) => {
              if (!(client instanceof Connection)) return resume(Effect.die(unconnected(refused)))
              const afterCommit: Array<() => void> = []
              performOn({ client, afterCommit }, TRANSACTION, keep, write(), (exit) => {
                client.release()
                for (const action of afterCommit) action()
                resume(exit)
              })
            })
          })
        )
      )
  }
}
