import { NodeHttpClient } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpClient } from "effect/http"
import type { Agent, ClientRequest, IncomingMessage, InformationEvent } from "node:http"
import type { LookupFunction } from "node:net"
import type { Duplex } from "node:stream"
import type { SecureContext } from "node:tls"

declare module "http" {
  interface Agent {
    /** Called by Node for each request. `@types/node` lacks it. */
    addRequest(request: ClientRequest, options: RequestOptions): void
  }
}

/** Milliseconds for each address of a host. Node's default of 250 would cut off distant and busy receivers. */
const ADDRESS_TIMEOUT = 2500

/** Milliseconds that a connection stays idle, unless the receiver asks for less. */
const IDLE_MILLIS = 4000

/** Idle connections of a client, over all origins. One more is closed after its response. */
const MAX_IDLE = 512

/** Bytes of a response's headers, and of all informational responses before it. */
export const MAX_HEADER_BYTES = 16_384

/** A request that the guard ended. The message is one sentence for people. */
export class RequestEnded extends Error {}

/** A request that took too long. */
export class RequestTimedOut extends RequestEnded {}

export const HEADERS_TOO_LONG = `The headers of the response are longer than ${MAX_HEADER_BYTES} bytes`

/** Bytes of an informational response on the wire. */
const lengthOf = ({ rawHeaders, statusMessage }: InformationEvent) =>
  rawHeaders.reduce((sum, text) => sum + text.length + 2, `HTTP/1.1 103 ${statusMessage}\r\n\r\n`.length)

const timeLimitReached = (isConnected: boolean, response: IncomingMessage | undefined, timeoutMillis: number) => {
  const within = `within ${timeoutMillis / 1000} seconds`
  if (!isConnected) return new RequestTimedOut(`There was no connection to the receiver ${within}`)
  if (response === undefined) return new RequestTimedOut(`The receiver did not answer ${within}`)
  return new RequestTimedOut(`The response with status ${response.statusCode} was not complete ${within}`)
}

const stop = (request: ClientRequest) =>
  request.destroy(new RequestEnded("The service stopped before the response was complete"))

/** State that the agents of one client share. */
interface Shared {
  readonly timeoutMillis: number
  readonly idle: Set<Duplex>
  readonly active: Set<ClientRequest>
}

/**
 * Bounds one request: its time, from the lookup to the last byte, and its informational responses. Node reads those
 * without end, at a few bytes each, which would keep the process busy.
 */
const guardRequest = (request: ClientRequest, { active, timeoutMillis }: Shared) => {
  let isConnected = false
  let response: IncomingMessage | undefined
  let left = MAX_HEADER_BYTES

  const timer = setTimeout(() => request.destroy(timeLimitReached(isConnected, response, timeoutMillis)), timeoutMillis)
  active.add(request)
  request.once("close", () => {
    clearTimeout(timer)
    active.delete(request)
  })
  request.once("socket", (socket) => {
    if (request.reusedSocket) isConnected = true
    else socket.once(request.protocol === "https:" ? "secureConnect" : "connect", () => (isConnected = true))
  })
  request.on("information", (information) => {
    left -= lengthOf(information)
    if (left < 0) request.destroy(new RequestEnded(HEADERS_TOO_LONG))
  })
  request.once("response", (message) => {
    response = message
    // Node still parses the rest of a chunk after `destroy`.
    if (left < 0) message.destroy(new RequestEnded(HEADERS_TOO_LONG))
  })
  // Node reports socket errors here even after a response began. The platform's client then listens to the response only.
  request.on("error", (error) => response?.destroy(error))
}

/** Bounds the requests and the idle connections of an agent. */
const guardAgent = (agent: Agent, shared: Shared) => {
  const { idle } = shared
  const addRequest = agent.addRequest.bind(agent)
  const createConnection = agent.createConnection.bind(agent)
  const keepSocketAlive = agent.keepSocketAlive.bind(agent)
  const reuseSocket = agent.reuseSocket.bind(agent)

  agent.addRequest = (request, options) => {
    // Overrides the command line of the process.
    Object.assign(request, { maxHeaderSize: MAX_HEADER_BYTES, insecureHTTPParser: false })
    guardRequest(request, shared)
    addRequest(request, options)
  }
  agent.createConnection = (options, callback) => {
    const socket = createConnection(options, callback)
    // Between a response and the list of idle sockets, Node does not listen.
    socket?.on("error", () => undefined)
    socket?.once("close", () => idle.delete(socket))
    // The next request must not read bytes as its response that came before it.
    socket?.on("data", () => idle.has(socket) && socket.destroy())
    return socket
  }
  agent.keepSocketAlive = (socket) => {
    const isReusable: unknown = idle.size < MAX_IDLE && keepSocketAlive(socket)
    if (isReusable !== true) return false
    idle.add(socket)
    return true
  }
  agent.reuseSocket = (socket, request) => {
    idle.delete(socket)
    reuseSocket(socket, request)
  }
}

/**
 * The platform's client on Node's `http` and `https` agents, which connect to the addresses of `lookup` only and through
 * no proxy. TLS certificates are verified whatever `NODE_TLS_REJECT_UNAUTHORIZED` is set to. A request owns a new
 * connection from the lookup on; the end of a request's scope closes it, unless its response was complete. The end of
 * the outer scope closes every connection and fails the requests in progress.
 */
export const makeGuardedHttpClient = Effect.fn("makeGuardedHttpClient")(function* (
  lookup: LookupFunction,
  secureContext: SecureContext,
  timeoutMillis: number
) {
  const agents = yield* NodeHttpClient.makeAgent({
    lookup,
    secureContext,
    rejectUnauthorized: true,
    // A resumed session would skip the check of the host.
    maxCachedSessions: 0,
    ALPNProtocols: ["http/1.1"],
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT,
    keepAlive: true,
    timeout: IDLE_MILLIS,
    maxFreeSockets: MAX_IDLE
  })
  const shared: Shared = { timeoutMillis, idle: new Set(), active: new Set() }
  guardAgent(agents.http, shared)
  guardAgent(agents.https, shared)
  yield* Effect.addFinalizer(() => Effect.sync(() => shared.active.forEach(stop)))
  const client = yield* Effect.provideService(NodeHttpClient.makeNodeHttp, NodeHttpClient.HttpAgent, agents)
  return HttpClient.withScope(client)
})
