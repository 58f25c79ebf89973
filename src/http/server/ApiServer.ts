/*
 * Works around Node's server, which emits `close` only for the first pipelined response and does not tell which
 * connections have open ones.
 */

import { type IncomingMessage, Server, type ServerOptions } from "node:http"
import type { Socket } from "node:net"
import { type ConnectionLimits, ConnectionTracker } from "./ConnectionLimits.ts"
import { NodeRequest } from "./NodeRequest.ts"
import { NodeResponse } from "./NodeResponse.ts"

type ApiServerOptions = Omit<
  ServerOptions<typeof IncomingMessage, typeof NodeResponse>,
  "IncomingMessage" | "ServerResponse"
>

/**
 * Connections that the operating system can hand over in one tick of the event loop, before evicted ones close. It is the
 * backlog that Node requests.
 */
const BACKLOG = 511

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"])

/** Node's server, which also tracks the open responses of each connection. */
export class ApiServer extends Server<typeof IncomingMessage, typeof NodeResponse> {
  /** The incomplete responses of each connection, in the order of their requests. */
  readonly #open = new WeakMap<Socket, Set<NodeResponse>>()
  /** Connections without an open response. */
  readonly #idle = new Set<Socket>()
  readonly #connections: ConnectionTracker
  #isDraining = false

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
        // Node emits `close` only for the first response, to which the socket is assigned.
        for (const response of open) if (response.socket === null) response.emit("close")
      })
      this.#connections.add(socket)
    })
  }

  /** Tracks a response until it is complete or aborted. */
  track(response: NodeResponse): void {
    const { req } = response
    const { socket } = req
    if (this.#isDraining) response.shouldKeepAlive = false
    const open = this.#open.get(socket)
    this.#idle.delete(socket)
    open?.add(response)
    this.#connections.markWaiting(socket)
    const markIdle = () => {
      if (open?.size === 0 && !socket.destroyed) this.#idle.add(socket)
      // An idle connection would delay the shutdown until the client closes it.
      if (!this.listening) this.closeIdleConnections()
    }
    response.once("close", () => {
      open?.delete(response)
      this.#startReady(socket)
      this.#connections.markWaiting(socket)
      if (req.complete) markIdle()
      else req.once("end", markIdle)
    })
  }

  /**
   * Handles a request in the order of its connection: only safe requests run in parallel (RFC 9112, section 9.3.2). The
   * response must be tracked.
   */
  handleInOrder(response: NodeResponse, handle: () => void): void {
    response.handle = handle
    this.#startReady(response.req.socket)
  }

  /** Starts the requests of a connection that wait for no earlier one. */
  #startReady(socket: Socket): void {
    // No response can be sent after the end of the connection, so the rest is not handled.
    if (!socket.writable) return
    for (const [index, response] of [...(this.#open.get(socket) ?? [])].entries()) {
      const isSafe = SAFE_METHODS.has(response.req.method)
      if (!isSafe && index > 0) return
      const { handle } = response
      response.handle = undefined
      handle?.()
      if (!isSafe) return
    }
  }

  /** Ends each connection after its next response, so that its client connects elsewhere before the listener closes. */
  drain(): void {
    this.#isDraining = true
  }

  /** Exempts a connection from eviction after its upgrade to another protocol. */
  release(socket: Socket): void {
    this.#connections.release(socket)
  }

  /** Finds the last open response of a connection. */
  lastOpen(socket: Socket): NodeResponse | undefined {
    return [...(this.#open.get(socket) ?? [])].at(-1)
  }

  /**
   * Closes the idle connections. Node calls it at the start of a shutdown. Node's own implementation counts a connection
   * as idle while most of a response is still to be sent.
   */
  override closeIdleConnections(): void {
    for (const socket of this.#idle) socket.destroy()
  }
}
