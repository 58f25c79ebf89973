import { Clock, Effect, Result } from "effect"
import type { FromServerEncoded } from "effect/rpc/RpcMessage"
import type { NotSignedIn } from "../../domain/access/Sessions.ts"
import type { InvalidToken } from "../../domain/access/Tokens.ts"
import { BadRequest } from "../../domain/BadRequest.ts"
import type { RateLimitExceeded } from "../../domain/RateLimit.ts"
import type { StoreNotFound } from "../../domain/Store.ts"
import { CallOrigin, CurrentPrincipal, type Principal } from "../Principal.ts"
import { type Control, type FrameReceiver, INVALID, makeFrameHandler, type Peer } from "./SocketFrames.ts"
import { makeAuthenticator, admittedPrincipal, type Tokens } from "./Authenticator.ts"
import { failWithEncodedCause, callErrorJson } from "./ErrorMasking.ts"
import { exitLine, failureLine, type RequestedCall, storeIdsOf } from "./Messages.ts"
import { serveGroup } from "./Protocol.ts"
import { ServedStreams } from "./ServedRpcs.ts"
import { checkSockets, type OpenSocket } from "./SocketChecks.ts"

/** Maximum number of concurrent streams of a socket. */
export const MAX_STREAMS = 8

/** A client that was admitted to open a socket. */
export interface SocketClient {
  /** Id of the principal, whose sockets are counted. */
  readonly id: string
  readonly connect: (peer: Peer) => FrameReceiver
}

/** A request to open a WebSocket. */
interface UpgradeRequest extends Tokens {
  readonly requestId: string
}

type NotAdmitted = NotSignedIn | InvalidToken | StoreNotFound | RateLimitExceeded

const UNKNOWN_STREAM = new BadRequest({ reason: "The stream does not exist. Send calls with POST" })
const TOO_MANY_STREAMS = new BadRequest({ reason: `A socket has at most ${MAX_STREAMS} streams. Open another socket` })

const PONG = '{"_tag":"Pong"}'

/** Sends the messages of the server as frames. */
const makeSend = (sockets: ReadonlyMap<number, OpenSocket>) =>
  Effect.fnUntraced(function* (clientId: number, message: FromServerEncoded) {
    const socket = sockets.get(clientId)
    if (socket === undefined) return
    const { peer, running } = socket
    if (message._tag === "Chunk") {
      const stream = running.get(String(message.requestId))
      if (stream !== undefined) stream.sentAt = yield* Clock.currentTimeMillis
      peer.send(JSON.stringify(message))
    } else if (message._tag === "Exit") {
      const { exit } = message
      const requestId = String(message.requestId)
      running.delete(requestId)
      // A stream that its client interrupted ends without a message.
      if (exit._tag === "Failure" && exit.cause.every(({ _tag }) => _tag === "Interrupt")) return
      yield* Effect.match(exit._tag === "Success" ? Effect.void : failWithEncodedCause(exit.cause), {
        onFailure: (error) => peer.send(failureLine(requestId, error)),
        onSuccess: () => peer.send(exitLine(requestId, JSON.stringify(exit)))
      })
    }
  })

/**
 * Serves streams over WebSockets. `RpcServer` waits for the acknowledgement of each chunk. Calls count in the rate window,
 * as over HTTP (`SocketFrames.ts`). Access is checked when the socket opens, for each call, and every second.
 */
export const makeSockets = Effect.gen(function* () {
  const { authenticate } = yield* makeAuthenticator
  const handleFrames = yield* makeFrameHandler
  const sockets = new Map<number, OpenSocket>()
  let lastClient = 0
  const transport = { clients: sockets, send: makeSend(sockets), supportsAck: true }
  const { disconnect, write } = yield* serveGroup(ServedStreams, transport)
  yield* checkSockets(sockets)

  const connect = ({ requestId, ...tokens }: UpgradeRequest, principal: Principal, peer: Peer): FrameReceiver => {
    const clientId = ++lastClient
    const running: OpenSocket["running"] = new Map()
    sockets.set(clientId, { principal, peer, running })

    const onCall = Effect.fnUntraced(function* (call: RequestedCall, principal: Principal) {
      const { id, payload, tag } = call
      if (running.has(id)) return peer.close(INVALID, "A stream with this id exists")
      const reject = (error: BadRequest) => peer.send(failureLine(id, callErrorJson(error)))
      if (running.size >= MAX_STREAMS) return reject(TOO_MANY_STREAMS)
      if (!ServedStreams.requests.has(tag)) return reject(UNKNOWN_STREAM)
      if (Result.isFailure(payload)) return reject(payload.failure)
      const stores =
        principal._tag === "Merchant" ? storeIdsOf([call]).filter((store) => principal.roles[store] !== undefined) : []
      running.set(id, { stores, sentAt: undefined })
      yield* write(clientId, { _tag: "Request", id, tag, payload: payload.success, headers: [] }).pipe(
        Effect.provideService(CurrentPrincipal, principal),
        Effect.provideService(CallOrigin, { surface: "rpc", requestId })
      )
    })

    const onControl = Effect.fnUntraced(function* (control: Control) {
      const stream = "requestId" in control ? running.get(control.requestId) : undefined
      if (control._tag === "Ack" && stream?.sentAt !== undefined) {
        stream.sentAt = undefined
        return yield* write(clientId, control)
      }
      peer.countControl()
      if (control._tag === "Ping") peer.send(PONG)
      else if (control._tag === "Interrupt" && stream !== undefined) yield* write(clientId, control)
    })

    const frames = handleFrames({
      admit: (stores, count) => authenticate(tokens, stores, count),
      onCall,
      onControl,
      peer,
      requestId
    })
    return {
      receive: frames.receive,
      end: () => {
        frames.end()
        sockets.delete(clientId)
        disconnect(clientId)
      }
    }
  }

  /** Admits a client to open a socket. */
  return (request: UpgradeRequest): Effect.Effect<SocketClient, NotAdmitted> =>
    Effect.flatMap(authenticate(request, [], 1), (caller) =>
      Effect.map(admittedPrincipal(caller, 0), (principal) => ({
        id: principal.id,
        connect: (peer) => connect(request, principal, peer)
      }))
    )
})
