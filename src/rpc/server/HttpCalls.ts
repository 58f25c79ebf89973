import { Effect, Function as Fn } from "effect"
import type { BadRequest } from "../../domain/BadRequest.ts"
import { LARGE_BODY, paced } from "../../domain/Pacing.ts"
import { type CallError } from "../Authentication.ts"
import { CallOrigin, type Origin, type Principal } from "../Principal.ts"
import { makeAuthenticator, admittedPrincipal, type Tokens } from "./Authenticator.ts"
import { maskDefects, callErrorJson } from "./ErrorMasking.ts"
import { parseCalls, failureLine, type RequestedCall, storeIdsOf, successLine } from "./Messages.ts"
import type { ExecuteCall } from "./InProcessCalls.ts"

/** A body of calls, with the tokens that came along. */
interface RpcRequest extends Tokens {
  readonly body: string
  readonly requestId: string
}

/**
 * Answers a body of calls, each with a line of the library's ndjson. The calls count in the window of their sender in one
 * statement. A call that is refused there does not reach the server. Stored JSON goes out as text.
 */
export const makeHttpCalls = (executeCall: ExecuteCall) =>
  Effect.map(
    makeAuthenticator,
    ({ caller }) =>
      ({ body, requestId, ...tokens }: RpcRequest): Effect.Effect<string, BadRequest> => {
        const origin: Origin = { surface: "rpc", requestId }
        const answerLine = (
          { id, payload, tag }: RequestedCall,
          sender: Effect.Effect<Principal, CallError>
        ): Effect.Effect<string> =>
          Effect.all({ principal: sender, payload: Effect.fromResult(payload) }).pipe(
            Effect.mapError(callErrorJson),
            Effect.flatMap((call) => executeCall({ ...call, tag, origin })),
            Effect.match({
              onFailure: (error) => failureLine(id, error),
              onSuccess: (value) => successLine(id, value)
            })
          )
        return Effect.gen(function* () {
          const pace: typeof paced = body.length < LARGE_BODY ? Fn.identity : paced
          const calls = yield* pace(Effect.suspend(() => Effect.fromResult(parseCalls(body))))
          const known = yield* Effect.exit(maskDefects(caller(tokens, storeIdsOf(calls), calls.length)))
          const lines = yield* Effect.forEach(
            calls,
            (call, place) =>
              answerLine(
                call,
                Effect.flatMap(known, (by) => admittedPrincipal(by, place))
              ),
            { concurrency: calls.length }
          )
          return lines.join("")
        }).pipe(Effect.provideService(CallOrigin, origin))
      }
  )
