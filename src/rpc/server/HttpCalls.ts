import { Effect, Function as Fn } from "effect"
import type { BadRequest } from "../../domain/BadRequest.ts"
import { LARGE_BODY, paced } from "../../domain/Pacing.ts"
import { type CallRefused } from "../Authentication.ts"
import { CallOrigin, type Origin, type Principal } from "../Principal.ts"
import { makeIdentify, principalAt, type Tokens } from "./Authenticator.ts"
import { maskDefects, refusalJson } from "./ErrorMasking.ts"
import { callsOf, failureLine, type RequestedCall, storesOf, successLine } from "./Messages.ts"
import type { AnswerCall } from "./InProcessCalls.ts"

/** A body of calls, with the tokens that came along. */
interface RpcRequest extends Tokens {
  readonly body: string
  readonly requestId: string
}

/**
 * Answers a body of calls, each with a line of the library's ndjson. The calls count in the window of their sender in one
 * statement. A call that is refused there does not reach the server. Stored JSON goes out as text.
 */
export const makeHttpCalls = (answerCall: AnswerCall) =>
  Effect.map(
    makeIdentify,
    ({ caller }) =>
      ({ body, requestId, ...tokens }: RpcRequest): Effect.Effect<string, BadRequest> => {
        const origin: Origin = { surface: "rpc", requestId }
        const answerLine = (
          { id, payload, tag }: RequestedCall,
          sender: Effect.Effect<Principal, CallRefused>
        ): Effect.Effect<string> =>
          Effect.all({ principal: sender, payload: Effect.fromResult(payload) }).pipe(
            Effect.mapError(refusalJson),
            Effect.flatMap((call) => answerCall({ ...call, tag, origin })),
            Effect.match({
              onFailure: (error) => failureLine(id, error),
              onSuccess: (value) => successLine(id, value)
            })
          )
        return Effect.gen(function* () {
          const pace: typeof paced = body.length < LARGE_BODY ? Fn.identity : paced
          const calls = yield* pace(Effect.suspend(() => Effect.fromResult(callsOf(body))))
          const known = yield* Effect.exit(maskDefects(caller(tokens, storesOf(calls), calls.length)))
          const lines = yield* Effect.forEach(
            calls,
            (call, place) =>
              answerLine(
                call,
                Effect.flatMap(known, (by) => principalAt(by, place))
              ),
            { concurrency: calls.length }
          )
          return lines.join("")
        }).pipe(Effect.provideService(CallOrigin, origin))
      }
  )
