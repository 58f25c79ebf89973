import { type IncomingMessage, Server, type ServerOptions } from "node:http"
import type { Socket } from "node:net"
import { Exchange } from "./Exchange.ts"
import { Incoming } from "./Incoming.ts"

type Options = Omit<ServerOptions<typeof IncomingMessage, typeof Exchange>, "IncomingMessage" | "ServerResponse">

/** Node's server, which knows of each connection what is still to be answered on it. */
export class ApiServer extends Server<typeof IncomingMessage, typeof Exchange> {
  /** The exchanges of each connection that are not over, in their order. */
  readonly #open = new WeakMap<Socket, Set<Exchange>>()
  /** The connections that are kept for a next request. */
  readonly #idle = new Set<Socket>()

  constructor(options: Options) {
    super({ ...options, IncomingMessage: Incoming, ServerResponse: Exchange })
    this.on("connection", (socket: Socket) => {
      const open = new Set<Exchange>()
      this.#open.set(socket, open)
      socket.once("close", () => {
        this.#idle.delete(socket)
        // Node tells only the first of them, which has the socket: the others would wait for a client that is gone.
        for (const exchange of open) if (exchange.socket === null) exchange.emit("close")
      })
    })
  }

  /** Takes note of an exchange until it is over: its answer was sent whole, or given up. */
  track(exchange: Exchange): void {
    const { req } = exchange
    const { socket } = req
    const open = this.#open.get(socket)
    this.#idle.delete(socket)
    open?.add(exchange)
    const rest = () => {
      if (open?.size === 0 && !socket.destroyed) this.#idle.add(socket)
      // A connection that a client keeps open for more would hold up the stop until the client thinks of it.
      if (!this.listening) this.closeIdleConnections()
    }
    exchange.once("close", () => {
      open?.delete(exchange)
      if (req.complete) rest()
      else req.once("end", rest)
    })
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
