import { NodeHttpServer } from "@effect/platform-node"
import { type Config, Context, Effect, Layer, Predicate } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import { randomUUID } from "node:crypto"
import { maxHeaderSize } from "node:http"
import { type ListenOptions, Socket } from "node:net"
import { accessOf } from "./AccessLog.ts"
import { ApiServer } from "./ApiServer.ts"
import { clientAddress, TrustedProxies } from "./ClientAddress.ts"
import { type ConnectionLimits, isLoopback } from "./ConnectionLimits.ts"
import { Exchange, REQUEST_ID } from "./Exchange.ts"
import { makeRequestLog } from "./RequestMetrics.ts"
import { NO_ROUTE, refusal, type Reply } from "./Reply.ts"

const JSON_HEADERS = { "content-type": "application/json", connection: "close" }

/** Milliseconds in which a client must have sent its whole request. */
const REQUEST_TIMEOUT = 30_000

/** Milliseconds that a connection is kept for its next request: longer than proxies keep theirs, which is mostly 60 s. */
const KEEP_ALIVE = 75_000

/** Milliseconds between two looks for requests that take longer than that, of which Node has 30 seconds otherwise. */
const CHECKING = 5_000

/** How much a client may hold of the service. */
export interface SocketLimits extends ConnectionLimits {
  /** Milliseconds after which a client that takes nothing of its answer is given up; one that is slow may go on. */
  readonly stalled: number
}

const LIMITS: SocketLimits = { stalled: 30_000, connections: 5000, perAddress: 1000, isExempt: isLoopback }

/** What is wrong with what never became a request, by the code of Node's error. */
const REASONS = new Map([
  ["HPE_HEADER_OVERFLOW", `The address and the headers of a request must be at most ${maxHeaderSize} bytes`],
  ["ERR_HTTP_REQUEST_TIMEOUT", `The request was not received whole within ${REQUEST_TIMEOUT / 1000} seconds`]
])

const reasonOf = (error: Error) =>
  (Predicate.hasProperty(error, "code") && REASONS.get(String(error.code))) || "The request is not valid HTTP"

/** The answer to a HEAD has no body. Node's error has the packet that broke, in which a request mostly begins. */
const isHead = (error: Error) =>
  Predicate.hasProperty(error, "rawPacket") &&
  Buffer.isBuffer(error.rawPacket) &&
  error.rawPacket.subarray(0, 5).toString("latin1") === "HEAD "

/** Sends a reply to a request that the router does not see, and ends the connection. */
export const sendReply = (exchange: Exchange, { body, headers, status }: Reply) =>
  exchange
    .writeHead(status, {
      ...JSON_HEADERS,
      "content-length": Buffer.byteLength(body),
      ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
      ...headers
    })
    .end(body)

export const refuse = (exchange: Exchange, status: number, error: string, headers = {}) =>
  sendReply(exchange, refusal(status, error, headers))

/**
 * The socket side of the service. Whatever reaches it is answered in the one shape, also what never becomes a request
 * (bad HTTP) and what comes on an open connection while the service stops.
 */
const makeListener = Effect.fn(function* ({ stalled, ...limits }: SocketLimits): Effect.fn.Return<ApiServer> {
  const log = yield* makeRequestLog
  const isTrusted = yield* TrustedProxies
  const options = {
    requestTimeout: REQUEST_TIMEOUT,
    connectionsCheckingInterval: CHECKING,
    keepAliveTimeout: KEEP_ALIVE,
    requireHostHeader: false
  }
  // All clients of a trusted proxy connect from its address.
  const isExempt = (address: string) => limits.isExempt(address) || isTrusted(address)
  const server = new ApiServer(options, { ...limits, isExempt })
  server.timeout = stalled
  const open = (exchange: Exchange) => {
    exchange.setHeader(REQUEST_ID, exchange.requestId)
    exchange.address = clientAddress(exchange.req, isTrusted)
    // Node reads on behind such a request only with the next packet: what came in the same one would never be answered.
    if (exchange.req.headers.upgrade !== undefined) exchange.shouldKeepAlive = false
    // Node looks whether anything was written since. A request that is still being worked on has nothing to write.
    exchange.on("timeout", () => {
      if (exchange.socket !== null && exchange.socket.writableLength > 0) exchange.socket.destroy()
    })
    exchange.once("close", () => log(accessOf(exchange)))
    server.track(exchange)
  }
  server.on("clientError", (error, socket) => {
    // Behind an answer that is not taken there is no use for another.
    if (!socket.writable || socket.writableLength > 0) return socket.destroy()
    // The parser can refuse a request that was answered already.
    if (socket instanceof Socket && server.lastOpen(socket)?.writableEnded === true) return socket.destroySoon()
    const requestId = randomUUID()
    const body = JSON.stringify({ error: reasonOf(error) })
    const headers = `content-length: ${Buffer.byteLength(body)}\r\n${REQUEST_ID}: ${requestId}`
    const address = socket instanceof Socket ? (socket.remoteAddress ?? "unknown") : "unknown"
    log({ method: "-", route: "-", status: 400, milliseconds: 0, address, installation: undefined, requestId })
    return socket.end(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n${headers}\r\nconnection: close\r\n\r\n${isHead(error) ? "" : body}`
    )
  })
  // Node would answer without a body; so it would where there is no Host, which is looked for in `Serve`.
  server.on("checkExpectation", (_, exchange) => {
    open(exchange)
    refuse(exchange, 417, "Of Expect only 100-continue can be met")
  })
  // Node would close the connection of who asks for a tunnel, without an answer. Nobody else listens to its socket now.
  server.on("connect", (message) => {
    const { socket } = message
    socket.on("error", () => socket.destroy())
    const answer = () => {
      if (!socket.writable) return
      const exchange = new Exchange(message)
      exchange.assignSocket(socket)
      open(exchange)
      refuse(exchange, 404, NO_ROUTE).once("finish", () => socket.destroySoon())
    }
    // A socket takes one answer at a time, and throws at the second.
    const earlier = server.lastOpen(socket)
    if (earlier === undefined) answer()
    else earlier.once("close", answer)
  })
  server.on("request", (_, exchange) => {
    open(exchange)
    if (server.listenerCount("request") > 1) return
    refuse(exchange, 503, "The service is stopping; repeat the request", { "retry-after": "1" })
  })
  return server
})

/** The socket that the service answers on. */
export class Listener extends Context.Service<Listener, ApiServer>()("http/Listener") {}

/**
 * The socket, listening; it stops taking connections first, and then waits for the requests in flight. `limits` replace
 * some of the usual ones.
 */
export const listen = (options: Config.Wrap<ListenOptions>, limits: Partial<SocketLimits> = {}) =>
  Layer.unwrap(Effect.map(Listener, (server) => NodeHttpServer.layerConfig(() => server, options))).pipe(
    Layer.provideMerge(Layer.effect(Listener, makeListener({ ...LIMITS, ...limits })))
  )

/** Where the service is, as a URL writes it: an address of IPv6 stands in brackets there. */
export const urlOf = (address: NetAddress.SocketAddress): string =>
  NetAddress.isUnixPathAddress(address) ? HttpServer.formatAddress(address) : `http://${NetAddress.formatInet(address)}`

/** Where this process serves. */
export const baseUrl = Effect.map(HttpServer.HttpServer, ({ address }) => urlOf(address))
