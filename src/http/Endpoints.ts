import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import { makeAnswering } from "./Answering.ts"
import type { Reply } from "./Call.ts"
import { type Dispatch, targetOf } from "./Dispatch.ts"
import type { PublicError } from "./ErrorTable.ts"
import type { Exchange } from "./Exchange.ts"
import { refusal } from "./Failure.ts"

/** Answers what was sent to an endpoint. */
type Answer = (message: IncomingMessage, exchange: Exchange) => Effect.Effect<Reply, PublicError>

/** Serves endpoints beside the API, by their paths. They take POST alone: `notPost` is what another method is told. */
export const makeEndpoints = (endpoints: Readonly<Record<string, Answer>>, notPost: string): Effect.Effect<Dispatch> =>
  Effect.map(makeAnswering, (answering) => {
    const answers = new Map(Object.entries(endpoints))
    const refused = Effect.succeed(refusal(405, notPost, { allow: "POST" }))
    return (message, exchange) => {
      const [path = ""] = targetOf(message).split("?", 1)
      const answer = answers.get(path)
      if (answer === undefined) return false
      exchange.route = path
      answering(exchange, message.method === "POST" ? answer(message, exchange) : refused)
      return true
    }
  })
