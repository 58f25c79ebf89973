import { Effect } from "effect"
import type { BadRequest } from "../../domain/BadRequest.ts"
import { CallBody, Pacing } from "../../domain/Pacing.ts"
import { type CallError } from "../Authentication.ts"
import { CallOrigin, type Origin, type Principal } from "../Principal.ts"
import { makeAuthenticator, admittedPrincipal, type Tokens } from "./Authenticator.ts"
import { maskDefects, callErrorJson } from "./ErrorMasking.ts"
import { parseCalls, failureLine, type RequestedCall, storeIdsOf, successLine } from "./Messages.ts"
import type { ExecuteCall } from "./InProcessCalls.ts"

/** A request body of one or more calls. */
interface RpcRequest extends Tokens {
  readonly body: string
  readonly requestId: string
}

/**
 * Executes the calls of a body concurrently and returns a line of ndjson for each. All calls are admitted to the rate window
 * in one statement; rejected ones do not reach the server. Stored JSON is sent as text.
 */
export const makeHttpCalls = (executeCall: ExecuteCall) =>
  Effect.gen(function* () {
    const { authenticate } = yield* makeAuthenticator
    const { paceOf } = yield* Pacing
    return ({ body, requestId, ...tokens }: RpcRequest): Effect.Effect<string, BadRequest> => {
      const pace = paceOf(body.length)
      const origin: Origin = { surface: "rpc", requestId }
      const toResponseLine = (
        { id, payload, tag }: RequestedCall,
        principal: Effect.Effect<Principal, CallError>
      ): Effect.Effect<string> =>
        Effect.all({ principal, payload: Effect.fromResult(payload) }).pipe(
          Effect.mapError(callErrorJson),
          Effect.flatMap((call) => executeCall({ ...call, tag, origin })),
          Effect.match({
            onFailure: (error) => failureLine(id, error),
            onSuccess: (value) => successLine(id, value)
          })
        )
      return Effect.gen(function* () {
        const calls = yield* pace(Effect.suspend(() => Effect.fromResult(parseCalls(body))))
        const admission = yield* Effect.exit(maskDefects(authenticate(tokens, storeIdsOf(calls), calls.length)))
        const lines = yield* Effect.forEach(
          calls,
          (call, index) =>
            toResponseLine(
              call,
              Effect.flatMap(admission, (caller) => admittedPrincipal(caller, index))
            ),
          { concurrency: calls.length }
        )
        return lines.join("")
      }).pipe(Effect.provideService(CallOrigin, origin), Effect.provideService(CallBody, { length: body.length, pace }))
    }
  })
