import {
  Deferred,
  Effect,
  Exit,
  Fiber,
  Metric,
  Option,
  Predicate,
  Queue,
  Result,
  type Schema,
  type Scope,
  Semaphore
} from "effect"
import { compileDecoder } from "../../domain/Decoder.ts"
import { nextTurn } from "../../domain/Pacing.ts"
import { unavailableIn } from "../../domain/Unavailable.ts"
import type { Answer } from "./Plan.ts"
import type { Statement } from "./Statement.ts"

/** Questions that share a statement at most. */
const BATCH = 100

/** A statement that takes longer does not keep the next one of its kind waiting. */
const PATIENCE = "5 millis"

const batchSize = Metric.histogram("admission.batch.size", {
  description: "Requests that share a statement",
  boundaries: [1, 2, 5, 10, 20, 50, 100]
})

/** A row says which of the questions it answers, of which the first is 1. */
interface Placed {
  readonly place: number
}

interface Asked<Question, Row> {
  readonly question: Question
  readonly answer: Deferred.Deferred<Option.Option<Row>>
}

/**
 * Answers questions of one kind, one statement for many. Questions that come while a statement is under way share the
 * next one, so that the cost of a statement and its commit is divided. While a statement is slow, as behind a lock, the
 * next one goes beside it, `most` of them at once for all kinds.
 */
export const makeTogether = (run: (statement: Statement) => Effect.Effect<Answer>, most: number) => {
  const slots = Semaphore.makeUnsafe(most)

  return <Question, Row extends Placed, RowJson>(
    statementOf: (questions: ReadonlyArray<Question>) => Statement,
    row: Schema.Codec<Row, RowJson>
  ): Effect.Effect<(question: Question) => Effect.Effect<Option.Option<Row>>, never, Scope.Scope> =>
    Effect.gen(function* () {
      const decode = compileDecoder(row)
      const waiting = yield* Queue.unbounded<Asked<Question, Row>>()

      /** Each row is decoded by itself: one that cannot be read fails its own question alone. */
      const rowOf = ({ rows }: Answer, place: number): Exit.Exit<Option.Option<Row>> => {
        const found = rows.find((one) => Predicate.hasProperty(one, "place") && one.place === place)
        return found === undefined
          ? Exit.succeed(Option.none())
          : Result.match(decode(found), { onFailure: Exit.die, onSuccess: (one) => Exit.succeed(Option.some(one)) })
      }

      /**
       * A statement that fails of what it holds is sent again by halves, until it is the one question that it fails of:
       * the others are of other tenants.
       */
      const answerAll = (batch: ReadonlyArray<Asked<Question, Row>>): Effect.Effect<void> =>
        Effect.flatMap(Effect.exit(run(statementOf(batch.map(({ question }) => question)))), (answered) => {
          if (Exit.isFailure(answered) && batch.length > 1 && unavailableIn(answered.cause) === undefined) {
            const middle = Math.ceil(batch.length / 2)
            return Effect.andThen(answerAll(batch.slice(0, middle)), answerAll(batch.slice(middle)))
          }
          return Effect.sync(() => {
            for (const [index, { answer }] of batch.entries()) {
              Deferred.doneUnsafe(
                answer,
                Exit.isFailure(answered) ? Exit.failCause(answered.cause) : rowOf(answered.value, index + 1)
              )
            }
          })
        })

      const sendNext = Effect.gen(function* () {
        const first = yield* Queue.take(waiting)
        yield* slots.take(1)
        // Requests that came in the same turn of the event loop share the statement.
        yield* nextTurn
        const others = yield* Queue.takeN(waiting, Math.min(Queue.sizeUnsafe(waiting), BATCH - 1))
        yield* Metric.update(batchSize, 1 + others.length)
        const sent = yield* Effect.forkScoped(Effect.ensuring(answerAll([first, ...others]), slots.release(1)))
        yield* Effect.timeoutOption(Fiber.await(sent), PATIENCE)
      })
      yield* Effect.forkScoped(Effect.forever(sendNext))

      return (question) =>
        Effect.suspend(() => {
          const answer = Deferred.makeUnsafe<Option.Option<Row>>()
          Queue.offerUnsafe(waiting, { question, answer })
          return Deferred.await(answer)
        })
    })
}

export type Together = ReturnType<typeof makeTogether>
