import { Effect, Option, Predicate, Schedule, Schema, type Scope, Stream } from "effect"
import { RpcClient, RpcClientError, RpcSerialization } from "effect/rpc"
import type { FromClientEncoded, FromServerEncoded } from "effect/rpc/RpcMessage"
import type { EventId } from "../../domain/Events.ts"
import type { Changed, ChangesGone, ChangeStreamItem, TooManyFollowers } from "../../domain/journal/Changes.ts"
import { type RateLimitExceeded, WINDOW_SECONDS } from "../../domain/RateLimit.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Streams } from "../groups/Changes.ts"
import type { CallError } from "../Authentication.ts"
import { isResponseMessage, makeRequestIds } from "./Messages.ts"

/** What is needed of a WebSocket: those of browsers, of Node from version 22 on and of the package `ws` have it. */
export interface SocketLike {
  /** 1 while it is open; in any other state nothing is sent. */
  readonly readyState: number
  addEventListener(type: "open" | "message" | "error" | "close", heard: (event: object) => void): void
  send(text: string): void
  close(): void
}

/** Which changes are followed. */
export interface FollowOptions {
  readonly storeId: StoreId
  /** The id of the last change that was seen: what came behind it is told first. Left out, it begins now. */
  readonly after?: EventId
  /** Called once, when it begins: what is read before may lack what happened until then, and is to be read again. */
  readonly onFollowing?: () => void
}

/** Why changes are no longer followed. All else is tried again. */
export type ChangeStreamError = CallError | ChangesGone | TooManyFollowers

/** How long it is waited for a socket to open, and for anything to come over one that is open. */
const OPENING = "15 seconds"
const SILENCE = 30_000

/** Close code of a socket whose holder is refused, as for too many frames, and how long is waited then before another. */
const REFUSED = 1008
const REFUSED_PAUSE = "5 seconds"

/** How often the service is asked for a sign of life. */
const ASKING = "10 seconds"

const failed = (message: string, cause?: unknown) =>
  new RpcClientError.RpcClientError({ reason: new RpcClientError.RpcClientDefect({ message, cause }) })

const decodeEvent = Schema.decodeUnknownOption(Schema.Struct({ data: Schema.fromJsonString(Schema.Unknown) }))

/** Where sockets are opened, of the URL that calls are sent to: relative to the page, where there is one. */
const socketUrl = (url: string): string => {
  const page = Predicate.hasProperty(globalThis, "location") ? globalThis.location : undefined
  const base = Predicate.hasProperty(page, "href") ? String(page.href) : undefined
  return new URL(url, base).href.replace(/^http/, "ws")
}

/** The platform's own. */
const platformSocket = (url: string): SocketLike => new globalThis.WebSocket(url)

/** The state of a socket that is open (WHATWG, WebSockets, section 3.1). */
const OPEN = 1

/** One that closes takes nothing more, which browsers complain of; what is under way hears that it is closed. */
const sendOver = (socket: SocketLike, text: string) => {
  if (socket.readyState === OPEN) socket.send(text)
}

/** A socket that is open, until the scope ends. */
const opened = (open: () => SocketLike): Effect.Effect<SocketLike, RpcClientError.RpcClientError, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(open), (socket) => Effect.sync(() => socket.close())).pipe(
    Effect.tap((socket) =>
      Effect.callback<void, RpcClientError.RpcClientError>((resume) => {
        const refused = () => resume(failed("A socket cannot be opened"))
        socket.addEventListener("open", () => resume(Effect.void))
        socket.addEventListener("error", refused)
        socket.addEventListener("close", refused)
      })
    ),
    Effect.timeoutOrElse({ duration: OPENING, orElse: () => Effect.fail(failed("A socket was not opened in time")) })
  )

const textOf = (message: FromClientEncoded) => {
  if (message._tag !== "Request") return JSON.stringify(message)
  const { _tag, id, payload, tag } = message
  return JSON.stringify({ _tag, id, tag, payload })
}

/** The library's messages over a socket, each a frame. A socket that ends, or is silent for long, fails what is under way. */
const protocolOver = (socket: SocketLike) =>
  RpcClient.Protocol.make(
    Effect.fnUntraced(function* (write, clientIds) {
      const runFork = Effect.runForkWith(yield* Effect.context())
      let heard = Date.now()
      const tell = (message: FromServerEncoded) => {
        for (const clientId of clientIds) runFork(write(clientId, message))
      }
      const fail = (message: string, cause?: unknown) =>
        tell({ _tag: "ClientProtocolError", error: failed(message, cause) })
      socket.addEventListener("message", (event) => {
        heard = Date.now()
        const given = decodeEvent(event)
        if (Option.isSome(given) && isResponseMessage(given.value.data)) tell(given.value.data)
      })
      socket.addEventListener("close", (event) =>
        fail("The socket was closed", Predicate.hasProperty(event, "code") ? event.code : undefined)
      )
      const ask = Effect.sync(() => {
        if (Date.now() - heard > SILENCE) fail("Nothing comes over the socket")
        else sendOver(socket, '{"_tag":"Ping"}')
      })
      yield* Effect.forkScoped(Effect.forever(Effect.delay(ask, ASKING)))
      const send = (_: number, message: FromClientEncoded) => Effect.sync(() => sendOver(socket, textOf(message)))
      return { send, supportsAck: true, supportsTransferables: false, codecFor: RpcSerialization.ndjson.codecFor }
    })
  )

/** Follows over a socket of its own, until that ends. */
const once = (open: () => SocketLike, followed: Pick<FollowOptions, "after" | "storeId">) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const protocol = yield* protocolOver(yield* opened(open))
      const client = yield* Effect.provideService(
        RpcClient.make(Streams, { disableTracing: true, generateRequestId: makeRequestIds() }),
        RpcClient.Protocol,
        protocol
      )
      return client["changes.follow"](followed)
    })
  )

const TRANSIENT = ["RpcClientError", "RateLimitExceeded", "ServiceUnavailable", "InternalError", "StoreBusy"] as const

type Failed = ChangeStreamError | RpcClientError.RpcClientError
type Transient = Extract<Failed, { readonly _tag: (typeof TRANSIENT)[number] }>

const isTransient = (error: Failed): error is Transient => TRANSIENT.some((tag) => tag === error._tag)

/** Until a window that is full takes another call. */
const windowOpen = ({ retryAfter = WINDOW_SECONDS }: RateLimitExceeded) => Effect.sleep(`${retryAfter} seconds`)

/** Fails again, later where the service refused the socket. */
const afterPause = (error: RpcClientError.RpcClientError) =>
  error.reason._tag === "RpcClientDefect" && error.reason.cause === REFUSED
    ? Effect.delay(Effect.fail(error), REFUSED_PAUSE)
    : Effect.fail(error)

/** Soon at first, and then each 15 seconds or so, at other times than others do. */
const AGAIN = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("15 seconds")]).pipe(
  Schedule.jittered,
  Schedule.setInputType<Failed>(),
  Schedule.while(({ input }) => isTransient(input))
)

/**
 * Follows a store. What breaks off is begun again behind the last change that was told, so that none is missed and none
 * comes twice. A browser does not tell why a socket was refused: `ask` finds out whether who follows still may.
 */
export const makeChangeStream =
  (
    url: string,
    open: (url: string) => SocketLike = platformSocket,
    ask: (store: StoreId) => Effect.Effect<unknown, CallError | RpcClientError.RpcClientError>
  ) =>
  ({ after, onFollowing = () => {}, storeId }: FollowOptions): Stream.Stream<Changed, ChangeStreamError> =>
    Stream.suspend(() => {
      let last = after
      let isFollowing = false
      const told: Stream.Stream<ChangeStreamItem, Failed> = Stream.suspend(() =>
        once(() => open(socketUrl(url)), last === undefined ? { storeId } : { storeId, after: last })
      )
      return told.pipe(
        Stream.map((one) => {
          last = one._tag === "Following" ? one.after : one.id
          if (!isFollowing) onFollowing()
          isFollowing = true
          return one
        }),
        Stream.catchTag("RpcClientError", (error) =>
          Stream.fromEffect(Effect.andThen(ask(storeId), afterPause(error)))
        ),
        Stream.catchTag("RateLimitExceeded", (error) =>
          Stream.fromEffect(Effect.andThen(windowOpen(error), Effect.fail(error)))
        ),
        Stream.retry(AGAIN),
        Stream.filter((one) => one._tag === "Changed"),
        Stream.catch((error) => (isTransient(error) ? Stream.die(error) : Stream.fail(error)))
      )
    })
