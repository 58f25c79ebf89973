import { Effect, Schedule } from "effect"
import type { RawData, WebSocket } from "ws"
import { makeErrorReply, type Reply } from "../Reply.ts"

/** Sockets of a process, and of one who holds them. */
const MAX_SOCKETS = 1000
const MAX_SOCKETS_PER_CLIENT = 32

/** Bytes that may wait for a client: far more than it is sent before it says that it took what came before. */
const MAX_BUFFERED = 1024 * 1024

/** Pings, pongs and messages that start nothing, of one socket between two of our pings: a client sends three or so. */
export const MAX_CONTROL_FRAMES = 60

/** How often a client is asked whether it is still there. One that has not answered by the next time is not. */
const PING_INTERVAL = "20 seconds"

/** Milliseconds in which a client must agree to the end of its socket. */
const CLOSE_TIMEOUT = 2000

/** Close codes of WebSockets (RFC 6455, section 7.4.1). */
const GOING_AWAY = 1001
const UNSUPPORTED_DATA = 1003
const POLICY_VIOLATION = 1008

const STOPPING = makeErrorReply(503, "The service is stopping; open the socket again", { "retry-after": "1" })
const TOO_MANY_SOCKETS = makeErrorReply(
  503,
  `The service holds ${MAX_SOCKETS} sockets already; try again in a few seconds`,
  {
    "retry-after": "5"
  }
)
const TOO_MANY_OF_CLIENT = makeErrorReply(
  429,
  `${MAX_SOCKETS_PER_CLIENT} sockets are open already; close those that are no longer looked at`,
  {
    "retry-after": "5"
  }
)

/** The other end of a socket. */
interface SocketPeer {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Stops reading, so that the client's frames wait on its side. */
  readonly pause: () => void
  readonly resume: () => void
  /** Counts a message that starts nothing, and closes the socket if there are too many. */
  readonly countControl: () => void
}

/** Who may hold a socket: whose it is counted among, and what is said over it. */
export interface SocketClient {
  readonly id: string
  readonly converse: (peer: SocketPeer) => { readonly receive: (text: string) => void; readonly end: () => void }
}

/** A socket that is open. */
interface OpenSocket extends SocketPeer {
  readonly id: string
  /** Asks whether its client is there, or ends it. */
  readonly ask: () => void
}

/** Of the forms that there are, those that are set up come. */
const toText = (data: RawData) => (Buffer.isBuffer(data) ? data.toString() : "")

/**
 * The sockets of a process. How many there are is bounded, and what waits for each: one whose client takes nothing, or is
 * not there, is ended. At the end of the scope all of them are told that the service goes away.
 */
export const makeSocketRegistry = Effect.gen(function* () {
  const sockets = new Set<OpenSocket>()
  let isStopping = false

  /** Why no other socket can be opened, if none can. */
  const refusalFor = (id: string): Reply | undefined => {
    if (isStopping) return STOPPING
    if (sockets.size >= MAX_SOCKETS) return TOO_MANY_SOCKETS
    return [...sockets].filter((open) => open.id === id).length < MAX_SOCKETS_PER_CLIENT
      ? undefined
      : TOO_MANY_OF_CLIENT
  }

  const hold = (socket: WebSocket, { converse, id }: SocketClient) => {
    let isThere = true
    let isOver = false
    /** Says something, unless so much waits already that nobody can be reading. */
    const bounded = (say: () => void) => {
      if (socket.bufferedAmount > MAX_BUFFERED) socket.terminate()
      else if (!isOver) say()
    }
    const close = (code: number, reason: string) => {
      if (isOver) return
      end()
      socket.close(code, reason)
      const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT)
      socket.once("close", () => clearTimeout(timer))
    }
    let controls = 0
    const countControl = () => {
      if (++controls <= MAX_CONTROL_FRAMES || isOver) return
      socket.pause()
      close(
        POLICY_VIOLATION,
        `More than ${MAX_CONTROL_FRAMES} pings or acknowledgements of nothing in ${PING_INTERVAL}`
      )
    }
    const ask = () => {
      controls = 0
      if (!isThere) return socket.terminate()
      isThere = false
      bounded(() => socket.ping())
    }
    const open: OpenSocket = {
      id,
      ask,
      close,
      countControl,
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      send: (text) => bounded(() => socket.send(text))
    }
    const conversation = converse(open)
    const end = () => {
      if (!isOver) conversation.end()
      isOver = true
    }
    sockets.add(open)
    socket.on("message", (data, isBinary) => {
      if (isBinary) close(UNSUPPORTED_DATA, "Frames are text")
      else if (!isOver) conversation.receive(toText(data))
    })
    socket.on("ping", (data) => {
      countControl()
      bounded(() => socket.pong(data))
    })
    socket.on("pong", () => {
      countControl()
      isThere = true
    })
    // Why it broke, or which rule of the protocol was not kept: the close comes behind it, with its code.
    socket.on("error", end)
    socket.once("close", () => {
      end()
      sockets.delete(open)
    })
  }

  yield* Effect.forkScoped(
    Effect.repeat(
      Effect.sync(() => sockets.forEach(({ ask }) => ask())),
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
  return { hold, refusalFor }
})
