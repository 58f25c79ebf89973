import { Cause, Effect, Schema } from "effect"
import type { ResponseExitEncoded } from "effect/rpc/RpcMessage"
import type { JsonText } from "../../domain/json/Document.ts"
import { logFailure, unavailableIn } from "../../domain/Unavailable.ts"
import { CallError, InternalError, ServiceUnavailable } from "../Authentication.ts"
import { CallOrigin } from "../Principal.ts"

const encodeCallError = Schema.encodeSync(CallError)

/** Encodes an error of every call. */
export const callErrorJson = (error: CallError): JsonText => JSON.stringify(encodeCallError(error))

/** Logs a cause that clients must not see, and fails with an error without details. */
export const failMasked = (cause: Cause.Cause<unknown>): Effect.Effect<never, InternalError | ServiceUnavailable> =>
  Effect.gen(function* () {
    const { requestId = "" } = yield* CallOrigin
    yield* Effect.annotateLogs(logFailure("A call failed", cause), { requestId })
    return yield* unavailableIn(cause) === undefined ? new InternalError({ requestId }) : new ServiceUnavailable()
  })

/**
 * Replaces defects by errors without details and logs them. Uninterruptible around the log, so that a write that fails after
 * its client disconnected is logged too.
 */
export const maskDefects = <A, E, R>(
  call: Effect.Effect<A, E, R>
): Effect.Effect<A, E | InternalError | ServiceUnavailable, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.catchCause(restore(call), (cause): Effect.Effect<never, E | InternalError | ServiceUnavailable> =>
      Cause.hasDies(cause) ? failMasked(cause) : Effect.failCause(cause)
    )
  )

type EncodedCause = Extract<ResponseExitEncoded["exit"], { readonly _tag: "Failure" }>["cause"]

/**
 * Fails with the JSON of the declared error in an encoded cause, or interrupts. Other causes are masked: `RpcServer` reports
 * a response that it cannot encode as a defect that holds values.
 */
export const failWithEncodedCause = (cause: EncodedCause): Effect.Effect<never, JsonText> => {
  const failure = cause.find((reason) => reason._tag === "Fail")
  if (failure !== undefined) return Effect.fail(JSON.stringify(failure.error))
  if (cause.some(({ _tag }) => _tag === "Interrupt")) return Effect.interrupt
  return Effect.mapError(failMasked(Cause.die(cause)), callErrorJson)
}
