import {
  Chunk,
  Deferred,
  Effect,
  Either,
  type Fiber,
  FiberId,
  Option,
  Queue,
  Runtime,
  Schedule,
  Schema,
  Stream
} from "effect"
import { Agents } from "../../domain/access/Agents.ts"
import { type NotSignedIn, Sessions } from "../../domain/access/Sessions.ts"
import type { InvalidToken } from "../../domain/access/Tokens.ts"
import { BadRequest } from "../../domain/BadRequest.ts"
import type { JsonText } from "../../domain/Document.ts"
import { MERCHANT_CALLS, type RateLimitExceeded } from "../../domain/RateLimit.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { CurrentPrincipal, type Principal } from "../Principal.ts"
import { exitOf, failed, storesOf } from "./Calls.ts"
import { type Call, callOf, MAX_CALLS } from "./Envelope.ts"
import { makeIdentify, principalAt, type Tokens } from "./Identify.ts"
import { refuse, settled } from "./Settled.ts"
import type { Streaming } from "./Streams.ts"

/** Streams of one socket at once. */
export const MAX_STREAMS = 8

/** Frames of one socket that wait for their admission: as many as the window of a merchant takes. */
export const MAX_QUEUED = MERCHANT_CALLS

/** Calls of one socket that are refused before it is closed, so that a client that ignores refusals costs no more of them. */
export const MAX_REFUSED = 16

/** How long a stream waits until what it sent last was taken, before its client is let go of. */
const PATIENCE = "30 seconds"

/** How often it is looked whether those who hold sockets may still. */
const EVERY = "1 second"

/** Close codes of WebSockets (RFC 6455, section 7.4.1). */
const INVALID = 1007
const REFUSED = 1008

/** The other end of a socket. */
interface Peer {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Stops reading, so that the client's frames wait on its side. */
  readonly pause: () => void
  readonly resume: () => void
  /** Counts a message that starts nothing, and closes the socket if there are too many. */
  readonly countControl: () => void
}

/** What is said over a socket. */
export interface Conversation {
  readonly receive: (text: string) => void
  readonly end: () => void
}

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

/** Messages that begin nothing. */
const Control = Schema.parseJson(
  Schema.Union(
    Schema.Struct({ _tag: Schema.Literal("Ack", "Interrupt"), requestId: Schema.String }),
    Schema.Struct({ _tag: Schema.Literal("Ping", "Eof") })
  )
)
const decodeControl = Schema.decodeOption(Control)

/** What a frame holds: a message that begins nothing, a call, or neither. */
type Frame =
  | { readonly _tag: "Control"; readonly control: typeof Control.Type }
  | { readonly _tag: "Call"; readonly call: Call }
  | { readonly _tag: "Invalid" }

const frameOf = (text: string): Frame =>
  Option.match(decodeControl(text), {
    onSome: (control) => ({ _tag: "Control", control }),
    onNone: () =>
      Either.match(callOf(text), {
        onLeft: () => ({ _tag: "Invalid" }),
        onRight: (call) => ({ _tag: "Call", call })
      })
  })

/** A stream under way. */
interface Running {
  /** The stores that it tells of, once it is known who asks. */
  stores: ReadonlyArray<StoreId>
  fiber: Fiber.RuntimeFiber<void> | undefined
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

const chunkOf = (id: string, values: Chunk.Chunk<JsonText>) =>
  `{"_tag":"Chunk","requestId":"${id}","values":[${Chunk.join(values, ",")}]}`

const interrupt = ({ fiber }: Running) => fiber?.unsafeInterruptAsFork(FiberId.none)

const storesIn = (running: Open["running"]) => [...running.values()].flatMap(({ stores }) => stores)

/** Sends some values, and waits until they were taken. */
const deliver = (values: Chunk.Chunk<JsonText>, id: string, one: Running, peer: Peer) =>
  Effect.suspend(() => {
    const taken = Deferred.unsafeMake<void>(FiberId.none)
    one.taken = taken
    peer.send(chunkOf(id, values))
    const letGo = Effect.zipRight(
      Effect.sync(() => peer.close(REFUSED, "What was sent was not taken")),
      Effect.interrupt
    )
    return Effect.flatten(
      Effect.timeoutTo(Deferred.await(taken), {
        duration: PATIENCE,
        onSuccess: () => Effect.void,
        onTimeout: () => letGo
      })
    )
  })

/** Sends what a stream tells, and how it ended. */
const tell = (values: Stream.Stream<JsonText, JsonText>, id: string, one: Running, peer: Peer, requestId: string) =>
  Effect.map(
    settled(
      Stream.runForEachChunk(values, (some) => deliver(some, id, one, peer)),
      requestId
    ),
    Either.match({
      onLeft: (error) => peer.send(failed(id, error)),
      onRight: () => peer.send(exitOf(id, '{"_tag":"Success"}'))
    })
  )

/**
 * Answers the messages of sockets as `@effect/rpc` has them, one a frame: streams, each from its definition. A stream goes
 * on when its client has taken what was sent last, so that little waits for it. Each frame that asks for something is a call
 * of its sender's window, as over HTTP. Who holds a socket is checked when it is opened, for each call, and every second: it
 * ends with the session, or with what an agent may do.
 */
export const makeSockets = (streams: ReadonlyArray<Streaming>) =>
  Effect.gen(function* () {
    const agents = yield* Agents
    const sessions = yield* Sessions
    const { caller } = yield* makeIdentify
    const runFork = Runtime.runFork(yield* Effect.runtime())
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
    const lookAgain = Effect.catchAllCause(look, (cause) =>
      Effect.zipRight(
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
          const json = yield* Effect.catchAll(call.payload, refuse)
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

      const heed = (control: typeof Control.Type) => {
        const one = "requestId" in control ? running.get(control.requestId) : undefined
        if (control._tag === "Ack" && one?.taken !== undefined) {
          Deferred.unsafeDone(one.taken, Effect.void)
          one.taken = undefined
          return
        }
        peer.countControl()
        if (control._tag === "Ping") peer.send(PONG)
        else if (control._tag === "Interrupt" && one !== undefined) interrupt(one)
      }

      let isEnded = false
      let refusals = 0

      /** Closes without reading what the client goes on to send. */
      const closeUnread = (reason: string) => {
        peer.pause()
        peer.close(REFUSED, reason)
      }

      const turnAway = (call: Call, error: JsonText) => {
        if (refusals++ < MAX_REFUSED) peer.send(failed(call.id, error))
        else closeUnread(`${MAX_REFUSED} calls were refused; wait for the retryAfter of the last one`)
      }

      /** Admits the calls of some frames at once, and handles the frames in their order. An invalid frame is a call, too. */
      const handle = Effect.fnUntraced(function* (frames: ReadonlyArray<Frame>) {
        const counted = frames.filter(({ _tag }) => _tag !== "Control")
        const calls = frames.flatMap((frame) => (frame._tag === "Call" ? [frame.call] : []))
        const known =
          counted.length === 0
            ? undefined
            : yield* settled(Effect.catchAll(caller(sent, storesOf(calls), counted.length), refuse), sent.requestId)
        for (const frame of frames) {
          if (isEnded) return
          if (frame._tag === "Control") heed(frame.control)
          else if (frame._tag === "Invalid") peer.close(INVALID, "A frame is a message of @effect/rpc as JSON")
          else if (known !== undefined) {
            const principal = yield* Effect.either(
              Effect.flatMap(known, (by) => Effect.catchAll(principalAt(by, counted.indexOf(frame)), refuse))
            )
            if (Either.isLeft(principal)) turnAway(frame.call, principal.left)
            else begin(frame.call, principal.right)
          }
        }
      })

      const frames = Effect.runSync(Queue.dropping<string>(MAX_QUEUED))
      let queued = 0
      const handling = runFork(
        Queue.takeBetween(frames, 1, MAX_CALLS).pipe(
          Effect.flatMap((texts) => {
            queued -= texts.length
            return handle(Chunk.toReadonlyArray(Chunk.map(texts, frameOf)))
          }),
          Effect.zipRight(
            Effect.sync(() => {
              if (queued < MAX_CALLS && !isEnded) peer.resume()
            })
          ),
          Effect.forever
        )
      )

      return {
        receive: (text) => {
          if (!frames.unsafeOffer(text)) closeUnread(`More than ${MAX_QUEUED} frames wait for their admission`)
          else if (++queued >= MAX_CALLS) peer.pause()
        },
        end: () => {
          isEnded = true
          sockets.delete(open)
          handling.unsafeInterruptAsFork(FiberId.none)
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
