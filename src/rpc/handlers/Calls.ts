import { Cause, Effect, Either, type Exit, Option, type Redacted, Schema } from "effect"
import { NotSignedIn, Sessions } from "../../domain/access/Sessions.ts"
import { BadRequest } from "../../domain/BadRequest.ts"
import type { JsonText } from "../../domain/Document.ts"
import { StoreId } from "../../domain/Store.ts"
import { unavailableIn } from "../../domain/Unavailable.ts"
import { type CallRefused, CurrentPrincipal, InternalError, Principal, ServiceUnavailable } from "../Principal.ts"
import { type Call, callsOf } from "./Envelope.ts"
import { errorJson, type Procedure } from "./Procedure.ts"

/** The calls of a body, and the token of the session in which they were sent. */
interface Sent {
  readonly token: Redacted.Redacted | undefined
  readonly body: string
  readonly requestId: string
}

const decodeStore = Schema.decodeUnknownOption(StoreId)

/** The stores that calls name: what their sender may do there is asked once, for all. */
export const storesOf = (calls: ReadonlyArray<Call>): ReadonlyArray<StoreId> =>
  calls.flatMap(({ payload }) => (Either.isRight(payload) ? Option.toArray(decodeStore(payload.right["storeId"])) : []))

const refusedJson = errorJson(Schema.Never)
export const refuse = (error: CallRefused) => Effect.flip(refusedJson(error))

const NO_PROCEDURE = new BadRequest({ reason: "There is no such procedure" })

export const exitOf = (id: string, exit: JsonText) => `{"_tag":"Exit","requestId":"${id}","exit":${exit}}\n`
const succeeded = (id: string, value: JsonText) => exitOf(id, `{"_tag":"Success","value":${value}}`)
export const failed = (id: string, error: JsonText) =>
  exitOf(id, `{"_tag":"Failure","cause":{"_tag":"Fail","error":${error}}}`)

/** What a client is told of what should not have happened. Details go to the log. */
export const failureOf = (cause: Cause.Cause<unknown>, requestId: string): Effect.Effect<JsonText> =>
  Effect.logError("A call failed", cause).pipe(
    Effect.annotateLogs({ requestId }),
    Effect.zipRight(
      refusedJson(unavailableIn(cause) === undefined ? new InternalError({ requestId }) : new ServiceUnavailable())
    )
  )

/**
 * Answers the calls of a body from their definitions, all at once, each with a line as `@effect/rpc` has it
 * (docs/decisions/0015). Only what a definition declares goes out, and what one call meets is nothing to the others.
 */
export const makeCalls = (procedures: ReadonlyArray<Procedure>) =>
  Effect.map(Sessions, ({ find }) => {
    const byTag = new Map(procedures.map((procedure) => [procedure.tag, procedure]))

    const identify = (token: Redacted.Redacted | undefined, calls: ReadonlyArray<Call>) =>
      token === undefined
        ? new NotSignedIn()
        : Effect.map(find(token, storesOf(calls)), ({ merchantId, roles, sessionId }) =>
            Principal.Merchant({ id: merchantId, sessionId, roles })
          )

    const perform = ({ payload, tag }: Call, principal: Exit.Exit<Principal, NotSignedIn>) =>
      Effect.gen(function* () {
        const current = yield* Effect.catchAll(principal, refuse)
        const procedure = byTag.get(tag)
        if (procedure === undefined) return yield* refuse(NO_PROCEDURE)
        const json = yield* Effect.catchAll(payload, refuse)
        return yield* Effect.provideService(procedure.answer(json), CurrentPrincipal, current)
      })

    // Of a write that broke is told also when nobody waits for its answer any more.
    const answer = (call: Call, principal: Exit.Exit<Principal, NotSignedIn>, requestId: string) =>
      Effect.uninterruptibleMask((restore) =>
        restore(perform(call, principal)).pipe(
          Effect.map((value) => succeeded(call.id, value)),
          Effect.catchAll((error) => Effect.succeed(failed(call.id, error))),
          Effect.catchAllCause((cause) =>
            Cause.isInterruptedOnly(cause)
              ? Effect.failCause(cause)
              : Effect.map(failureOf(cause, requestId), (error) => failed(call.id, error))
          )
        )
      )

    return ({ body, requestId, token }: Sent): Effect.Effect<string, BadRequest> =>
      Effect.gen(function* () {
        const calls = yield* callsOf(body)
        const principal = yield* Effect.exit(identify(token, calls))
        const lines = yield* Effect.forEach(calls, (call) => answer(call, principal, requestId), {
          concurrency: "unbounded"
        })
        return lines.join("")
      })
  })
