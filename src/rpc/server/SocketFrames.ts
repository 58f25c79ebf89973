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

/** Frames of one socket that wait for their admission: as many as the window of a merchant takes. */
export const MAX_QUEUED = MERCHANT_CALLS

/** Calls of one socket that are refused before it is closed, so that a client that ignores refusals costs no more of them. */
export const MAX_REFUSED = 16

/** Close codes of WebSockets (RFC 6455, section 7.4.1). */
export const INVALID = 1007
export const REFUSED = 1008

/** The other end of a socket. */
export interface Peer {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Stops reading, so that the client's frames wait on its side. */
  readonly pause: () => void
  readonly resume: () => void
  /** Counts a message that starts nothing, and closes the socket if there are too many. */
  readonly countControl: () => void
}

/** The service's side of a socket. */
export interface FrameReceiver {
  readonly receive: (text: string) => void
  readonly end: () => void
}

/** Messages that begin nothing. */
const Control = Schema.Union([
  Schema.Struct({ _tag: Schema.Literals(["Ack", "Interrupt"]), requestId: Schema.String }),
  Schema.Struct({ _tag: Schema.Literals(["Ping", "Eof"]) })
])
export type Control = typeof Control.Type
const decodeControl = Schema.decodeOption(Schema.fromJsonString(Control))

/** A frame: a message that begins nothing, a call, or neither. */
type Frame =
  | { readonly _tag: "Control"; readonly control: Control }
  | { readonly _tag: "Call"; readonly call: RequestedCall }
  | { readonly _tag: "Invalid" }

const frameOf = (text: string): Frame =>
  Option.match(decodeControl(text), {
    onSome: (control) => ({ _tag: "Control", control }),
    onNone: () =>
      Result.match(parseCall(text), {
        onFailure: () => ({ _tag: "Invalid" }),
        onSuccess: (call) => ({ _tag: "Call", call })
      })
  })

/** The parts of one socket's handling that depend on who opened it. */
interface FrameHandlerOptions {
  readonly peer: Peer
  readonly requestId: string
  /** Identifies the sender, and counts so many calls in their window. */
  readonly admit: (
    stores: ReadonlyArray<StoreId>,
    count: number
  ) => Effect.Effect<AdmittedCaller, NotSignedIn | InvalidToken | StoreNotFound>
  /** Begins to answer a call that was admitted. */
  readonly begin: (call: RequestedCall, principal: Principal) => Effect.Effect<void>
  readonly heed: (control: Control) => Effect.Effect<void>
}

/**
 * Handles the frames of sockets. Each but a control message is a call of its sender's window, whatever it asks for and
 * whether it is valid. Those that wait are admitted together and in their order. While many wait, the socket is not read.
 */
export const makeFrameHandler = Effect.map(Effect.context<never>(), (runtime) => {
  const runFork = Effect.runForkWith(runtime)
  return ({ admit, begin, heed, peer, requestId }: FrameHandlerOptions): FrameReceiver => {
    let isEnded = false
    let refusals = 0

    /** Closes without reading what the client goes on to send. */
    const closeUnread = (reason: string) => {
      peer.pause()
      peer.close(REFUSED, reason)
    }

    const turnAway = ({ id }: RequestedCall, error: CallError) => {
      if (refusals++ < MAX_REFUSED) peer.send(failureLine(id, callErrorJson(error)))
      else closeUnread(`${MAX_REFUSED} calls were refused; wait for the retryAfter of the last one`)
    }

    /** Admits the calls of some frames at once, and handles the frames in their order. An invalid frame is a call, too. */
    const handle = Effect.fnUntraced(function* (frames: ReadonlyArray<Frame>) {
      const counted = frames.filter(({ _tag }) => _tag !== "Control")
      const calls = frames.flatMap((frame) => (frame._tag === "Call" ? [frame.call] : []))
      const known =
        counted.length === 0 ? undefined : yield* Effect.exit(maskDefects(admit(storeIdsOf(calls), counted.length)))
      for (const frame of frames) {
        if (isEnded) return
        if (frame._tag === "Control") yield* heed(frame.control)
        else if (frame._tag === "Invalid") peer.close(INVALID, "A frame is a message of @effect/rpc as JSON")
        else if (known !== undefined) {
          const place = counted.indexOf(frame)
          const principal = yield* Effect.result(Effect.flatMap(known, (by) => admittedPrincipal(by, place)))
          if (Result.isFailure(principal)) turnAway(frame.call, principal.failure)
          else yield* begin(frame.call, principal.success)
        }
      }
    })

    const frames = Effect.runSync(Queue.dropping<string>(MAX_QUEUED))
    let queued = 0
    const handling = runFork(
      Queue.takeBetween(frames, 1, MAX_CALLS).pipe(
        Effect.flatMap((texts) => {
          queued -= texts.length
          return handle(texts.map(frameOf))
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
        if (!Queue.offerUnsafe(frames, text)) closeUnread(`More than ${MAX_QUEUED} frames wait for their admission`)
        else if (++queued >= MAX_CALLS) peer.pause()
      },
      end: () => {
        isEnded = true
        handling.interruptUnsafe()
      }
    }
  }
})
