import { Deferred, Effect, Queue, type Scope } from "effect"
import { type Rpc, type RpcGroup, RpcSerialization, RpcServer } from "effect/rpc"
import type { FromClientEncoded, FromServerEncoded } from "effect/rpc/RpcMessage"

/** The transport of a server. */
interface Transport {
  readonly clients: ReadonlyMap<number, unknown>
  readonly send: (clientId: number, message: FromServerEncoded) => Effect.Effect<void>
  /** True if clients acknowledge each chunk of a stream. */
  readonly supportsAck: boolean
}

/** The interface of a server for its transport. */
interface Server {
  /** Handles a message of a client. Handlers inherit the context of the calling fiber. */
  readonly write: (clientId: number, message: FromClientEncoded) => Effect.Effect<void>
  /** Interrupts the calls of a client. */
  readonly disconnect: (clientId: number) => void
}

/** Starts `RpcServer` for a group. A defect fails only its call, not other calls of the client. */
export const serveGroup = <Rpcs extends Rpc.Any>(
  group: RpcGroup.RpcGroup<Rpcs>,
  { clients, send, supportsAck }: Transport
): Effect.Effect<Server, never, Rpc.ToHandler<Rpcs> | Rpc.Middleware<Rpcs> | Rpc.ServicesServer<Rpcs> | Scope.Scope> =>
  Effect.gen(function* () {
    const disconnects = yield* Queue.make<number>()
    const receiver = yield* Deferred.make<Server["write"]>()
    const protocol = RpcServer.Protocol.of({
      run: (receive) => Effect.andThen(Deferred.succeed(receiver, receive), Effect.never),
      disconnects,
      send,
      end: () => Effect.void,
      clientIds: Effect.sync(() => new Set(clients.keys())),
      initialMessage: Effect.succeedNone,
      supportsAck,
      supportsTransferables: false,
      supportsSpanPropagation: false,
      supportsNotifications: false,
      codecFor: RpcSerialization.ndjson.codecFor
    })
    yield* RpcServer.make(group, { disableFatalDefects: true }).pipe(
      Effect.provideService(RpcServer.Protocol, protocol),
      Effect.forkScoped
    )
    const write: Server["write"] = (clientId, message) =>
      Effect.flatMap(Deferred.await(receiver), (receive) => receive(clientId, message))
    return { write, disconnect: (clientId) => Queue.offerUnsafe(disconnects, clientId) }
  })
