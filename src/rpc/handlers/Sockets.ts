import { Deferred, Effect, type Fiber, Result, Schedule, Stream } from "effect"
import { Agents } from "../../domain/access/Agents.ts"
import { type NotSignedIn, Sessions } from "../../domain/access/Sessions.ts"
import type { InvalidToken } from "../../domain/access/Tokens.ts"
import { BadRequest } from "../../domain/BadRequest.ts"
import type { JsonText } from "../../domain/Document.ts"
import type { RateLimitExceeded } from "../../domain/RateLimit.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { CurrentPrincipal, type Principal } from "../Principal.ts"
import { exitOf, failed, storesOf } from "./Calls.ts"
import type { Call } from "./Envelope.ts"
import { type Control, type Conversation, INVALID, makeFrames, type Peer, REFUSED } from "./Frames.ts"
import { makeIdentify, principalAt, type Tokens } from "./Identify.ts"
import { refuse, settled } from "./Settled.ts"
import type { Streaming } from "./Streams.ts"

/** Streams of one socket at once. */
export const MAX_STREAMS = 8

/** How long a stream waits until what it sent last was taken, before its client is let go of. */
const PATIENCE = "30 seconds"

/** How often it is looked whether those who hold sockets may still. */
const EVERY = "1 second"

/** Who may hold a socket. */
export interface Guest {
  /** Whose sockets it is counted among. */
  readonly id: string
  readonly converse: (peer: Peer) => Conversation
}

/** Who says to open a socket. */
interface Sent extends Tokens {
  readonly requestId: string
}

type NotAdmitted = NotSignedIn | InvalidToken | StoreNotFound | RateLimitExceeded

/** A stream under way. */
interface Running {
  /** The stores that it tells of, once it is known who asks. */
  stores: ReadonlyArray<StoreId>
  fiber: Fiber.Fiber<void> | undefined
  /** Done when its client has taken what was sent last; none where nothing waits to be taken. */
  taken: Deferred.Deferred<void> | undefined
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

const chunkOf = (id: string, values: ReadonlyArray<JsonText>) =>
  `{"_tag":"Chunk","requestId":"${id}","values":[${values.join(",")}]}`

const interrupt = ({ fiber }: Running) => fiber?.interruptUnsafe()

const storesIn = (running: Open["running"]) => [...running.values()].flatMap(({ stores }) => stores)

/** Sends some values, and waits until they were taken. */
const deliver = (values: ReadonlyArray<JsonText>, id: string, one: Running, peer: Peer) =>
  Effect.suspend(() => {
    const taken = Deferred.makeUnsafe<void>()
    one.taken = taken
    peer.send(chunkOf(id, values))
    const letGo = Effect.andThen(
      Effect.sync(() => peer.close(REFUSED, "What was sent was not taken")),
      Effect.interrupt
    )
    return Effect.timeoutOrElse(Deferred.await(taken), { duration: PATIENCE, orElse: () => letGo })
  })

/** Sends what a stream tells, and how it ended. */
const tell = (values: Stream.Stream<JsonText, JsonText>, id: string, one: Running, peer: Peer, requestId: string) =>
  Effect.map(
    settled(
      Stream.runForEachArray(values, (some) => deliver(some, id, one, peer)),
      requestId
    ),
    Result.match({
      onFailure: (error) => peer.send(failed(id, error)),
      onSuccess: () => peer.send(exitOf(id, '{"_tag":"Success"}'))
    })
  )

/**
 * Answers the messages of sockets as `@effect/rpc` has them, one a frame: streams, each from its definition. A stream goes
 * on when its client has taken what was sent last, so that little waits for it. Each frame that asks for something is a call
 * of its sender's window, as over HTTP (`Frames.ts`). Who holds a socket is checked when it is opened, for each call, and every second: it
 * ends with the session, or with what an agent may do.
 */
export const makeSockets = (streams: ReadonlyArray<Streaming>) =>
  Effect.gen(function* () {
    const agents = yield* Agents
    const sessions = yield* Sessions
    const { caller } = yield* makeIdentify
    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    const handleFrames = yield* makeFrames
    const byTag = new Map(streams.map((stream) => [stream.tag, stream]))
    const sockets = new Set<Open>()

    const look = Effect.gen(function* () {
      const open = [...sockets]
      const byMerchants = open.flatMap(({ holder, peer, running }) =>
        holder._tag === "Merchant"
          ? [{ peer, merchantId: holder.id, sessionId: holder.sessionId, stores: storesIn(running) }]
          : []
      )
      const byAgents = open.flatMap(({ holder, peer }) => (holder._tag === "Agent" ? [{ peer, ...holder }] : []))
      const ended = byMerchants.length === 0 ? [] : yield* sessions.ended(byMerchants)
      const revoked = byAgents.length === 0 ? [] : yield* agents.ended(byAgents)
      const gone = [...ended.map((place) => byMerchants[place]), ...revoked.map((place) => byAgents[place])]
      for (const one of gone) one?.peer.close(REFUSED, "Who opened the socket may no longer hold it")
    })
    // An outage is told of once.
    const lookAgain = Effect.catchCause(look, (cause) =>
      Effect.andThen(
        Effect.logWarning("Whether sessions have ended cannot be looked at", cause),
        Effect.retry(Effect.delay(Effect.sandbox(look), EVERY), Schedule.forever)
      )
    )
    yield* Effect.forkScoped(Effect.repeat(lookAgain, Schedule.spaced(EVERY)))

    /** The values of a stream, in the name of who asked for it. */
    const valuesOf = (call: Call, principal: Principal, one: Running) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const stream = byTag.get(call.tag)
          if (stream === undefined) return yield* refuse(NO_STREAM)
          const json = yield* Effect.catch(Effect.fromResult(call.payload), refuse)
          if (principal._tag === "Merchant") {
            one.stores = storesOf([call]).filter((store) => principal.roles[store] !== undefined)
          }
          return Stream.provideService(stream.answer(json), CurrentPrincipal, principal)
        })
      )

    const converse = (sent: Sent, holder: Principal, peer: Peer): Conversation => {
      const running = new Map<string, Running>()
      const open = { holder, peer, running }
      sockets.add(open)

      const begin = (call: Call, principal: Principal) => {
        const { id } = call
        if (running.has(id)) return peer.close(INVALID, "There is a stream with this id already")
        const one: Running = { stores: [], fiber: undefined, taken: undefined }
        const values = running.size < MAX_STREAMS ? valuesOf(call, principal, one) : Stream.fromEffect(refuse(TOO_MANY))
        running.set(id, one)
        const work = tell(values, id, one, peer, sent.requestId)
        one.fiber = runFork(
          Effect.ensuring(
            work,
            Effect.sync(() => running.delete(id))
          )
        )
      }

      const heed = (control: Control) => {
        const one = "requestId" in control ? running.get(control.requestId) : undefined
        if (control._tag === "Ack" && one?.taken !== undefined) {
          Deferred.doneUnsafe(one.taken, Effect.void)
          one.taken = undefined
          return
        }
        peer.countControl()
        if (control._tag === "Ping") peer.send(PONG)
        else if (control._tag === "Interrupt" && one !== undefined) interrupt(one)
      }

      const { requestId } = sent
      const admitted = (stores: ReadonlyArray<StoreId>, count: number) => caller(sent, stores, count)
      const frames = handleFrames({ admit: admitted, begin, heed, peer, requestId })
      return {
        receive: frames.receive,
        end: () => {
          frames.end()
          sockets.delete(open)
          for (const one of running.values()) interrupt(one)
        }
      }
    }

    /** Who says to open a socket, if they may hold one. */
    return (sent: Sent): Effect.Effect<Guest, NotAdmitted> =>
      Effect.flatMap(caller(sent, [], 1), (known) =>
        Effect.map(principalAt(known, 0), (principal) => ({
          id: principal.id,
          converse: (peer) => converse(sent, principal, peer)
        }))
      )
  })
