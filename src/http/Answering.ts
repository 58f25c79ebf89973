import { Cause, Effect } from "effect"
import type { Reply } from "./Call.ts"
import { type PublicError, replyOf } from "./ErrorTable.ts"
import type { Exchange } from "./Exchange.ts"
import { failureOf } from "./Failure.ts"
import { send } from "./Send.ts"

/** Answers a request with what comes of its work. */
export type Answering = (exchange: Exchange, work: Effect.Effect<Reply, PublicError>) => void

/**
 * How requests are answered that the platform's router does not see. One whose client has gone is interrupted: it leaves
 * the line of its store, and the database stops reading for it. A write that has begun goes on to its end.
 */
export const makeAnswering: Effect.Effect<Answering> = Effect.map(Effect.context<never>(), (context) => {
  const runFork = Effect.runForkWith(context)
  return (exchange, work) => {
    const fiber = runFork(
      // An interruption would skip what comes behind the answer, and nobody would hear of a write that broke.
      Effect.uninterruptibleMask((restore) =>
        restore(work).pipe(
          Effect.catch((error) => Effect.succeed(replyOf(error))),
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : failureOf(cause, exchange.requestId)
          ),
          Effect.map((reply) => send(exchange, reply))
        )
      )
    )
    exchange.once("close", () => {
      if (!exchange.writableEnded) fiber.interruptUnsafe()
    })
  }
})
