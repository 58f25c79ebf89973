import { Cause, Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { currentResponse } from "../server/NodeResponse.ts"
import { replyToFailure } from "../Reply.ts"
import { problem, respond } from "./Page.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Answers a browser: with what a handler made, or ended early with; with a page also where it broke. */
export const answering =
  (handle: (request: Request) => Effect.Effect<Response, Response, Request>) => (request: Request) =>
    Effect.catchCause(Effect.catch(handle(request), Effect.succeed), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.flatMap(currentResponse, ({ requestId }) =>
            Effect.map(replyToFailure(cause, requestId), ({ headers = {}, status }) =>
              HttpServerResponse.setHeaders(
                respond(
                  problem(
                    "Something failed here",
                    `Nothing was decided. Load the page anew in a moment; if it fails again, tell who runs the service: request ${requestId}.`,
                    status
                  )
                ),
                headers
              )
            )
          )
    )
