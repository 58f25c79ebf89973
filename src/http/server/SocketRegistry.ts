/*
 * Works around `ws`, which limits neither sockets of a client, unsent bytes nor control frames, and sends no pings.
 */

import { Effect, Schedule } from "effect"
import type { RawData, WebSocket } from "ws"
import { makeErrorReply, type Reply } from "../Reply.ts"

/** Open sockets of a process, and of one client. */
const MAX_SOCKETS = 1000
const MAX_SOCKETS_PER_CLIENT = 32

/** Bytes that may wait to be sent to a client: far more than the flow control of streams ever leaves unread. */
const MAX_BUFFERED = 1024 * 1024

/** Pings, pongs and other messages without an effect that a socket may send in one ping interval. Clients send about 3. */
export const MAX_CONTROL_FRAMES = 60

/** The interval of pings. A client that does not answer one before the next is disconnected. */
const PING_INTERVAL = "20 seconds"

/** Milliseconds for a client to complete the closing handshake. */
const CLOSE_TIMEOUT = 2000

/** Close codes of WebSockets (RFC 6455, section 7.4.1). */
const GOING_AWAY = 1001
const UNSUPPORTED_DATA = 1003
const POLICY_VIOLATION = 1008

const STOPPING = makeErrorReply(503, "The service is stopping; open the socket again", { "retry-after": "1" })
const TOO_MANY_SOCKETS = makeErrorReply(
  503,
  `The service has reached its limit of ${MAX_SOCKETS} sockets; try again in a few seconds`,
  { "retry-after": "5" }
)
const TOO_MANY_OF_CLIENT = makeErrorReply(
  429,
  `You have reached the limit of ${MAX_SOCKETS_PER_CLIENT} open sockets; close unused ones`,
  { "retry-after": "5" }
)

/** The other end of a socket. */
interface SocketPeer {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Stops reading, so that frames wait on the client's side. */
  readonly pause: () => void
  readonly resume: () => void
  /** Counts a message without an effect, and closes the socket if there are too many. */
  readonly countControl: () => void
}

/** A client that may open a socket. */
export interface SocketClient {
  /** Sockets with the same id count towards the same limit. */
  readonly id: string
  /** Starts the protocol of an open socket. */
  readonly connect: (peer: SocketPeer) => { readonly receive: (text: string) => void; readonly end: () => void }
}

interface OpenSocket extends SocketPeer {
  readonly id: string
  /** Sends a ping, or ends the socket if the last ping has no answer. */
  readonly ping: () => void
}

/** Decodes a message. The default `binaryType` delivers each one as a single buffer. */
const toText = (data: RawData) => (Buffer.isBuffer(data) ? data.toString() : "")

/**
 * Makes the registry of open sockets. It limits their number and their unsent bytes, and ends sockets of clients that do
 * not read or do not answer pings. At the end of the scope it closes all of them.
 */
export const makeSocketRegistry = Effect.gen(function* () {
  const sockets = new Set<OpenSocket>()
  let isStopping = false

  /** Finds the error for a client that cannot open another socket. */
  const checkLimits = (id: string): Reply | undefined => {
    if (isStopping) return STOPPING
    if (sockets.size >= MAX_SOCKETS) return TOO_MANY_SOCKETS
    return [...sockets].filter((open) => open.id === id).length < MAX_SOCKETS_PER_CLIENT
      ? undefined
      : TOO_MANY_OF_CLIENT
  }

  const register = (socket: WebSocket, { connect, id }: SocketClient) => {
    let isAlive = true
    let isClosed = false
    /** Sends, unless the client has stopped reading. */
    const ifWritable = (send: () => void) => {
      if (socket.bufferedAmount > MAX_BUFFERED) socket.terminate()
      else if (!isClosed) send()
    }
    const close = (code: number, reason: string) => {
      if (isClosed) return
      end()
      socket.close(code, reason)
      const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT)
      socket.once("close", () => clearTimeout(timer))
    }
    let controls = 0
    const countControl = () => {
      if (++controls <= MAX_CONTROL_FRAMES || isClosed) return
      socket.pause()
      close(POLICY_VIOLATION, `More than ${MAX_CONTROL_FRAMES} control messages in ${PING_INTERVAL}`)
    }
    const ping = () => {
      controls = 0
      if (!isAlive) return socket.terminate()
      isAlive = false
      ifWritable(() => socket.ping())
    }
    const open: OpenSocket = {
      id,
      ping,
      close,
      countControl,
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      send: (text) => ifWritable(() => socket.send(text))
    }
    const receiver = connect(open)
    const end = () => {
      if (!isClosed) receiver.end()
      isClosed = true
    }
    sockets.add(open)
    socket.on("message", (data, isBinary) => {
      if (isBinary) close(UNSUPPORTED_DATA, "Frames must be text")
      else if (!isClosed) receiver.receive(toText(data))
    })
    socket.on("ping", (data) => {
      countControl()
      ifWritable(() => socket.pong(data))
    })
    socket.on("pong", () => {
      countControl()
      isAlive = true
    })
    // A broken connection or protocol violation. The library closes the socket afterwards, with the right code.
    socket.on("error", end)
    socket.once("close", () => {
      end()
      sockets.delete(open)
    })
  }

  yield* Effect.forkScoped(
    Effect.repeat(
      Effect.sync(() => sockets.forEach(({ ping }) => ping())),
      Schedule.spaced(PING_INTERVAL)
    )
  )
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      Effect.sync(() => {
        isStopping = true
        for (const { close } of sockets) close(GOING_AWAY, "The service is stopping")
      }),
      Effect.repeat(
        Effect.sync(() => sockets.size === 0),
        { until: (isEmpty) => isEmpty, schedule: Schedule.spaced("10 millis") }
      )
    )
  )
  return { checkLimits, register }
})
