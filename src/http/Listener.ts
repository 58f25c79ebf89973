import { HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { type Config, Context, Effect, Layer, Predicate } from "effect"
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, maxHeaderSize, type Server } from "node:http"
import { isIPv6, type ListenOptions } from "node:net"
import { AccessLog, accessOf } from "./AccessLog.ts"
import { Exchange, REQUEST_ID } from "./Exchange.ts"

const JSON_HEADERS = { "content-type": "application/json", connection: "close" }

/** Milliseconds in which a client must have sent its whole request. */
const REQUEST_TIMEOUT = 30_000

/** What is wrong with what never became a request, by the code of Node's error. */
const REASONS = new Map([
  ["HPE_HEADER_OVERFLOW", `The address and the headers of a request must be at most ${maxHeaderSize} bytes`],
  ["ERR_HTTP_REQUEST_TIMEOUT", `The request was not received whole within ${REQUEST_TIMEOUT / 1000} seconds`]
])

const reasonOf = (error: Error) =>
  (Predicate.hasProperty(error, "code") && REASONS.get(String(error.code))) || "The request is not valid HTTP"

/** An answer of the socket's own, after which the connection ends. */
export const refuse = (exchange: Exchange, status: number, error: string) => {
  const body = JSON.stringify({ error })
  return exchange.writeHead(status, { ...JSON_HEADERS, "content-length": Buffer.byteLength(body) }).end(body)
}

export type ApiServer = Server<typeof IncomingMessage, typeof Exchange>

/**
 * The socket side of the service. Whatever reaches it is answered in the one shape, also what never becomes a request
 * (bad HTTP) and what comes on an open connection while the service stops.
 */
const makeListener = Effect.map(AccessLog, (log): ApiServer => {
  const server = createServer({
    requestTimeout: REQUEST_TIMEOUT,
    requireHostHeader: false,
    ServerResponse: Exchange
  })
  const open = (exchange: Exchange) => {
    exchange.setHeader(REQUEST_ID, exchange.requestId)
    exchange.once("close", () => {
      log(accessOf(exchange))
      // A connection that a client keeps open for more would hold up the stop until the client thinks of it.
      if (!server.listening) server.closeIdleConnections()
    })
  }
  server.on("clientError", (error, socket) => {
    if (!socket.writable) return socket.destroy()
    const requestId = randomUUID()
    const body = JSON.stringify({ error: reasonOf(error) })
    const headers = `content-length: ${Buffer.byteLength(body)}\r\n${REQUEST_ID}: ${requestId}`
    log({ method: "-", route: "-", status: 400, milliseconds: 0, installation: undefined, requestId })
    return socket.end(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n${headers}\r\nconnection: close\r\n\r\n${body}`
    )
  })
  // Node would answer without a body; so it would where there is no Host, which is looked for in `Serve`.
  server.on("checkExpectation", (_, exchange) => {
    open(exchange)
    refuse(exchange, 417, "Of Expect only 100-continue can be met")
  })
  server.on("request", (_, exchange) => {
    open(exchange)
    if (server.listenerCount("request") > 1) return
    refuse(exchange, 503, "The service is stopping; repeat the request")
  })
  return server
})

/** The socket that the service answers on. */
export class Listener extends Context.Tag("http/Listener")<Listener, ApiServer>() {}

const ListenerLive = Layer.effect(Listener, makeListener)

/** The socket, listening; it stops taking connections first, and then waits for the requests in flight. */
export const listen = (options: Config.Config.Wrap<ListenOptions>) =>
  Layer.unwrapEffect(Effect.map(Listener, (server) => NodeHttpServer.layerConfig(() => server, options))).pipe(
    Layer.provideMerge(ListenerLive)
  )

/** Where the service is, as a URL writes it: an address of IPv6 stands in brackets there. */
export const urlOf = (address: HttpServer.Address): string =>
  address._tag === "TcpAddress" && isIPv6(address.hostname)
    ? `http://[${address.hostname}]:${address.port}`
    : HttpServer.formatAddress(address)
