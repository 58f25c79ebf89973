import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { IncomingMessage } from "node:http"
import { type PublicError, toErrorReply } from "./ErrorTable.ts"
import { currentResponse, type NodeResponse } from "./server/NodeResponse.ts"
import { makeErrorReply, type Reply, toHttpResponse } from "./Reply.ts"

/** Adds a route that takes POST alone. `notPost` is the error of the response (405) to other methods. */
export const postRoute = (
  path: `/${string}`,
  notPost: string,
  answer: (message: IncomingMessage, exchange: NodeResponse) => Effect.Effect<Reply, PublicError>
) => {
  const refused = makeErrorReply(405, notPost, { allow: "POST" })
  return HttpRouter.add(
    "*",
    path,
    Effect.gen(function* () {
      const exchange = yield* currentResponse
      if (exchange.req.method !== "POST") return toHttpResponse(refused)
      const reply = yield* Effect.catch(answer(exchange.req, exchange), (error) => Effect.succeed(toErrorReply(error)))
      return toHttpResponse(reply)
    })
  )
}
