import { Effect, Option, Queue, Result, Schema } from "effect"
import type { NotSignedIn } from "../../domain/access/Sessions.ts"
import type { InvalidToken } from "../../domain/access/Tokens.ts"
import { MERCHANT_CALLS } from "../../domain/RateLimit.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { type CallError } from "../Authentication.ts"
import { CallOrigin, type Principal } from "../Principal.ts"
import { type AdmittedCaller, admittedPrincipal } from "./Authenticator.ts"
import { maskDefects, callErrorJson } from "./ErrorMasking.ts"
import { parseCall, failureLine, MAX_CALLS, type RequestedCall, storeIdsOf } from "./Messages.ts"

/** Maximum number of queued frames of a socket: the size of a merchant's rate window. */
export const MAX_QUEUED = MERCHANT_CALLS

/** Number of rejected calls before a socket is closed, which limits clients that ignore errors. */
export const MAX_REFUSED = 16

/** Close codes of WebSockets (RFC 6455, section 7.4.1). */
export const INVALID = 1007
export const REFUSED = 1008

/** The other end of a socket. */
export interface Peer {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Stops reading, so that TCP backpressure holds the frames of the client. */
  readonly pause: () => void
  readonly resume: () => void
  /** Counts a control message. Closes the socket if there are too many. */
  readonly countControl: () => void
}

/** Receives the frames of a socket. */
export interface FrameReceiver {
  readonly receive: (text: string) => void
  readonly end: () => void
}

/** Messages that start no call. */
const Control = Schema.Union([
  Schema.Struct({ _tag: Schema.Literals(["Ack", "Interrupt"]), requestId: Schema.String }),
  Schema.Struct({ _tag: Schema.Literals(["Ping", "Eof"]) })
])
export type Control = typeof Control.Type
const decodeControl = Schema.decodeOption(Schema.fromJsonString(Control))

/** A parsed frame. */
type Frame =
  | { readonly _tag: "Control"; readonly control: Control }
  | { readonly _tag: "Call"; readonly call: RequestedCall }
  | { readonly _tag: "Invalid" }

const parseFrame = (text: string): Frame =>
  Option.match(decodeControl(text), {
    onSome: (control) => ({ _tag: "Control", control }),
    onNone: () =>
      Result.match(parseCall(text), {
        onFailure: () => ({ _tag: "Invalid" }),
        onSuccess: (call) => ({ _tag: "Call", call })
      })
  })

/** Callbacks for the frames of one socket. */
interface FrameHandlerOptions {
  readonly peer: Peer
  readonly requestId: string
  /** Authenticates the caller and counts calls in the rate window. */
  readonly admit: (
    stores: ReadonlyArray<StoreId>,
    count: number
  ) => Effect.Effect<AdmittedCaller, NotSignedIn | InvalidToken | StoreNotFound>
  /** Starts an admitted call. */
  readonly onCall: (call: RequestedCall, principal: Principal) => Effect.Effect<void>
  readonly onControl: (control: Control) => Effect.Effect<void>
}

/**
 * Handles the frames of sockets in order. Each frame except a control message counts in the rate window, even if invalid.
 * Queued frames are admitted in one statement. While many are queued, the socket is not read.
 */
export const makeFrameHandler = Effect.map(Effect.context<never>(), (runtime) => {
  const runFork = Effect.runForkWith(runtime)
  return ({ admit, onCall, onControl, peer, requestId }: FrameHandlerOptions): FrameReceiver => {
    let isEnded = false
    let refusals = 0

    /** Closes the socket and stops reading. */
    const closeUnread = (reason: string) => {
      peer.pause()
      peer.close(REFUSED, reason)
    }

    const rejectCall = ({ id }: RequestedCall, error: CallError) => {
      if (refusals++ < MAX_REFUSED) peer.send(failureLine(id, callErrorJson(error)))
      else closeUnread(`${MAX_REFUSED} calls were rejected. Wait for retryAfter of the last error`)
    }

    /** Admits the calls of a batch in one statement and handles its frames in order. An invalid frame counts as a call. */
    const handle = Effect.fnUntraced(function* (frames: ReadonlyArray<Frame>) {
      const counted = frames.filter(({ _tag }) => _tag !== "Control")
      const calls = frames.flatMap((frame) => (frame._tag === "Call" ? [frame.call] : []))
      const admission =
        counted.length === 0 ? undefined : yield* Effect.exit(maskDefects(admit(storeIdsOf(calls), counted.length)))
      for (const frame of frames) {
        if (isEnded) return
        if (frame._tag === "Control") yield* onControl(frame.control)
        else if (frame._tag === "Invalid") peer.close(INVALID, "A frame must be a message of effect/rpc as JSON")
        else if (admission !== undefined) {
          const index = counted.indexOf(frame)
          const principal = yield* Effect.result(
            Effect.flatMap(admission, (caller) => admittedPrincipal(caller, index))
          )
          if (Result.isFailure(principal)) rejectCall(frame.call, principal.failure)
          else yield* onCall(frame.call, principal.success)
        }
      }
    })

    const frames = Effect.runSync(Queue.dropping<string>(MAX_QUEUED))
    let queued = 0
    const handling = runFork(
      Queue.takeBetween(frames, 1, MAX_CALLS).pipe(
        Effect.flatMap((texts) => {
          queued -= texts.length
          return handle(texts.map(parseFrame))
        }),
        Effect.andThen(
          Effect.sync(() => {
            if (queued < MAX_CALLS && !isEnded) peer.resume()
          })
        ),
        Effect.forever,
        Effect.provideService(CallOrigin, { surface: "rpc", requestId })
      )
    )

    return {
      receive: (text) => {
        if (!Queue.offerUnsafe(frames, text)) closeUnread(`More than ${MAX_QUEUED} frames are queued`)
        else if (++queued >= MAX_CALLS) peer.pause()
      },
      end: () => {
        isEnded = true
        handling.interruptUnsafe()
      }
    }
  }
})
