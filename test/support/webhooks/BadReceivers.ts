import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { bodyOf, portOf } from "./Receiver.ts"

/**
 * Behavior of a receiver, and the first segment of its URL. `elsewhere` is the target of redirects and expects no
 * request.
 */
export const KINDS = ["well", "slow", "fail", "hang", "drip", "reset", "redirect", "flood", "elsewhere"] as const
export type Kind = (typeof KINDS)[number]

const CHUNK = Buffer.alloc(65_536, "flood ")

/** Maximum delay of a slow receiver in milliseconds. */
const SLOW_MILLIS = 1000

/** Sends as many bytes of `length` as the client reads. */
const flood = (response: ServerResponse, length: number, sent: (bytes: number) => void) => {
  let left = length
  const more = () => {
    let isRoom = true
    while (left > 0 && isRoom && !response.destroyed) {
      isRoom = response.write(CHUNK)
      left -= CHUNK.length
      sent(CHUNK.length)
    }
    if (left === 0) response.end()
  }
  response.writeHead(200, { "content-length": length }).on("drain", more)
  more()
}

/** Sends one byte per second of a body that never completes in time. */
const drip = (response: ServerResponse) => {
  response.writeHead(200, { "content-length": 1000 })
  const dripping = setInterval(() => response.write("."), 1000)
  response.once("close", () => clearInterval(dripping))
}

/** Observations of one kind of receiver. */
export interface Seen {
  readonly requests: number
  /** Number of open requests. */
  readonly open: number
  /** Maximum number of open requests of one app since the last reset. */
  readonly most: number
}

export interface BadReceivers {
  /** Base of the webhook URLs of this kind. The last segment of a webhook URL identifies the app. */
  readonly urlOf: (kind: Kind) => string
  readonly seen: (kind: Kind) => Seen
  readonly forgetMost: () => void
  /** Bytes of floods that were written to sockets. */
  readonly flooded: () => number
}

type OnRequest = (kind: Kind, request: IncomingMessage, body: string) => void
const ignore: OnRequest = () => undefined

const kindOf = (url: string): Kind | undefined => KINDS.find((kind) => url.startsWith(`/${kind}/`))

/**
 * Receivers of all kinds on one port, for any number of apps. `onRequest` is called with each complete request. A flood has
 * `floodBytes`.
 */
export const badReceivers = Effect.fn(function* (onRequest: OnRequest = ignore, floodBytes = 2 ** 30) {
  const requests = new Map<Kind, number>()
  const open = new Map<string, number>()
  const most = new Map<string, number>()
  let flooded = 0

  const behave: Record<Kind, (response: ServerResponse, url: string) => void> = {
    well: (response) => response.writeHead(204).end(),
    slow: (response) => void setTimeout(() => response.writeHead(204).end(), Math.random() * SLOW_MILLIS),
    fail: (response) => response.writeHead(500).end("not today"),
    hang: () => undefined,
    drip,
    reset: (response) => response.req.socket.resetAndDestroy(),
    redirect: (response, url) => response.writeHead(307, { location: url.replace("redirect", "elsewhere") }).end(),
    flood: (response) => flood(response, floodBytes, (bytes) => (flooded += bytes)),
    elsewhere: (response) => response.writeHead(204).end()
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = "" } = request
    const kind = kindOf(url)
    if (kind === undefined) return response.writeHead(404).end()
    const now = (open.get(url) ?? 0) + 1
    open.set(url, now)
    most.set(url, Math.max(most.get(url) ?? 0, now))
    requests.set(kind, (requests.get(kind) ?? 0) + 1)
    response.once("close", () => open.set(url, (open.get(url) ?? 0) - 1))
    onRequest(kind, request, await bodyOf(request))
    return behave[kind](response, url)
  }
  const valuesOf = (all: ReadonlyMap<string, number>, kind: Kind) =>
    [...all].flatMap(([url, n]) => (kindOf(url) === kind ? [n] : []))

  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      // Senders may abort requests.
      const server = createServer((request, response) => void answer(request, response).catch(() => undefined))
      server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 })
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        server.close()
        await once(server, "close")
      })
  )
  const port = portOf(server)
  const receivers: BadReceivers = {
    urlOf: (kind) => `http://127.0.0.1:${port}/${kind}`,
    seen: (kind) => ({
      requests: requests.get(kind) ?? 0,
      open: valuesOf(open, kind).reduce((sum, n) => sum + n, 0),
      most: Math.max(0, ...valuesOf(most, kind))
    }),
    forgetMost: () => most.clear(),
    flooded: () => flooded
  }
  return receivers
})
