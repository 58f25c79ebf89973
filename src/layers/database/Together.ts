import { Effect, Exit, Option, Predicate, Result, type Schema } from "effect"
import { compileDecoder } from "../../domain/Decoder.ts"
import { unavailableIn } from "../../domain/Unavailable.ts"
import type { Answer } from "./Plan.ts"
import type { Statement } from "./Statement.ts"

/** Questions that share a statement at most. */
const BATCH = 100

/** Milliseconds that a statement keeps the next one waiting. */
const PATIENCE = 5

/** A row says which of the questions it answers, of which the first is 1. */
interface Placed {
  readonly place: number
}

interface Asked<Question, Row> {
  readonly question: Question
  readonly answer: (row: Effect.Effect<Option.Option<Row>>) => void
}

/** Sends a statement for who answers by callback. */
type Send = (statement: Statement, done: (answer: Exit.Exit<Answer>) => void) => void

/**
 * Questions of one kind, answered by one statement for many. Those that come in one turn of the event loop, or while a
 * statement is under way, share the next: alone a question waits for nobody, and under load the cost of a statement and its
 * commit is divided. One is under way at a time, whatever its kind; while it takes longer than {@link PATIENCE}, as behind a
 * lock, the next goes beside it, `most` of them at once. It is asked by callback, for every request pays for what stands
 * here.
 */
export const makeTogether = (send: Send, most: number) => {
  let underWay = 0
  let slow = 0
  /** What sends the questions of a kind, for those of which some wait: first those that have waited longest. */
  const ready = new Set<() => void>()

  const sendReady = () => {
    for (const sendBatch of ready) {
      if (underWay > slow || underWay === most) return
      underWay++
      ready.delete(sendBatch)
      sendBatch()
    }
  }

  return <Question, Row extends Placed, RowJson>(
    statementOf: (questions: ReadonlyArray<Question>) => Statement,
    row: Schema.Codec<Row, RowJson>
  ) => {
    const decode = compileDecoder(row)
    /** Each row is decoded by itself: one that cannot be read fails its own question alone. */
    const rowOf = ({ rows }: Answer, place: number): Exit.Exit<Option.Option<Row>> => {
      const found = rows.find((one) => Predicate.hasProperty(one, "place") && one.place === place)
      if (found === undefined) return Exit.succeed(Option.none())
      return Result.match(decode(found), {
        onFailure: Exit.die,
        onSuccess: (decoded) => Exit.succeed(Option.some(decoded))
      })
    }

    /**
     * Sends a batch. A statement that fails of what it holds is sent again by halves, until it is the one question that
     * it fails of: the others are of other tenants.
     */
    const answerAll = (batch: ReadonlyArray<Asked<Question, Row>>, done: () => void): void => {
      send(statementOf(batch.map(({ question }) => question)), (answered) => {
        if (Exit.isFailure(answered) && batch.length > 1 && unavailableIn(answered.cause) === undefined) {
          const middle = Math.ceil(batch.length / 2)
          return answerAll(batch.slice(0, middle), () => answerAll(batch.slice(middle), done))
        }
        done()
        for (const [index, { answer }] of batch.entries()) {
          answer(Exit.isSuccess(answered) ? rowOf(answered.value, index + 1) : Exit.failCause(answered.cause))
        }
      })
    }
    const waiting: Array<Asked<Question, Row>> = []

    const sendBatch = () => {
      const batch = waiting.splice(0, BATCH)
      if (waiting.length > 0) ready.add(sendBatch)
      let isSlow = false
      const timer = setTimeout(() => {
        isSlow = true
        slow++
        sendReady()
      }, PATIENCE)
      answerAll(batch, () => {
        clearTimeout(timer)
        underWay--
        if (isSlow) slow--
        sendReady()
      })
    }

    /** The row that answers a question, if there is one. */
    return (question: Question): Effect.Effect<Option.Option<Row>> =>
      Effect.callback((answer) => {
        if (waiting.push({ question, answer }) > 1) return
        setImmediate(() => {
          ready.add(sendBatch)
          sendReady()
        })
      })
  }
}

export type Together = ReturnType<typeof makeTogether>
