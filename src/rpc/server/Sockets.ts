import { Clock, Effect, Result, Schedule } from "effect"
import type { FromServerEncoded } from "effect/rpc/RpcMessage"
import { Agents } from "../../domain/access/Agents.ts"
import { type NotSignedIn, Sessions } from "../../domain/access/Sessions.ts"
import type { InvalidToken } from "../../domain/access/Tokens.ts"
import { BadRequest } from "../../domain/BadRequest.ts"
import { stringify } from "../../domain/Json.ts"
import type { RateLimitExceeded } from "../../domain/RateLimit.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { CallOrigin, CurrentPrincipal, type Principal } from "../Principal.ts"
import { type Control, type Conversation, INVALID, makeFrames, type Peer, REFUSED } from "./Frames.ts"
import { makeIdentify, principalAt, type Tokens } from "./Identify.ts"
import { failEncoded, refusalJson } from "./MaskedDefects.ts"
import { exitLine, failureLine, type RequestedCall, storesOf } from "./Messages.ts"
import { serveGroup } from "./Protocol.ts"
import { ServedStreams } from "./ServedRpcs.ts"

/** Streams of one socket at once. */
export const MAX_STREAMS = 8

/** Milliseconds in which a client acknowledges a chunk, before its socket is closed. */
const ACK_TIMEOUT = 30_000

/** Interval of the checks that holders may keep their sockets, and that clients acknowledge chunks. */
const CHECK_INTERVAL = "1 second"

/** A principal who may hold a socket. */
export interface Guest {
  /** Identifies the principal whose sockets are counted. */
  readonly id: string
  readonly converse: (peer: Peer) => Conversation
}

/** A request to open a socket. */
interface Sent extends Tokens {
  readonly requestId: string
}

type NotAdmitted = NotSignedIn | InvalidToken | StoreNotFound | RateLimitExceeded

/** A stream under way. */
interface Running {
  /** The stores whose changes a merchant follows. */
  readonly stores: ReadonlyArray<StoreId>
  /** Time of the chunk that the client has not acknowledged yet. */
  sentAt: number | undefined
}

/** A socket that is open. */
interface Open {
  readonly holder: Principal
  readonly peer: Peer
  readonly running: Map<string, Running>
}

const NO_STREAM = new BadRequest({ reason: "There is no such stream; calls are sent with POST" })
const TOO_MANY = new BadRequest({ reason: `A socket has at most ${MAX_STREAMS} streams at once; open another` })

const PONG = '{"_tag":"Pong"}'

const storesIn = ({ running }: Open) => [...running.values()].flatMap(({ stores }) => stores)

/** Closes the sockets of those who may no longer hold one: their session has ended, or an agent was revoked. */
const makeHolderCheck = (sockets: ReadonlyMap<number, Open>) =>
  Effect.gen(function* () {
    const agents = yield* Agents
    const sessions = yield* Sessions
    const check = Effect.gen(function* () {
      const open = [...sockets.values()]
      const byMerchants = open.flatMap((one) =>
        one.holder._tag === "Merchant"
          ? [{ peer: one.peer, merchantId: one.holder.id, sessionId: one.holder.sessionId, stores: storesIn(one) }]
          : []
      )
      const byAgents = open.flatMap(({ holder, peer }) => (holder._tag === "Agent" ? [{ peer, ...holder }] : []))
      const ended = byMerchants.length === 0 ? [] : yield* sessions.ended(byMerchants)
      const revoked = byAgents.length === 0 ? [] : yield* agents.ended(byAgents)
      const gone = [...ended.map((place) => byMerchants[place]), ...revoked.map((place) => byAgents[place])]
      for (const one of gone) one?.peer.close(REFUSED, "Who opened the socket may no longer hold it")
    })
    // Logs an outage once.
    return Effect.catchCause(check, (cause) =>
      Effect.andThen(
        Effect.logWarning("Whether sessions have ended cannot be looked at", cause),
        Effect.retry(Effect.delay(Effect.sandbox(check), CHECK_INTERVAL), Schedule.forever)
      )
    )
  })

/** Closes the sockets of clients that do not acknowledge chunks. */
const closeUnacknowledged = (sockets: ReadonlyMap<number, Open>) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    for (const { peer, running } of sockets.values()) {
      const isLate = [...running.values()].some(({ sentAt = now }) => now - sentAt > ACK_TIMEOUT)
      if (isLate) peer.close(REFUSED, "What was sent was not taken")
    }
  })

/** Sends the messages of the server as frames. */
const makeSend = (sockets: ReadonlyMap<number, Open>) =>
  Effect.fnUntraced(function* (clientId: number, message: FromServerEncoded) {
    const socket = sockets.get(clientId)
    if (socket === undefined) return
    const { peer, running } = socket
    if (message._tag === "Chunk") {
      const stream = running.get(String(message.requestId))
      if (stream !== undefined) stream.sentAt = yield* Clock.currentTimeMillis
      peer.send(stringify(message))
    } else if (message._tag === "Exit") {
      const { exit } = message
      const requestId = String(message.requestId)
      running.delete(requestId)
      // A stream that its client interrupted ends without a message.
      if (exit._tag === "Failure" && exit.cause.every(({ _tag }) => _tag === "Interrupt")) return
      yield* Effect.match(exit._tag === "Success" ? Effect.void : failEncoded(exit.cause), {
        onFailure: (error) => peer.send(failureLine(requestId, error)),
        onSuccess: () => peer.send(exitLine(requestId, stringify(exit)))
      })
    }
  })

/**
 * Serves streams over sockets with the library's server, which waits for the acknowledgement of each chunk. Each frame
 * that asks for something is a call of its sender's window, as over HTTP (`Frames.ts`). The holder of a socket is checked
 * when it is opened, for each call, and every second.
 */
export const makeSockets = Effect.gen(function* () {
  const { caller } = yield* makeIdentify
  const handleFrames = yield* makeFrames
  const sockets = new Map<number, Open>()
  let lastClient = 0
  const transport = { clients: sockets, send: makeSend(sockets), supportsAck: true }
  const { disconnect, write } = yield* serveGroup(ServedStreams, transport)
  const checkHolders = yield* makeHolderCheck(sockets)
  for (const check of [checkHolders, closeUnacknowledged(sockets)]) {
    yield* Effect.forkScoped(Effect.repeat(check, Schedule.spaced(CHECK_INTERVAL)))
  }

  const converse = ({ requestId, ...tokens }: Sent, holder: Principal, peer: Peer): Conversation => {
    const clientId = ++lastClient
    const running: Open["running"] = new Map()
    sockets.set(clientId, { holder, peer, running })

    const begin = Effect.fnUntraced(function* (call: RequestedCall, principal: Principal) {
      const { id, payload, tag } = call
      if (running.has(id)) return peer.close(INVALID, "There is a stream with this id already")
      const refuse = (error: BadRequest) => peer.send(failureLine(id, refusalJson(error)))
      if (running.size >= MAX_STREAMS) return refuse(TOO_MANY)
      if (!ServedStreams.requests.has(tag)) return refuse(NO_STREAM)
      if (Result.isFailure(payload)) return refuse(payload.failure)
      const stores =
        principal._tag === "Merchant" ? storesOf([call]).filter((store) => principal.roles[store] !== undefined) : []
      running.set(id, { stores, sentAt: undefined })
      yield* write(clientId, { _tag: "Request", id, tag, payload: payload.success, headers: [] }).pipe(
        Effect.provideService(CurrentPrincipal, principal),
        Effect.provideService(CallOrigin, { surface: "rpc", requestId })
      )
    })

    const heed = Effect.fnUntraced(function* (control: Control) {
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
      admit: (stores, count) => caller(tokens, stores, count),
      begin,
      heed,
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

  /** Admits the sender of a request to a socket. */
  return (sent: Sent): Effect.Effect<Guest, NotAdmitted> =>
    Effect.flatMap(caller(sent, [], 1), (known) =>
      Effect.map(principalAt(known, 0), (principal) => ({
        id: principal.id,
        converse: (peer) => converse(sent, principal, peer)
      }))
    )
})
