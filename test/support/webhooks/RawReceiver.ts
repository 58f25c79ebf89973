import { Effect } from "effect"
import { createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import type { Attempt } from "../../../src/layers/webhooks/Outgoing.ts"
import { makeOutgoing, type OutgoingOptions } from "../../../src/layers/webhooks/Outgoing.ts"
import { portOf } from "./Receiver.ts"

/** What a receiver of webhooks has seen. */
export interface Seen {
  readonly port: number
  /** `http://127.0.0.1:<port>/hook` */
  readonly url: string
  /** Each request in full, as it came over the wire. */
  readonly requests: Array<string>
  /** Every connection that was accepted. */
  readonly sockets: Array<Socket>
}

/** How a receiver answers: called with each request that is complete, and how many there were before it. */
export type Answer = (socket: Socket, earlier: number, request: string) => void

export interface ReceiverOptions {
  readonly host?: string
  /** Certificate and key: the receiver speaks TLS. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Called with each connection before anything came over it. */
  readonly onConnection?: (socket: Socket) => void
}

/** Bytes of the first whole request in `text`; 0 as long as it is not whole. */
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

/** A server of the test's own on a free port, down to the bytes: good answers, bad ones, and none. */
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

/** Answers with these bytes. */
export const saying =
  (...lines: ReadonlyArray<string>): Answer =>
  (socket) =>
    void socket.write(lines.join("\r\n"))

/** A plain good answer. */
export const ok = saying("HTTP/1.1 200 OK", "content-length: 2", "", "ok")

/** Waits until `isTrue`, for five seconds at most. */
export const until = (isTrue: () => boolean, left = 500): Effect.Effect<boolean> =>
  Effect.suspend(() =>
    isTrue() || left === 0
      ? Effect.succeed(isTrue())
      : Effect.andThen(Effect.sleep("10 millis"), until(isTrue, left - 1))
  )

/** A sender that may call 127.0.0.1 and localhost. */
export const sender = (options: Partial<OutgoingOptions> = {}) =>
  Effect.map(
    makeOutgoing({ allowed: new Set(["127.0.0.1", "localhost"]), ...options }),
    ({ post }) =>
      (url: string, body = '{"a":1}') =>
        post({ url, headers: { "content-type": "application/json" }, body })
  )

export const textOf = ({ answer }: Attempt) => new TextDecoder().decode(answer)

/** A request in parts: its headers sorted, with lower-case names. */
export const partsOf = (request = "") => {
  const [head = "", body] = request.split("\r\n\r\n")
  const [start, ...headers] = head.split("\r\n")
  return {
    start,
    headers: headers.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())).toSorted(),
    body
  }
}
