import { Effect, type Redacted } from "effect"
import { makeAuthenticator, admittedPrincipal } from "../server/Authenticator.ts"
import type { ExecuteCall } from "../server/InProcessCalls.ts"
import type { McpRequest } from "./Protocol.ts"

/** Knows who sends messages of the Model Context Protocol, and answers them. */
export const makeMcpEndpoint = Effect.fnUntraced(function* (executeCall: ExecuteCall) {
  const identify = yield* makeAuthenticator
  // Loaded with the first message: the protocol's library, and tools made of all procedures, would take every start 0.2 s.
  const answer = yield* Effect.cached(
    Effect.map(
      Effect.promise(() => import("./Protocol.ts")),
      ({ makeAnswer }) => makeAnswer(executeCall)
    )
  )
  return {
    identify: (token: Redacted.Redacted) =>
      Effect.flatMap(identify.agent(token, 1, "any"), (caller) => admittedPrincipal(caller, 0)),
    answer: (sent: McpRequest) => Effect.flatMap(answer, (answer) => answer(sent))
  }
})
