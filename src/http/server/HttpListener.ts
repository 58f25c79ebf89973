/*
 * Works around Node's server, whose responses to malformed HTTP and during a shutdown have no JSON body.
 */

import { NodeHttpServer } from "@effect/platform-node"
import { type Config, Context, Effect, Layer, Predicate, type Scope } from "effect"
import { HttpMiddleware, HttpServer, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NetAddress } from "effect/net"
import { randomUUID } from "node:crypto"
import { type IncomingMessage, maxHeaderSize } from "node:http"
import { type ListenOptions, Socket } from "node:net"
import { makeAccessEntry } from "./AccessLog.ts"
import { ApiServer } from "./ApiServer.ts"
import { findClientAddress, TrustedProxies } from "./ClientAddress.ts"
import { type ConnectionLimits, isLoopback } from "./ConnectionLimits.ts"
import { findAmbiguity } from "./NodeRequest.ts"
import { NodeResponse, REQUEST_ID_HEADER } from "./NodeResponse.ts"
import { makeRequestLog } from "./RequestMetrics.ts"
import { safeHeaders } from "../headers/SafeHeaders.ts"
import { NO_ROUTE, makeErrorReply, type Reply } from "../Reply.ts"

const JSON_HEADERS = { "content-type": "application/json", connection: "close" }

/** Milliseconds for a client to send the head of a request. */
const HEAD_TIMEOUT = 30_000

/** Milliseconds for a client to send its whole request: the largest picture at 1.4 Mbit/s. */
const REQUEST_TIMEOUT = 120_000

/** Milliseconds that an idle connection stays open. Proxies close theirs after 60 s and must close first. */
const KEEP_ALIVE = 75_000

/** Milliseconds between two checks of {@link REQUEST_TIMEOUT}. Node checks every 30 s by default. */
const TIMEOUT_CHECK_INTERVAL = 5_000

/** Limits of connections. */
export interface SocketLimits extends ConnectionLimits {
  /** Milliseconds without any read of the response after which a client is disconnected. */
  readonly stallTimeout: number
  /** Milliseconds that requests in progress have during a stop. Then their connections are closed. */
  readonly stopTimeout: number
}

const DEFAULT_LIMITS: SocketLimits = {
  stallTimeout: 30_000,
  stopTimeout: 30_000,
  connections: 5000,
  perAddress: 1000,
  isExempt: isLoopback
}

interface ParserError {
  readonly status: number
  readonly reason: string
  readonly message: string
}

/** The responses to malformed HTTP, by the code of Node's parser error. The statuses are those of Node. */
const PARSER_ERRORS: ReadonlyMap<string, ParserError> = new Map([
  [
    "HPE_HEADER_OVERFLOW",
    {
      status: 431,
      reason: "Request Header Fields Too Large",
      message: `The request line and headers must be at most ${maxHeaderSize} bytes`
    }
  ],
  [
    "ERR_HTTP_REQUEST_TIMEOUT",
    {
      status: 408,
      reason: "Request Timeout",
      message: `The request was not complete in time: its head within ${HEAD_TIMEOUT / 1000} seconds, its body within ${REQUEST_TIMEOUT / 1000}`
    }
  ]
])

const MALFORMED: ParserError = { status: 400, reason: "Bad Request", message: "The request is not valid HTTP" }

const findParserError = (error: Error): ParserError =>
  (Predicate.hasProperty(error, "code") ? PARSER_ERRORS.get(String(error.code)) : undefined) ?? MALFORMED

/** True for a HEAD request, whose response has no body. The error holds the packet, which usually starts with the request. */
const isHeadRequest = (error: Error) =>
  Predicate.hasProperty(error, "rawPacket") &&
  Buffer.isBuffer(error.rawPacket) &&
  error.rawPacket.subarray(0, 5).toString("latin1") === "HEAD "

/** Sends a reply to a request that bypasses the router, and ends the connection. */
export const sendReply = (response: NodeResponse, { body, headers, status }: Reply) =>
  response
    .writeHead(status, {
      ...JSON_HEADERS,
      "content-length": Buffer.byteLength(body),
      ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
      ...headers
    })
    .end(body)

export const sendError = (response: NodeResponse, status: number, error: string, headers = {}) =>
  sendReply(response, makeErrorReply(status, error, headers))

/**
 * Makes the HTTP server. Malformed HTTP and requests during the shutdown get the same error shape as other requests.
 */
const makeHttpListener = Effect.fn(function* ({
  stallTimeout,
  ...limits
}: Omit<SocketLimits, "stopTimeout">): Effect.fn.Return<ApiServer> {
  const log = yield* makeRequestLog
  const isTrusted = yield* TrustedProxies
  const safe = yield* safeHeaders
  const safeLines = [...safe].map(([name, value]) => `${name}: ${value}\r\n`).join("")
  const options = {
    headersTimeout: HEAD_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT,
    connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL,
    keepAliveTimeout: KEEP_ALIVE,
    requireHostHeader: false
  }
  // All clients of a trusted proxy connect from its address.
  const isExempt = (address: string) => limits.isExempt(address) || isTrusted(address)
  const server = new ApiServer(options, { ...limits, isExempt })
  server.timeout = stallTimeout
  const open = (response: NodeResponse) => {
    response.setHeaders(safe).setHeader(REQUEST_ID_HEADER, response.requestId)
    response.address = findClientAddress(response.req, isTrusted)
    // Node does not parse the rest of the packet after an upgrade request, so later requests would get no response.
    if (response.req.headers.upgrade !== undefined) response.shouldKeepAlive = false
    // Node measures the time without a write. A request that is still being handled has nothing to write.
    response.on("timeout", () => {
      if (response.socket !== null && response.socket.writableLength > 0) response.socket.destroy()
    })
    response.once("close", () => log(makeAccessEntry(response)))
    server.track(response)
  }
  server.on("clientError", (error, socket) => {
    // A client that has not read its response will not read an error either.
    if (!socket.writable || socket.writableLength > 0) return socket.destroy()
    // The parser can fail on a request whose response is already complete.
    if (socket instanceof Socket && server.lastOpen(socket)?.writableEnded === true) return socket.destroySoon()
    const requestId = randomUUID()
    const { message, reason, status } = findParserError(error)
    const body = JSON.stringify({ error: message })
    const headers = `content-length: ${Buffer.byteLength(body)}\r\n${REQUEST_ID_HEADER}: ${requestId}`
    const address = socket instanceof Socket ? (socket.remoteAddress ?? "unknown") : "unknown"
    log({ method: "-", route: "-", status, milliseconds: 0, address, installation: undefined, requestId })
    return socket.end(
      `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\n${safeLines}${headers}\r\nconnection: close\r\n\r\n${isHeadRequest(error) ? "" : body}`
    )
  })
  // Node would respond without a body.
  server.on("checkExpectation", (_, response) => {
    open(response)
    sendError(response, 417, "The only supported value of Expect is 100-continue")
  })
  // Node would close the connection of a CONNECT request without a response. Its socket has no other listeners.
  server.on("connect", (message) => {
    const { socket } = message
    socket.on("error", () => socket.destroy())
    const respond = () => {
      if (!socket.writable) return
      const response = new NodeResponse(message)
      response.assignSocket(socket)
      open(response)
      sendError(response, 404, NO_ROUTE).once("finish", () => socket.destroySoon())
    }
    // A socket sends one response at a time.
    const earlier = server.lastOpen(socket)
    if (earlier === undefined) respond()
    else earlier.once("close", respond)
  })
  server.on("request", (_, response) => {
    open(response)
    if (server.listenerCount("request") > 1) return
    sendError(response, 503, "The service is stopping; repeat the request", { "retry-after": "1" })
  })
  return server
})

/** The HTTP server of the process. */
export class HttpListener extends Context.Service<HttpListener, ApiServer>()("http/Listener") {}

/** Closes the connections that are still open some time after the scope ended, which interrupts their requests. */
const boundStop = (server: ApiServer, millis: number) =>
  Effect.addFinalizer(() =>
    Effect.sync(() => {
      const timer = setTimeout(() => server.closeAllConnections(), millis)
      server.once("close", () => clearTimeout(timer))
    })
  )

/** Scope of requests in progress. It closes after the listener, and before the services that the handlers use. */
class RequestScope extends Context.Service<RequestScope, Scope.Scope>()("http/RequestScope") {}

/**
 * Listens until the scope ends. Then it stops accepting connections and waits for requests in progress. `limits` override
 * the defaults.
 */
export const listen = (options: Config.Wrap<ListenOptions>, given: Partial<SocketLimits> = {}) => {
  const { stopTimeout, ...limits } = { ...DEFAULT_LIMITS, ...given }
  return Layer.unwrap(
    Effect.map(HttpListener, (server) =>
      // Its finalizer runs before that of the server, which waits.
      Layer.effectDiscard(boundStop(server, stopTimeout)).pipe(
        Layer.provideMerge(NodeHttpServer.layerConfig(() => server, options))
      )
    )
  ).pipe(
    Layer.provideMerge(
      Layer.merge(Layer.effect(HttpListener, makeHttpListener(limits)), Layer.effect(RequestScope, Effect.scope))
    )
  )
}

/** Formats the URL of an address. IPv6 addresses are in brackets. */
export const formatUrl = (address: NetAddress.SocketAddress): string =>
  NetAddress.isUnixPathAddress(address) ? HttpServer.formatAddress(address) : `http://${NetAddress.formatInet(address)}`

/** The URL on which this process listens. */
export const baseUrl = Effect.map(HttpServer.HttpServer, ({ address }) => formatUrl(address))

/** Opens a WebSocket for an upgrade request. `head` holds the bytes after the request. */
export type UpgradeHandler = (request: IncomingMessage, head: Buffer) => void

/** Serves the routes, and WebSockets with `upgrade`, until the scope ends. */
export const serveRoutes = Effect.fnUntraced(function* <E>(
  routes: Effect.Effect<HttpServerResponse.HttpServerResponse, E, HttpServerRequest.HttpServerRequest | Scope.Scope>,
  upgrade?: UpgradeHandler
) {
  yield* HttpServer.HttpServer
  const server = yield* HttpListener
  // Closing the current scope would interrupt open responses. The listener waits for them when it stops.
  const handle = yield* NodeHttpServer.makeHandler(routes, { scope: yield* RequestScope }).pipe(
    // Routes have spans of their own (`RecordRoute`).
    Effect.provideService(HttpMiddleware.TracerDisabledWhen, () => true)
  )
  const onRequest = (request: IncomingMessage, response: NodeResponse) => {
    const ambiguity = findAmbiguity(request)
    server.handleInOrder(response, () =>
      ambiguity === undefined ? handle(request, response) : sendError(response, 400, ambiguity)
    )
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => server.on("request", onRequest)),
    () => Effect.sync(() => server.off("request", onRequest))
  )
  if (upgrade === undefined) return
  const onUpgrade = (request: IncomingMessage, _: unknown, head: Buffer) => upgrade(request, head)
  yield* Effect.acquireRelease(
    Effect.sync(() => server.on("upgrade", onUpgrade)),
    () => Effect.sync(() => server.off("upgrade", onUpgrade))
  )
})
