import { type IncomingMessage, Server, type ServerOptions } from "node:http"
import type { Socket } from "node:net"
import { type ConnectionLimits, Connections } from "./ConnectionLimits.ts"
import { Exchange } from "./Exchange.ts"
import { Incoming } from "./Incoming.ts"

type Options = Omit<ServerOptions<typeof IncomingMessage, typeof Exchange>, "IncomingMessage" | "ServerResponse">

/**
 * Connections that the system may hand over in one turn, before any of those that make room for them is closed: as many as
 * Node lets wait in the system.
 */
const BACKLOG = 511

/** Node's server, which knows of each connection what is still to be answered on it. */
export class ApiServer extends Server<typeof IncomingMessage, typeof Exchange> {
  /** The exchanges of each connection that are not over, in their order. */
  readonly #open = new WeakMap<Socket, Set<Exchange>>()
  /** The connections that are kept for a next request. */
  readonly #idle = new Set<Socket>()
  readonly #connections: Connections

  constructor(options: Options, limits: ConnectionLimits) {
    super({ ...options, IncomingMessage: Incoming, ServerResponse: Exchange })
    this.#connections = new Connections(limits, (socket) =>
      [...(this.#open.get(socket) ?? [])].some(({ req }) => req.complete)
    )
    this.maxConnections = limits.connections + BACKLOG
    this.on("connection", (socket: Socket) => {
      const open = new Set<Exchange>()
      this.#open.set(socket, open)
      socket.once("close", () => {
        this.#idle.delete(socket)
        // Node tells only the first of them, which has the socket: the others would wait for a client that is gone.
        for (const exchange of open) if (exchange.socket === null) exchange.emit("close")
      })
      this.#connections.add(socket)
    })
  }

  /** Takes note of an exchange until it is over: its answer was sent whole, or given up. */
  track(exchange: Exchange): void {
    const { req } = exchange
    const { socket } = req
    const open = this.#open.get(socket)
    this.#idle.delete(socket)
    open?.add(exchange)
    this.#connections.wait(socket)
    const rest = () => {
      if (open?.size === 0 && !socket.destroyed) this.#idle.add(socket)
      // A connection that a client keeps open for more would hold up the stop until the client thinks of it.
      if (!this.listening) this.closeIdleConnections()
    }
    exchange.once("close", () => {
      open?.delete(exchange)
      this.#connections.wait(socket)
      if (req.complete) rest()
      else req.once("end", rest)
    })
  }

  /** Keeps a connection that no longer serves HTTP. */
  release(socket: Socket): void {
    this.#connections.release(socket)
  }

  /** The exchange of a connection that is answered last of those that it has now. */
  lastOpen(socket: Socket): Exchange | undefined {
    return [...(this.#open.get(socket) ?? [])].at(-1)
  }

  /**
   * Closes what is kept for later. Node, which also does this as the first of a stop, takes for idle what has an answer of
   * which most is still to be sent.
   */
  override closeIdleConnections(): void {
    for (const socket of this.#idle) socket.destroy()
  }
}
