/*
 * Works around Node's `maxConnections`, which refuses the newest connection and knows no limit for an address.
 */

import { BlockList, isIPv6, type Socket } from "node:net"
import { networkOf } from "../../domain/Network.ts"

/** Limits of open connections. */
export interface ConnectionLimits {
  readonly connections: number
  /** Connections of one client address. For IPv6 of one /64 network, because a single client can have all of it. */
  readonly perAddress: number
  /** Tests for an address that many clients share, like a proxy's. `perAddress` does not apply to it. */
  readonly isExempt: (address: string) => boolean
}

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

/** True for a loopback address. It is usually a local proxy, which many clients share. */
export const isLoopback = (address: string): boolean => loopback.check(address, isIPv6(address) ? "ipv6" : "ipv4")

/**
 * Tracks the connections of a server and those without a complete request. Node's `maxConnections` refuses the newest
 * connection, so idle sockets would block all other clients until they time out. Here a new connection evicts the one
 * that has waited longest for a request.
 */
export class ConnectionTracker {
  readonly #limits: ConnectionLimits
  /** Tests for a connection with a complete request that has no complete response. */
  readonly #isServed: (socket: Socket) => boolean
  /** The network of each connection. Empty for an exempt one. */
  readonly #open = new Map<Socket, string>()
  readonly #counts = new Map<string, number>()
  /** Connections that may still have to send a request, the longest waiting first. */
  readonly #waiting = new Set<Socket>()

  constructor(limits: ConnectionLimits, isServed: (socket: Socket) => boolean) {
    this.#limits = limits
    this.#isServed = isServed
  }

  /** Adds a connection. Closes it if the limits are reached and no other connection can be evicted. */
  add(socket: Socket): void {
    const { connections, isExempt, perAddress } = this.#limits
    const address = socket.remoteAddress
    const network = address === undefined || isExempt(address) ? "" : networkOf(address)
    const isNetworkFull = network !== "" && this.#countOf(network) >= perAddress
    const isAdmitted = isNetworkFull ? this.#evict(network) : this.#open.size < connections || this.#evict()
    if (!isAdmitted) {
      socket.destroy()
      return
    }
    this.#open.set(socket, network)
    this.#counts.set(network, this.#countOf(network) + 1)
    this.#waiting.add(socket)
    socket.once("close", () => this.#remove(socket))
  }

  /** Marks a connection as waiting for a request, the most recent of all. */
  markWaiting(socket: Socket): void {
    this.#waiting.delete(socket)
    if (this.#open.has(socket)) this.#waiting.add(socket)
  }

  /** Exempts a connection from eviction. Another protocol with its own limits uses it now. */
  release(socket: Socket): void {
    this.#waiting.delete(socket)
  }

  #countOf(network: string) {
    return this.#counts.get(network) ?? 0
  }

  /** Closes the connection that has waited longest for a request. Returns false if there is none. */
  #evict(network?: string) {
    for (const socket of this.#waiting) {
      if (this.#isServed(socket) || (network !== undefined && this.#open.get(socket) !== network)) continue
      this.#remove(socket)
      socket.destroy()
      return true
    }
    return false
  }

  #remove(socket: Socket) {
    const network = this.#open.get(socket)
    if (network === undefined) return
    this.#open.delete(socket)
    this.#waiting.delete(socket)
    const count = this.#countOf(network) - 1
    if (count === 0) this.#counts.delete(network)
    else this.#counts.set(network, count)
  }
}
