import { NodeHttpServer } from "@effect/platform-node"
import { type Config, Context, Effect, Layer } from "effect"
import { createServer, type Server } from "node:http"
import type { ListenOptions } from "node:net"

const JSON_HEADERS = { "content-type": "application/json", connection: "close" }

/** Milliseconds in which a client must have sent its whole request. */
const REQUEST_TIMEOUT = 30_000

/**
 * The socket side of the service. Whatever reaches it is answered in the one shape, also what never becomes a request
 * (bad HTTP) and what comes on an open connection while the service stops.
 */
const makeListener = (): Server => {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT })
  server.on("clientError", (_, socket) => {
    if (!socket.writable) return socket.destroy()
    const body = '{"error":"The request is not valid HTTP"}'
    const length = `content-length: ${Buffer.byteLength(body)}`
    return socket.end(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n${length}\r\nconnection: close\r\n\r\n${body}`
    )
  })
  server.on("request", (_, response) => {
    // A connection that a client keeps open for more would hold up the stop until the client thinks of it.
    response.once("close", () => {
      if (!server.listening) server.closeIdleConnections()
    })
    if (server.listenerCount("request") > 1) return
    response.writeHead(503, JSON_HEADERS).end('{"error":"The service is stopping; repeat the request"}')
  })
  return server
}

/** The socket that the service answers on. */
export class Listener extends Context.Tag("http/Listener")<Listener, Server>() {}

const ListenerLive = Layer.sync(Listener, makeListener)

/** The socket, listening; it stops taking connections first, and then waits for the requests in flight. */
export const listen = (options: Config.Config.Wrap<ListenOptions>) =>
  Layer.unwrapEffect(Effect.map(Listener, (server) => NodeHttpServer.layerConfig(() => server, options))).pipe(
    Layer.provideMerge(ListenerLive)
  )
