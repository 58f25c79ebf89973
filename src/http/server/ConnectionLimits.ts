import { BlockList, isIPv6, type Socket } from "node:net"
import { networkOf } from "../../domain/Network.ts"

/** Bounds of the connections that the service holds. */
export interface ConnectionLimits {
  readonly connections: number
  /** Connections of one client address: of the /64 network of one of IPv6, which a single client has all of. */
  readonly perAddress: number
  /** Addresses that many clients share, as a proxy's, and so are not bounded by `perAddress`. */
  readonly isExempt: (address: string) => boolean
}

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

/** Programs on this machine: mostly a proxy, whose clients all come from there. */
export const isLoopback = (address: string): boolean => loopback.check(address, isIPv6(address) ? "ipv6" : "ipv4")

/**
 * The connections of a server, and which of them are still to send a whole request. Node's `maxConnections` refuses the
 * newest connection, so sockets that send nothing would keep everybody out until they time out. Here a newcomer takes the place of
 * the one that has waited longest: a client that sends its request at once is in time.
 */
export class ConnectionTracker {
  readonly #limits: ConnectionLimits
  /** True of a connection with a request that was received whole and is not answered yet. */
  readonly #isServed: (socket: Socket) => boolean
  /** The network of each connection; empty for one that is exempt. */
  readonly #open = new Map<Socket, string>()
  readonly #counts = new Map<string, number>()
  /** Those that may still have to send a request, in the order in which they began to wait. */
  readonly #waiting = new Set<Socket>()

  constructor(limits: ConnectionLimits, isServed: (socket: Socket) => boolean) {
    this.#limits = limits
    this.#isServed = isServed
  }

  /** Holds a new connection, or closes it unanswered where there is no room and nobody to make it. */
  add(socket: Socket): void {
    const { connections, isExempt, perAddress } = this.#limits
    const address = socket.remoteAddress
    const network = address === undefined || isExempt(address) ? "" : networkOf(address)
    const isCrowded = network !== "" && this.#countOf(network) >= perAddress
    const hasRoom = isCrowded ? this.#evict(network) : this.#open.size < connections || this.#evict()
    if (!hasRoom) {
      socket.destroy()
      return
    }
    this.#open.set(socket, network)
    this.#counts.set(network, this.#countOf(network) + 1)
    this.#waiting.add(socket)
    socket.once("close", () => this.#remove(socket))
  }

  /** Lets a connection wait for a request from now on. */
  wait(socket: Socket): void {
    this.#waiting.delete(socket)
    if (this.#open.has(socket)) this.#waiting.add(socket)
  }

  /** Keeps a connection that serves another protocol by now, with bounds of its own. */
  release(socket: Socket): void {
    this.#waiting.delete(socket)
  }

  #countOf(network: string) {
    return this.#counts.get(network) ?? 0
  }

  /** Closes the connection that has waited longest for its client to send a request, if there is one. */
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
