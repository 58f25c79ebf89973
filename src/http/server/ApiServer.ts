import { type IncomingMessage, Server, type ServerOptions } from "node:http"
import type { Socket } from "node:net"
import { type ConnectionLimits, ConnectionTracker } from "./ConnectionLimits.ts"
import { NodeResponse } from "./NodeResponse.ts"
import { NodeRequest } from "./NodeRequest.ts"

type ApiServerOptions = Omit<
  ServerOptions<typeof IncomingMessage, typeof NodeResponse>,
  "IncomingMessage" | "ServerResponse"
>

/**
 * Connections that the operating system can hand over in one turn of the event loop, before evicted ones are closed. It is
 * the backlog that Node asks for.
 */
const BACKLOG = 511

/** Node's server, with the open exchanges of each connection. */
export class ApiServer extends Server<typeof IncomingMessage, typeof NodeResponse> {
  /** The exchanges of each connection without a complete response, in their order. */
  readonly #open = new WeakMap<Socket, Set<NodeResponse>>()
  /** Connections without an open exchange. */
  readonly #idle = new Set<Socket>()
  readonly #connections: ConnectionTracker

  constructor(options: ApiServerOptions, limits: ConnectionLimits) {
    super({ ...options, IncomingMessage: NodeRequest, ServerResponse: NodeResponse })
    this.#connections = new ConnectionTracker(limits, (socket) =>
      [...(this.#open.get(socket) ?? [])].some(({ req }) => req.complete)
    )
    this.maxConnections = limits.connections + BACKLOG
    this.on("connection", (socket: Socket) => {
      const open = new Set<NodeResponse>()
      this.#open.set(socket, open)
      socket.once("close", () => {
        this.#idle.delete(socket)
        // Node emits `close` only for the first of them, which has the socket.
        for (const exchange of open) if (exchange.socket === null) exchange.emit("close")
      })
      this.#connections.add(socket)
    })
  }

  /** Tracks an exchange until its response is complete or aborted. */
  track(exchange: NodeResponse): void {
    const { req } = exchange
    const { socket } = req
    const open = this.#open.get(socket)
    this.#idle.delete(socket)
    open?.add(exchange)
    this.#connections.wait(socket)
    const rest = () => {
      if (open?.size === 0 && !socket.destroyed) this.#idle.add(socket)
      // An idle connection would delay the shutdown until the client closes it.
      if (!this.listening) this.closeIdleConnections()
    }
    exchange.once("close", () => {
      open?.delete(exchange)
      this.#connections.wait(socket)
      if (req.complete) rest()
      else req.once("end", rest)
    })
  }

  /** Exempts a connection that was upgraded to another protocol. */
  release(socket: Socket): void {
    this.#connections.release(socket)
  }

  /** The last open exchange of a connection. */
  lastOpen(socket: Socket): NodeResponse | undefined {
    return [...(this.#open.get(socket) ?? [])].at(-1)
  }

  /**
   * Closes the idle connections. Node calls it at the start of a shutdown. Its own implementation counts a connection as
   * idle while most of a response is still to be sent.
   */
  override closeIdleConnections(): void {
    for (const socket of this.#idle) socket.destroy()
  }
}
