import { Effect } from "effect"
import { createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import type { Attempt } from "../../../src/layers/webhooks/Outgoing.ts"
import { makeOutgoing, type OutgoingOptions } from "../../../src/layers/webhooks/Outgoing.ts"
import { portOf } from "./Receiver.ts"

/** Observations of a receiver. */
export interface Seen {
  readonly port: number
  /** `http://127.0.0.1:<port>/hook` */
  readonly url: string
  /** All requests as received. */
  readonly requests: Array<string>
  /** All accepted connections. */
  readonly sockets: Array<Socket>
}

/** Responds to a complete request. `earlier` is the number of requests before it. */
export type Answer = (socket: Socket, earlier: number, request: string) => void

export interface ReceiverOptions {
  readonly host?: string
  /** Certificate and key for TLS. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Called with each new connection. */
  readonly onConnection?: (socket: Socket) => void
}

/** Length of the first complete request in `text` in bytes, or 0. */
const lengthOf = (text: string) => {
  const head = text.indexOf("\r\n\r\n") + 4
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1] ?? 0)
  return head > 3 && text.length >= head + length ? head + length : 0
}

const read = (seen: Seen, answer: Answer) => (socket: Socket) => {
  let text = ""
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1")
    for (let length = lengthOf(text); length > 0; length = lengthOf(text)) {
      const request = Buffer.from(text.slice(0, length), "latin1").toString()
      text = text.slice(length)
      answer(socket, seen.requests.push(request) - 1, request)
    }
  })
}

const listen = (server: Server, host: string) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, host, () => resume(Effect.succeed(portOf(server))))
    }),
    () => Effect.sync(() => server.close())
  )

/** A server on a free port that controls every byte of its responses. */
export const receiver = (answer: Answer, { host = "127.0.0.1", onConnection, tls }: ReceiverOptions = {}) =>
  Effect.gen(function* () {
    const server = tls === undefined ? createServer() : createTlsServer(tls)
    const port = yield* listen(server, host)
    const seen: Seen = { port, url: `http://127.0.0.1:${port}/hook`, requests: [], sockets: [] }
    server.on("connection", (socket: Socket) => {
      seen.sockets.push(socket)
      socket.on("error", () => undefined)
      onConnection?.(socket)
    })
    server.on(tls === undefined ? "connection" : "secureConnection", read(seen, answer))
    server.on("tlsClientError", () => undefined)
    yield* Effect.addFinalizer(() => Effect.sync(() => seen.sockets.forEach((socket) => socket.destroy())))
    return seen
  })

/** Responds with these lines. */
export const respondWith =
  (...lines: ReadonlyArray<string>): Answer =>
  (socket) =>
    void socket.write(lines.join("\r\n"))

/** Responds with 200. */
export const ok = respondWith("HTTP/1.1 200 OK", "content-length: 2", "", "ok")

/** Polls until `isTrue` returns true, for at most five seconds. */
export const pollUntil = (isTrue: () => boolean, left = 500): Effect.Effect<boolean> =>
  Effect.suspend(() =>
    isTrue() || left === 0
      ? Effect.succeed(isTrue())
      : Effect.andThen(Effect.sleep("10 millis"), pollUntil(isTrue, left - 1))
  )

/** A sender that may connect to 127.0.0.1 and localhost. */
export const sender = (options: Partial<OutgoingOptions> = {}) =>
  Effect.map(
    makeOutgoing({ allowed: new Set(["127.0.0.1", "localhost"]), ...options }),
    ({ post }) =>
      (url: string, body = '{"a":1}') =>
        post({ url, headers: { "content-type": "application/json" }, body })
  )

export const textOf = ({ answer }: Attempt) => new TextDecoder().decode(answer)

/** Splits a request into its parts, with sorted headers and lower-case names. */
export const partsOf = (request = "") => {
  const [head = "", body] = request.split("\r\n\r\n")
  const [start, ...headers] = head.split("\r\n")
  return {
    start,
    headers: headers.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())).toSorted(),
    body
  }
}
