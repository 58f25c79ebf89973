import { Effect, Function as Fn, Option, Result } from "effect"
import { BadRequest } from "../../domain/BadRequest.ts"
import type { JsonText } from "../../domain/Document.ts"
import type { StoreId } from "../../domain/Store.ts"
import { LARGE_BODY, paced } from "../../domain/Turn.ts"
import { CallOrigin, type CallRefused, CurrentPrincipal, type Principal } from "../Principal.ts"
import { type Call, callsOf } from "./Envelope.ts"
import { makeIdentify, principalAt, type Tokens } from "./Identify.ts"
import { type Procedure, storeIn } from "./Procedure.ts"
import { refuse, settled } from "./Settled.ts"

/** The calls of a body, and by whom they were sent. */
interface Sent extends Tokens {
  readonly body: string
  readonly requestId: string
}

/** The stores that calls name: what their sender may do there is asked once, for all. */
export const storesOf = (calls: ReadonlyArray<Call>): ReadonlyArray<StoreId> =>
  calls.flatMap(({ payload }) => (Result.isSuccess(payload) ? Option.toArray(storeIn(payload.success)) : []))

const NO_PROCEDURE = new BadRequest({ reason: "There is no such procedure" })

export const exitOf = (id: string, exit: JsonText) => `{"_tag":"Exit","requestId":"${id}","exit":${exit}}\n`
const succeeded = (id: string, value: JsonText) => exitOf(id, `{"_tag":"Success","value":${value}}`)
export const failed = (id: string, error: JsonText) =>
  exitOf(id, `{"_tag":"Failure","cause":{"_tag":"Fail","error":${error}}}`)

/**
 * Answers the calls of a body from their definitions, all at once, each with a line as `@effect/rpc` has it
 * (docs/decisions/0015). Only what a definition declares goes out, and what one call meets is nothing to the others.
 */
export const makeCalls = (procedures: ReadonlyArray<Procedure>) =>
  Effect.map(makeIdentify, ({ caller: callerBy }) => {
    const byTag = new Map(procedures.map((procedure) => [procedure.tag, procedure]))

    const perform = ({ payload, tag }: Call, principal: Effect.Effect<Principal, CallRefused>) =>
      Effect.gen(function* () {
        const current = yield* Effect.catch(principal, refuse)
        const procedure = byTag.get(tag)
        if (procedure === undefined) return yield* refuse(NO_PROCEDURE)
        const json = yield* Effect.catch(Effect.fromResult(payload), refuse)
        return yield* Effect.provideService(procedure.answer(json), CurrentPrincipal, current)
      })

    const answer = (call: Call, principal: Effect.Effect<Principal, CallRefused>, requestId: string) =>
      Effect.map(
        settled(perform(call, principal), requestId),
        Result.match({ onFailure: (error) => failed(call.id, error), onSuccess: (value) => succeeded(call.id, value) })
      )

    return (sent: Sent): Effect.Effect<string, BadRequest> =>
      Effect.gen(function* () {
        const pace: typeof paced = sent.body.length < LARGE_BODY ? Fn.identity : paced
        const calls = yield* pace(Effect.suspend(() => Effect.fromResult(callsOf(sent.body))))
        const caller = yield* Effect.exit(callerBy(sent, storesOf(calls), calls.length))
        const lines = yield* Effect.forEach(
          calls,
          (call, place) =>
            answer(
              call,
              Effect.flatMap(caller, (known) => principalAt(known, place)),
              sent.requestId
            ),
          // One is answered without a fiber of its own.
          { concurrency: calls.length }
        ).pipe(Effect.provideService(CallOrigin, { surface: "rpc", requestId: sent.requestId }))
        return lines.join("")
      })
  })
