import { Effect, Either, Exit, Option, Schema } from "effect"
import { compileDecoder } from "../../domain/Decoder.ts"
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
    row: Schema.Schema<Row, RowJson>
  ) => {
    const decode = compileDecoder(Schema.Array(row))
    const rowsOf = ({ rows }: Answer): Exit.Exit<ReadonlyArray<Row>> =>
      Either.match(decode(rows), { onLeft: Exit.die, onRight: Exit.succeed })
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
      send(statementOf(batch.map(({ question }) => question)), (answered) => {
        clearTimeout(timer)
        underWay--
        if (isSlow) slow--
        sendReady()
        const found = Exit.flatMap(answered, rowsOf)
        for (const [index, { answer }] of batch.entries()) {
          answer(Exit.map(found, (rows) => Option.fromNullable(rows.find(({ place }) => place === index + 1))))
        }
      })
    }

    /** The row that answers a question, if there is one. */
    return (question: Question): Effect.Effect<Option.Option<Row>> =>
      Effect.async((answer) => {
        if (waiting.push({ question, answer }) > 1) return
        setImmediate(() => {
          ready.add(sendBatch)
          sendReady()
        })
      })
  }
}

export type Together = ReturnType<typeof makeTogether>
