import { Effect, type Redacted } from "effect"
import type { IncomingMessage } from "node:http"
import { WebSocketServer } from "ws"
import { ForeignOrigin } from "../../domain/access/Sessions.ts"
import { makeAccessEntry } from "./AccessLog.ts"
import { makeSessionCookie, parseBearerToken } from "../Credentials.ts"
import { findClientAddress, TrustedProxies } from "./ClientAddress.ts"
import { makeErrorReply, type Reply, replyToFailure } from "../Reply.ts"
import { type PublicError, toErrorReply } from "../ErrorTable.ts"
import { NodeResponse, REQUEST_ID_HEADER } from "./NodeResponse.ts"
import { HttpListener, sendReply, type UpgradeHandler } from "./HttpListener.ts"
import { type SocketClient, makeSocketRegistry } from "./SocketRegistry.ts"
import { makeOriginPolicy } from "../Origin.ts"
import { makeRequestLog } from "./RequestMetrics.ts"
import { RPC_PATH } from "../Rpc.ts"

/** Version of the protocol (RFC 6455). The library also opens sockets of version 8, a draft. */
const VERSION = "13"

/** A client that offers other versions learns ours (RFC 6455, section 4.4; RFC 9110, section 15.5.22). */
const UNSUPPORTED_VERSION = makeErrorReply(
  426,
  `Sockets are opened with version ${VERSION} of the WebSocket protocol`,
  {
    "sec-websocket-version": VERSION,
    upgrade: "websocket",
    connection: "upgrade, close"
  }
)

/** Bytes of a frame that a client sends. */
const MAX_FRAME = 16 * 1024

/** Fragments of a message: a client may send any number, and of no bytes, without ending one. */
const MAX_FRAGMENTS = 32

/** Types of the library lack the bound of fragments. */
const SERVER_OPTIONS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // They would wait for a client that does not read without a bound.
  autoPong: false,
  maxPayload: MAX_FRAME,
  maxFragments: MAX_FRAGMENTS
}

/** Who says to open a socket, as its request says: of what comes over it nothing is believed. */
interface UpgradeCredentials {
  readonly token: Redacted.Redacted | undefined
  readonly bearer: Redacted.Redacted | undefined
  readonly requestId: string
}

/** Says who it is that may hold a socket. */
type Admit = (sent: UpgradeCredentials) => Effect.Effect<SocketClient, PublicError>

/** Answers in place of a socket, after which the connection ends: nobody but the exchange writes to it. */
const sendInsteadOfUpgrade = (exchange: NodeResponse, reply: Reply) => {
  const { socket } = exchange.req
  exchange.assignSocket(socket)
  exchange.shouldKeepAlive = false
  exchange.once("finish", () => socket.destroySoon())
  sendReply(exchange, reply)
}

/**
 * Opens sockets for those who may hold one, on the connections of the service. Who asks, and from which page, is looked at
 * before the protocol is switched: until then a refusal is an answer like any other.
 */
export const makeWebSocketUpgrade = (admit: Admit) =>
  Effect.gen(function* () {
    const log = yield* makeRequestLog
    const isTrusted = yield* TrustedProxies
    const server = yield* HttpListener
    const { hold, refusalFor } = yield* makeSocketRegistry
    const { isSameOrigin } = yield* makeOriginPolicy
    const { sessionToken } = yield* makeSessionCookie
    const runFork = Effect.runForkWith(yield* Effect.context())

    const exchangeOf = (message: IncomingMessage) => {
      const exchange = new NodeResponse(message)
      exchange.route = RPC_PATH
      exchange.address = findClientAddress(message, isTrusted)
      exchange.setHeader(REQUEST_ID_HEADER, exchange.requestId)
      exchange.once("close", () => log(makeAccessEntry(exchange)))
      return exchange
    }

    const handshakes = new WebSocketServer(SERVER_OPTIONS)
    handshakes.on("wsClientError", ({ message: why }, _, message) =>
      sendInsteadOfUpgrade(
        exchangeOf(message),
        makeErrorReply(400, `A socket cannot be opened: ${why}`, { "sec-websocket-version": VERSION })
      )
    )

    const open = (message: IncomingMessage, head: Buffer) => {
      server.release(message.socket)
      const exchange = exchangeOf(message)
      const { requestId } = exchange
      const version = message.headers["sec-websocket-version"]
      if (version !== undefined && version !== VERSION) return sendInsteadOfUpgrade(exchange, UNSUPPORTED_VERSION)
      const guest: Effect.Effect<SocketClient, PublicError> = isSameOrigin(message.headers)
        ? admit({ token: sessionToken(message.headers), bearer: parseBearerToken(message), requestId })
        : new ForeignOrigin()
      const welcome = (known: SocketClient) => {
        const refused = refusalFor(known.id)
        if (refused !== undefined) return sendInsteadOfUpgrade(exchange, refused)
        handshakes.handleUpgrade(message, message.socket, head, (socket) => {
          log({ ...makeAccessEntry(exchange), status: 101 })
          hold(socket, known)
        })
      }
      runFork(
        guest.pipe(
          Effect.map((known) => () => welcome(known)),
          Effect.catch((error) => Effect.succeed(() => sendInsteadOfUpgrade(exchange, toErrorReply(error)))),
          Effect.catchCause((cause) =>
            Effect.map(replyToFailure(cause, requestId), (reply) => () => sendInsteadOfUpgrade(exchange, reply))
          ),
          Effect.map((act) => act())
        )
      )
    }

    const upgrade: UpgradeHandler = (message, head) => {
      const { socket } = message
      socket.on("error", () => socket.destroy())
      // A connection takes one answer at a time: those to requests before this one are sent first.
      const earlier = server.lastOpen(socket)
      if (earlier === undefined) open(message, head)
      else earlier.once("close", () => open(message, head))
    }
    return upgrade
  })
