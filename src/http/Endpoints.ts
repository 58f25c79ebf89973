import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { IncomingMessage } from "node:http"
import { type PublicError, replyOf } from "./ErrorTable.ts"
import { currentExchange, type Exchange } from "./Exchange.ts"
import { refusal, type Reply, toResponse } from "./Reply.ts"

/** Adds a route that takes POST alone. `notPost` is the error of the response (405) to other methods. */
export const postRoute = (
  path: `/${string}`,
  notPost: string,
  answer: (message: IncomingMessage, exchange: Exchange) => Effect.Effect<Reply, PublicError>
) => {
  const refused = refusal(405, notPost, { allow: "POST" })
  return HttpRouter.add(
    "*",
    path,
    Effect.gen(function* () {
      const exchange = yield* currentExchange
      if (exchange.req.method !== "POST") return toResponse(refused)
      const reply = yield* Effect.catch(answer(exchange.req, exchange), (error) => Effect.succeed(replyOf(error)))
      return toResponse(reply)
    })
  )
}
