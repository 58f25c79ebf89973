import { Deferred, Effect } from "effect"
import type { Rpc, RpcGroup } from "effect/rpc"
import type { FromServerEncoded, ResponseExitEncoded } from "effect/rpc/RpcMessage"
import { BadRequest } from "../../domain/BadRequest.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import type { JsonObject } from "../../domain/json/Json.ts"
import { CallOrigin, CurrentPrincipal, type Origin, type Principal } from "../Principal.ts"
import { failWithEncodedCause, callErrorJson } from "./ErrorMasking.ts"
import { serveGroup } from "./Protocol.ts"

/** A call of an authenticated principal. */
export interface Call {
  readonly tag: string
  readonly payload: JsonObject
  readonly principal: Principal
  readonly origin: Origin
}

/** Executes a call. Succeeds with the JSON of its response, or fails with the JSON of a declared error. */
export type ExecuteCall = (call: Call) => Effect.Effect<JsonText, JsonText>

const NO_PROCEDURE = new BadRequest({ reason: "The procedure does not exist" })

const decodeExit = (exit: ResponseExitEncoded["exit"]): Effect.Effect<JsonText, JsonText> => {
  if (exit._tag === "Failure") return failWithEncodedCause(exit.cause)
  return typeof exit.value === "string" ? Effect.succeed(exit.value) : failWithEncodedCause([])
}

/**
 * Serves a group to callers in the process: `POST /rpc` and MCP tools, which therefore share middleware and handlers. Each
 * call is a separate client of the server.
 */
export const makeInProcessCalls = Effect.fnUntraced(function* <Rpcs extends Rpc.Any>(group: RpcGroup.RpcGroup<Rpcs>) {
  const clients = new Map<number, Deferred.Deferred<JsonText, JsonText>>()
  let lastClient = 0

  const send = (clientId: number, message: FromServerEncoded) => {
    const client = clients.get(clientId)
    if (client === undefined) return Effect.void
    const answer =
      message._tag === "Exit" ? decodeExit(message.exit) : failWithEncodedCause([{ _tag: "Die", defect: message }])
    return Effect.asVoid(Deferred.complete(client, answer))
  }

  const { disconnect, write } = yield* serveGroup(group, { clients, send, supportsAck: false })

  const executeCall: ExecuteCall = Effect.fnUntraced(function* ({ origin, payload, principal, tag }) {
    if (!group.requests.has(tag)) return yield* Effect.fail(callErrorJson(NO_PROCEDURE))
    const id = ++lastClient
    const answer = Deferred.makeUnsafe<JsonText, JsonText>()
    clients.set(id, answer)
    return yield* Effect.gen(function* () {
      yield* write(id, { _tag: "Request", id: "1", tag, payload, headers: [] })
      yield* write(id, { _tag: "Eof" })
      return yield* Deferred.await(answer)
    }).pipe(
      Effect.provideService(CurrentPrincipal, principal),
      Effect.provideService(CallOrigin, origin),
      Effect.onInterrupt(() => Effect.sync(() => disconnect(id))),
      Effect.ensuring(Effect.sync(() => clients.delete(id)))
    )
  })
  return executeCall
})
