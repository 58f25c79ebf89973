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
  Schema,
  type Scope,
  Semaphore
} from "effect"
import type { SqlError } from "effect/sql"
import { admissionBatchSize } from "../../domain/Metrics.ts"
import { unavailableIn } from "../../domain/Unavailable.ts"
import { retryFenced } from "../storeMove/Moving.ts"
import { orDefect } from "./Errors.ts"

/** Maximum number of requests in one statement. */
const MAX_BATCH = 100

/** While a statement takes longer than this, the next one of its kind starts beside it. */
const SLOW = "5 millis"

/** Row with the place of its request in the batch, counted from 1. */
interface PlacedRow {
  readonly place: number
}

interface Pending<Request, Row> {
  readonly request: Request
  readonly response: Deferred.Deferred<Option.Option<Row>>
}

/**
 * Makes a function that batches requests of one kind: one statement serves many. Requests that arrive while a statement
 * runs share the next one, which divides the cost of a statement and its commit. While a statement is slow, as behind a
 * lock, the next one runs beside it: at most `maxStatements` at once for all kinds.
 *
 * `RequestResolver` would run one batch for each turn of the event loop, however many are running already.
 */
export const makeBatcher = (maxStatements: number) => {
  const slots = Semaphore.makeUnsafe(maxStatements)

  return <Request, Row extends PlacedRow, RowJson>(
    query: (requests: ReadonlyArray<Request>) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>,
    row: Schema.Codec<Row, RowJson>
  ): Effect.Effect<(request: Request) => Effect.Effect<Option.Option<Row>>, never, Scope.Scope> =>
    Effect.gen(function* () {
      const decode = Schema.decodeUnknownResult(row)
      const waiting = yield* Queue.unbounded<Pending<Request, Row>>()

      /** Decodes each row by itself, so that an invalid one fails its own request only. */
      const rowAt = (rows: ReadonlyArray<unknown>, place: number): Exit.Exit<Option.Option<Row>> => {
        const found = rows.find((one) => Predicate.hasProperty(one, "place") && one.place === place)
        return found === undefined
          ? Exit.succeed(Option.none())
          : Result.match(decode(found), { onFailure: Exit.die, onSuccess: (one) => Exit.succeed(Option.some(one)) })
      }

      /** Splits a batch that fails until only the failing request is left: the others belong to other tenants. */
      const serve = (batch: ReadonlyArray<Pending<Request, Row>>): Effect.Effect<void> =>
        Effect.flatMap(Effect.exit(retryFenced(orDefect(query(batch.map(({ request }) => request))))), (result) => {
          if (Exit.isFailure(result) && batch.length > 1 && unavailableIn(result.cause) === undefined) {
            const middle = Math.ceil(batch.length / 2)
            return Effect.andThen(serve(batch.slice(0, middle)), serve(batch.slice(middle)))
          }
          return Effect.sync(() => {
            for (const [index, { response }] of batch.entries()) {
              Deferred.doneUnsafe(
                response,
                Exit.isFailure(result) ? Exit.failCause(result.cause) : rowAt(result.value, index + 1)
              )
            }
          })
        })

      const serveNext = Effect.gen(function* () {
        const first = yield* Queue.take(waiting)
        yield* slots.take(1)
        // Requests of the same turn of the event loop share the statement.
        yield* Effect.yieldNow
        const others = yield* Queue.takeN(waiting, Math.min(Queue.sizeUnsafe(waiting), MAX_BATCH - 1))
        yield* Metric.update(admissionBatchSize, 1 + others.length)
        const statement = yield* Effect.forkScoped(Effect.ensuring(serve([first, ...others]), slots.release(1)))
        yield* Effect.timeoutOption(Fiber.await(statement), SLOW)
      })
      yield* Effect.forkScoped(Effect.forever(serveNext))

      return (request) =>
        Effect.suspend(() => {
          const response = Deferred.makeUnsafe<Option.Option<Row>>()
          Queue.offerUnsafe(waiting, { request, response })
          return Deferred.await(response)
        })
    })
}

export type Batcher = ReturnType<typeof makeBatcher>
