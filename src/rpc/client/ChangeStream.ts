import { Effect, Option, Predicate, Schedule, Schema, type Scope, Stream } from "effect"
import { RpcClient, RpcClientError, RpcSerialization } from "effect/rpc"
import type { FromClientEncoded, FromServerEncoded } from "effect/rpc/RpcMessage"
import type { ChangeSet, ChangeSetId } from "../../domain/changeSets/ChangeSet.ts"
import type { ChangeSetNotFound } from "../../domain/changeSets/Refusals.ts"
import type { EventId } from "../../domain/Events.ts"
import type { Changed, ChangesGone, ChangeStreamItem, TooManyFollowers } from "../../domain/journal/Changes.ts"
import { type RateLimitExceeded, WINDOW_SECONDS } from "../../domain/RateLimit.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Streams } from "../groups/Changes.ts"
import type { CallError } from "../Authentication.ts"
import { isResponseMessage, makeRequestIds } from "./Messages.ts"

/** The used part of a WebSocket. Browsers, Node 22 and the package `ws` implement it. */
export interface SocketLike {
  /** 1 while the socket is open. Nothing is sent in other states. */
  readonly readyState: number
  addEventListener(type: "open" | "message" | "error" | "close", listener: (event: object) => void): void
  send(text: string): void
  close(): void
}

/** Selects the store and the start of a change stream. */
export interface FollowOptions {
  readonly storeId: StoreId
  /** Id of the last received change. Without it, the stream starts now. */
  readonly after?: EventId
  /** Called once when the stream starts. Reload data that was read before, because it can lack recent changes. */
  readonly onFollowing?: () => void
}

/** Errors that end a change stream. All others are retried. */
export type ChangeStreamError = CallError | ChangesGone | TooManyFollowers

/** Selects a change set. */
export interface FollowedSet {
  readonly storeId: StoreId
  readonly id: ChangeSetId
}

/** Errors that end the stream of a change set. All others are retried. */
export type ChangeSetStreamError = CallError | ChangeSetNotFound | TooManyFollowers

/** Timeouts for opening a socket, and in milliseconds for the next message of an open one. */
const OPEN_TIMEOUT = "15 seconds"
const MESSAGE_TIMEOUT = 30_000

/** Close code for policy violations, such as too many frames, and the pause before the next socket. */
const REFUSED = 1008
const REFUSED_PAUSE = "5 seconds"

/** Interval of pings. */
const PING_INTERVAL = "10 seconds"

const failed = (message: string, cause?: unknown) =>
  new RpcClientError.RpcClientError({ reason: new RpcClientError.RpcClientDefect({ message, cause }) })

const decodeEvent = Schema.decodeUnknownOption(Schema.Struct({ data: Schema.fromJsonString(Schema.Unknown) }))

/** Converts the URL of calls to that of sockets. A relative URL is resolved against the page. */
const socketUrl = (url: string): string => {
  const page = Predicate.hasProperty(globalThis, "location") ? globalThis.location : undefined
  const base = Predicate.hasProperty(page, "href") ? String(page.href) : undefined
  return new URL(url, base).href.replace(/^http/, "ws")
}

const platformSocket = (url: string): SocketLike => new globalThis.WebSocket(url)

/** `readyState` of an open socket (WHATWG WebSockets, section 3.1). */
const OPEN = 1

/** Sends only while the socket is open, because browsers log a warning otherwise. The close event fails calls in progress. */
const sendIfOpen = (socket: SocketLike, text: string) => {
  if (socket.readyState === OPEN) socket.send(text)
}

/** Opens a socket and closes it with the scope. */
const openSocket = (open: () => SocketLike): Effect.Effect<SocketLike, RpcClientError.RpcClientError, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(open), (socket) => Effect.sync(() => socket.close())).pipe(
    Effect.tap((socket) =>
      Effect.callback<void, RpcClientError.RpcClientError>((resume) => {
        const onFailure = () => resume(failed("The socket cannot be opened"))
        socket.addEventListener("open", () => resume(Effect.void))
        socket.addEventListener("error", onFailure)
        socket.addEventListener("close", onFailure)
      })
    ),
    Effect.timeoutOrElse({
      duration: OPEN_TIMEOUT,
      orElse: () => Effect.fail(failed("The socket did not open in time"))
    })
  )

const textOf = (message: FromClientEncoded) => {
  if (message._tag !== "Request") return JSON.stringify(message)
  const { _tag, id, payload, tag } = message
  return JSON.stringify({ _tag, id, tag, payload })
}

/** Sends each message of `RpcClient` as a frame. A socket that closes or stays silent fails the calls in progress. */
const protocolOver = (socket: SocketLike) =>
  RpcClient.Protocol.make(
    Effect.fnUntraced(function* (write, clientIds) {
      const runFork = Effect.runForkWith(yield* Effect.context())
      let lastMessageAt = Date.now()
      const receive = (message: FromServerEncoded) => {
        for (const clientId of clientIds) runFork(write(clientId, message))
      }
      const fail = (message: string, cause?: unknown) =>
        receive({ _tag: "ClientProtocolError", error: failed(message, cause) })
      socket.addEventListener("message", (event) => {
        lastMessageAt = Date.now()
        const decoded = decodeEvent(event)
        if (Option.isSome(decoded) && isResponseMessage(decoded.value.data)) receive(decoded.value.data)
      })
      socket.addEventListener("close", (event) =>
        fail("The socket was closed", Predicate.hasProperty(event, "code") ? event.code : undefined)
      )
      const ping = Effect.sync(() => {
        if (Date.now() - lastMessageAt > MESSAGE_TIMEOUT) fail("The socket is silent")
        else sendIfOpen(socket, '{"_tag":"Ping"}')
      })
      yield* Effect.forkScoped(Effect.forever(Effect.delay(ping, PING_INTERVAL)))
      const send = (_: number, message: FromClientEncoded) => Effect.sync(() => sendIfOpen(socket, textOf(message)))
      return { send, supportsAck: true, supportsTransferables: false, codecFor: RpcSerialization.ndjson.codecFor }
    })
  )

const makeStreams = RpcClient.make(Streams, { disableTracing: true, generateRequestId: makeRequestIds() })

/** Opens a socket and streams until it closes. */
const streamOnce = <A, E>(
  open: () => SocketLike,
  call: (client: Effect.Success<typeof makeStreams>) => Stream.Stream<A, E>
) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const protocol = yield* protocolOver(yield* openSocket(open))
      return call(yield* Effect.provideService(makeStreams, RpcClient.Protocol, protocol))
    })
  )

const TRANSIENT = ["RpcClientError", "RateLimitExceeded", "ServiceUnavailable", "InternalError", "StoreBusy"] as const

type Failed = ChangeStreamError | ChangeSetStreamError | RpcClientError.RpcClientError
type Transient = Extract<Failed, { readonly _tag: (typeof TRANSIENT)[number] }>

const isTransient = (error: Failed): error is Transient => TRANSIENT.some((tag) => tag === error._tag)

/** Waits until the rate window accepts another call. */
const waitForWindow = ({ retryAfter = WINDOW_SECONDS }: RateLimitExceeded) => Effect.sleep(`${retryAfter} seconds`)

/** Fails with the error, after a pause if the service closed the socket for a policy violation. */
const failAfterPause = (error: RpcClientError.RpcClientError) =>
  error.reason._tag === "RpcClientDefect" && error.reason.cause === REFUSED
    ? Effect.delay(Effect.fail(error), REFUSED_PAUSE)
    : Effect.fail(error)

/** Exponential backoff up to 15 seconds, with jitter against simultaneous reconnects. */
const RECONNECT = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("15 seconds")]).pipe(
  Schedule.jittered,
  Schedule.setInputType<Failed>(),
  Schedule.while(({ input }) => isTransient(input))
)

/**
 * Makes the streams of a client, which reconnect after a lost connection. Browsers hide why a socket was rejected;
 * `checkAccess` finds out if the caller still has access.
 */
export const makeStreamCalls = (
  url: string,
  open: (url: string) => SocketLike = platformSocket,
  checkAccess: (store: StoreId) => Effect.Effect<unknown, CallError | RpcClientError.RpcClientError>
) => {
  /** Repeats a stream after transient errors. The call is made again for each socket. */
  const reconnecting = <A>(
    storeId: StoreId,
    call: (client: Effect.Success<typeof makeStreams>) => Stream.Stream<A, Failed>
  ): Stream.Stream<A, Exclude<Failed, Transient>> =>
    Stream.suspend(() => streamOnce(() => open(socketUrl(url)), call)).pipe(
      Stream.catchTag("RpcClientError", (error) =>
        Stream.fromEffect(Effect.andThen(checkAccess(storeId), failAfterPause(error)))
      ),
      Stream.catchTag("RateLimitExceeded", (error) =>
        Stream.fromEffect(Effect.andThen(waitForWindow(error), Effect.fail(error)))
      ),
      Stream.retry(RECONNECT),
      Stream.catch((error) => (isTransient(error) ? Stream.die(error) : Stream.fail(error)))
    )

  return {
    /** Streams the changes of a store. A lost connection resumes after the last received change, so none is missed or repeated. */
    followChanges: ({
      after,
      onFollowing = () => {},
      storeId
    }: FollowOptions): Stream.Stream<Changed, ChangeStreamError> =>
      Stream.suspend(() => {
        let last = after
        let hasStarted = false
        const receive = (one: ChangeStreamItem) => {
          last = one._tag === "Following" ? one.after : one.id
          if (!hasStarted) onFollowing()
          hasStarted = true
          return one
        }
        return reconnecting(storeId, (client) =>
          Stream.map(client["changes.follow"](last === undefined ? { storeId } : { storeId, after: last }), receive)
        ).pipe(
          Stream.filter((one) => one._tag === "Changed"),
          Stream.catchTag("ChangeSetNotFound", Stream.die)
        )
      }),

    /** Streams a change set until it is settled. A new connection starts with its current state. */
    followChangeSet: (followed: FollowedSet): Stream.Stream<ChangeSet, ChangeSetStreamError> =>
      Stream.catchTag(
        reconnecting(followed.storeId, (client) => client["changeSets.follow"](followed)),
        "ChangesGone",
        Stream.die
      )
  }
}
