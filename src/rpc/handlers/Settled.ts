import { Cause, Effect, Result, Schema } from "effect"
import type { JsonText } from "../../domain/Document.ts"
import { unavailableIn } from "../../domain/Unavailable.ts"
import { type CallRefused, InternalError, ServiceUnavailable } from "../Principal.ts"
import { errorJson } from "./Procedure.ts"

const refusedJson = errorJson(Schema.Never)

/** Ends a call with an error that any call may be refused with. */
export const refuse = (error: CallRefused): Effect.Effect<never, JsonText> => Effect.flip(refusedJson(error))

/** What a client is told of what should not have happened. Details go to the log. */
const failureOf = (cause: Cause.Cause<unknown>, requestId: string): Effect.Effect<JsonText> =>
  Effect.logError("A call failed", cause).pipe(
    Effect.annotateLogs({ requestId }),
    Effect.andThen(
      refusedJson(unavailableIn(cause) === undefined ? new InternalError({ requestId }) : new ServiceUnavailable())
    )
  )

/**
 * Runs a call to its end, whatever that is: what it answers, or the JSON of an error that may go out. Of a write that broke
 * is told also when nobody waits for its answer any more.
 */
export const settled = <A, R>(
  call: Effect.Effect<A, JsonText, R>,
  requestId: string
): Effect.Effect<Result.Result<A, JsonText>, never, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.catchCause(Effect.result(restore(call)), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.map(failureOf(cause, requestId), (error) => Result.fail(error))
    )
  )
