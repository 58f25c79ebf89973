import { Effect, type Redacted } from "effect"
import { makeAuthenticator, admittedPrincipal } from "../server/Authenticator.ts"
import type { ExecuteCall } from "../server/InProcessCalls.ts"
import { makeAwaitJob } from "./Progress.ts"
import type { McpRequest } from "./Protocol.ts"

/** Authenticates and handles messages of the Model Context Protocol. `origin` is the URL of the service. */
export const makeMcpEndpoint = Effect.fnUntraced(function* (executeCall: ExecuteCall, origin: string) {
  const authenticator = yield* makeAuthenticator
  const awaitJob = yield* makeAwaitJob
  // Loaded with the first message: the SDK and the schemas of all tools would add 0.2 s to every start.
  const handler = yield* Effect.cached(
    Effect.map(
      Effect.promise(() => import("./Protocol.ts")),
      ({ makeMessageHandler }) => makeMessageHandler(executeCall, awaitJob, origin)
    )
  )
  return {
    identify: (token: Redacted.Redacted) =>
      Effect.flatMap(authenticator.authenticateAgent(token, 1, "any"), (caller) => admittedPrincipal(caller, 0)),
    handle: (sent: McpRequest) => Effect.flatMap(handler, (handle) => handle(sent))
  }
})
