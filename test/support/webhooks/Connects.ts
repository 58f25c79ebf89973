import { Effect, Predicate } from "effect"
import { Socket, type LookupFunction } from "node:net"
import { isPublic } from "../../../src/domain/webhooks/Address.ts"

/** Connections that sockets of this process attempted. */
export interface Connects {
  /** Attempted connections. Services that other tests share connect too, so tests look at their own ports. */
  readonly attempted: Array<{ readonly address: string; readonly port: number }>
  /** Public addresses of connections that were prevented: tests send nothing to the internet. */
  readonly offered: Array<string>
}

const isLookup = (value: unknown): value is LookupFunction => typeof value === "function"

/** Fails a socket's lookup if all its addresses are public, so that it does not connect. */
const withheld =
  (lookup: LookupFunction, { offered }: Connects): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      if (error !== null) return callback(error, [])
      const addresses = typeof found === "string" ? [found] : found.map(({ address }) => address)
      if (!addresses.every(isPublic)) return callback(null, found, family)
      offered.push(...addresses)
      return callback(new Error("The test connects to no public address"), [])
    })

/** Watches all sockets, including those of TLS, where Node starts to connect. */
export const watchConnects = Effect.acquireRelease(
  Effect.sync(() => {
    const connects: Connects = { attempted: [], offered: [] }
    const { connect } = Socket.prototype
    function watched(this: Socket, ...args: ReadonlyArray<unknown>): unknown {
      this.on("connectionAttempt", (address: string, port: number) => connects.attempted.push({ address, port }))
      const [options] = args.flat()
      if (Predicate.hasProperty(options, "lookup") && isLookup(options.lookup))
        Object.assign(options, { lookup: withheld(options.lookup, connects) })
      return Reflect.apply(connect, this, args)
    }
    const restore = () => Object.defineProperty(Socket.prototype, "connect", { value: connect })
    Object.defineProperty(Socket.prototype, "connect", { value: watched, configurable: true, writable: true })
    return { connects, restore }
  }),
  ({ restore }) => Effect.sync(restore)
).pipe(Effect.map(({ connects }) => connects))
