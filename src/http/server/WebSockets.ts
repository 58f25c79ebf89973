/*
 * Works around `ws`, which also opens sockets of a draft version, and whose types lack `maxFragments`.
 */

import { Effect, type Redacted } from "effect"
import type { IncomingMessage } from "node:http"
import { WebSocketServer } from "ws"
import { ForeignOrigin } from "../../domain/access/Sessions.ts"
import { makeAccessEntry } from "./AccessLog.ts"
import { makeSessionCookie, parseBearerToken } from "../headers/Credentials.ts"
import { findClientAddress, TrustedProxies } from "./ClientAddress.ts"
import { makeErrorReply, type Reply, replyToFailure } from "../Reply.ts"
import { type PublicError, toErrorReply } from "../ErrorTable.ts"
import { NodeResponse, REQUEST_ID_HEADER } from "./NodeResponse.ts"
import { HttpListener, sendReply, type UpgradeHandler } from "./HttpListener.ts"
import { type SocketClient, makeSocketRegistry } from "./SocketRegistry.ts"
import { makeOriginPolicy } from "../headers/Origin.ts"
import { safeHeaders } from "../headers/SafeHeaders.ts"
import { makeRequestLog } from "./RequestMetrics.ts"
import { RPC_PATH } from "../routes/Rpc.ts"

/** Version of the protocol (RFC 6455). The library also opens sockets of version 8, a draft. */
const VERSION = "13"

/** The error for other versions, with the supported one (RFC 6455, section 4.4; RFC 9110, section 15.5.22). */
const UNSUPPORTED_VERSION = makeErrorReply(426, `The supported version of the WebSocket protocol is ${VERSION}`, {
  "sec-websocket-version": VERSION,
  upgrade: "websocket",
  connection: "upgrade, close"
})

/** Bytes of a message that a client sends. */
const MAX_FRAME = 16 * 1024

/** Fragments of a message. Without a limit, a client could send empty ones without end. */
const MAX_FRAGMENTS = 32

/** Not inline, because the library's types lack `maxFragments`. */
const SERVER_OPTIONS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // Automatic pongs would queue without a limit for a client that does not read.
  autoPong: false,
  maxPayload: MAX_FRAME,
  maxFragments: MAX_FRAGMENTS
}

/** The credentials of an upgrade request. Messages over the socket carry none. */
interface UpgradeCredentials {
  readonly token: Redacted.Redacted | undefined
  readonly bearer: Redacted.Redacted | undefined
  readonly requestId: string
}

/** Authenticates an upgrade request. */
type Admit = (sent: UpgradeCredentials) => Effect.Effect<SocketClient, PublicError>

/** Sends an HTTP response instead of an upgrade, and ends the connection. */
const sendInsteadOfUpgrade = (response: NodeResponse, reply: Reply) => {
  const { socket } = response.req
  response.assignSocket(socket)
  response.shouldKeepAlive = false
  response.once("finish", () => socket.destroySoon())
  sendReply(response, reply)
}

/**
 * Makes the handler of WebSocket upgrades. It checks the origin and credentials before the upgrade, so that errors are
 * ordinary HTTP responses.
 */
export const makeWebSocketUpgrade = (admit: Admit) =>
  Effect.gen(function* () {
    const log = yield* makeRequestLog
    const isTrusted = yield* TrustedProxies
    const safe = yield* safeHeaders
    const server = yield* HttpListener
    const { checkLimits, register } = yield* makeSocketRegistry
    const { isSameOrigin } = yield* makeOriginPolicy
    const { sessionToken } = yield* makeSessionCookie
    const runFork = Effect.runForkWith(yield* Effect.context())

    const makeResponse = (request: IncomingMessage) => {
      const response = new NodeResponse(request)
      response.route = RPC_PATH
      response.address = findClientAddress(request, isTrusted)
      response.setHeaders(safe).setHeader(REQUEST_ID_HEADER, response.requestId)
      response.once("close", () => log(makeAccessEntry(response)))
      return response
    }

    const handshakes = new WebSocketServer(SERVER_OPTIONS)
    handshakes.on("wsClientError", ({ message: reason }, _, request) =>
      sendInsteadOfUpgrade(
        makeResponse(request),
        makeErrorReply(400, `The WebSocket cannot be opened: ${reason}`, { "sec-websocket-version": VERSION })
      )
    )

    const open = (request: IncomingMessage, head: Buffer) => {
      server.release(request.socket)
      const response = makeResponse(request)
      const { requestId } = response
      const version = request.headers["sec-websocket-version"]
      if (version !== undefined && version !== VERSION) return sendInsteadOfUpgrade(response, UNSUPPORTED_VERSION)
      const admission: Effect.Effect<SocketClient, PublicError> = isSameOrigin(request.headers)
        ? admit({ token: sessionToken(request.headers), bearer: parseBearerToken(request), requestId })
        : new ForeignOrigin()
      const accept = (client: SocketClient) => {
        const limitReached = checkLimits(client.id)
        if (limitReached !== undefined) return sendInsteadOfUpgrade(response, limitReached)
        handshakes.handleUpgrade(request, request.socket, head, (socket) => {
          log({ ...makeAccessEntry(response), status: 101 })
          register(socket, client)
        })
      }
      runFork(
        admission.pipe(
          Effect.map((client) => () => accept(client)),
          Effect.catch((error) => Effect.succeed(() => sendInsteadOfUpgrade(response, toErrorReply(error)))),
          Effect.catchCause((cause) =>
            Effect.map(replyToFailure(cause, requestId), (reply) => () => sendInsteadOfUpgrade(response, reply))
          ),
          Effect.map((respond) => respond())
        )
      )
    }

    const upgrade: UpgradeHandler = (request, head) => {
      const { socket } = request
      socket.on("error", () => socket.destroy())
      // A socket sends one response at a time. Those of earlier requests go first.
      const earlier = server.lastOpen(socket)
      if (earlier === undefined) open(request, head)
      else earlier.once("close", () => open(request, head))
    }
    return upgrade
  })
