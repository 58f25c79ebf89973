import { Cause, Effect, Schema } from "effect"
import type { ResponseExitEncoded } from "effect/rpc/RpcMessage"
import type { JsonText } from "../../domain/Document.ts"
import { stringify } from "../../domain/Json.ts"
import { unavailableIn } from "../../domain/Unavailable.ts"
import { CallError, InternalError, ServiceUnavailable } from "../Authentication.ts"
import { CallOrigin } from "../Principal.ts"

const encodeRefusal = Schema.encodeSync(CallError)

/** The JSON of an error that any call may be refused with. */
export const callErrorJson = (error: CallError): JsonText => stringify(encodeRefusal(error))

/** Logs a failure that no client may see, and fails with the error that clients get in its place. */
export const failMasked = (cause: Cause.Cause<unknown>): Effect.Effect<never, InternalError | ServiceUnavailable> =>
  Effect.gen(function* () {
    const { requestId = "" } = yield* CallOrigin
    yield* Effect.annotateLogs(Effect.logError("A call failed", cause), { requestId })
    return yield* unavailableIn(cause) === undefined ? new InternalError({ requestId }) : new ServiceUnavailable()
  })

/**
 * Replaces defects by errors without details, which go to the log. A write that breaks after its client has gone is logged
 * too.
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
 * Fails with the JSON of the declared error in an encoded cause, or interrupts. Anything else is masked: the library
 * reports a response that it cannot encode as a defect with the text of the schema.
 */
export const failWithEncodedCause = (cause: EncodedCause): Effect.Effect<never, JsonText> => {
  const refusal = cause.find((reason) => reason._tag === "Fail")
  if (refusal !== undefined) return Effect.fail(stringify(refusal.error))
  if (cause.some(({ _tag }) => _tag === "Interrupt")) return Effect.interrupt
  return Effect.mapError(failMasked(Cause.die(cause)), callErrorJson)
}
