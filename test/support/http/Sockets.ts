import { Deferred, Effect, Queue, Schema } from "effect"
import type { IncomingMessage } from "node:http"
import { type ClientOptions, WebSocket } from "ws"
import { baseUrl } from "./Api.ts"
import { followerAt } from "../rpc/Follower.ts"

export const followerOf = (cookie: string, onOpen?: (socket: WebSocket) => void) =>
  Effect.flatMap(baseUrl, (base) => followerAt(base, cookie, onOpen))

/** Close code and reason of a socket. */
export interface Closed {
  readonly code: number
  readonly reason: string
}

const decodeFrame = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/**
 * Opens a socket whose frames the test reads and writes itself. Returns the HTTP response if the upgrade is refused.
 */
export const openSocket = Effect.fn(function* (options: ClientOptions = {}, path = "/rpc", base?: string) {
  const url = `${(base ?? (yield* baseUrl)).replace("http", "ws")}${path}`
  const frames = yield* Queue.unbounded<Readonly<Record<string, unknown>>>()
  const closed = yield* Deferred.make<Closed>()
  const refused = yield* Deferred.make<{
    readonly status: number | undefined
    readonly retryAfter: string | undefined
    readonly text: string
  }>()
  const opened = yield* Deferred.make<void>()
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => new WebSocket(url, options)),
    (socket) => Effect.sync(() => socket.terminate())
  )
  const answered = (_: unknown, response: IncomingMessage) => {
    let text = ""
    response.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk))
    response.on("end", () =>
      Deferred.doneUnsafe(
        refused,
        Effect.succeed({ status: response.statusCode, retryAfter: response.headers["retry-after"], text })
      )
    )
  }
  socket.on("unexpected-response", answered)
  socket.on("error", () => {})
  socket.on("open", () => Deferred.doneUnsafe(opened, Effect.void))
  socket.on("message", (data) => void Queue.offerUnsafe(frames, decodeFrame(String(data))))
  socket.on("close", (code, reason) => Deferred.doneUnsafe(closed, Effect.succeed({ code, reason: String(reason) })))
  const refusal = yield* Effect.raceFirst(Effect.as(Deferred.await(opened), undefined), Deferred.await(refused))
  return {
    socket,
    refusal,
    closed: Deferred.await(closed),
    /** Waits for the next frame. */
    next: Queue.take(frames),
    send: (frame: unknown) => Effect.sync(() => socket.send(JSON.stringify(frame)))
  }
})

/** Frame that starts a `changes` stream. */
export const followFrame = (payload: unknown, id = "1", rest: object = {}) => ({
  _tag: "Request",
  id,
  tag: "changes.follow",
  payload,
  ...rest
})
