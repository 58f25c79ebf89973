import { Clock, Effect, Schedule } from "effect"
import { Agents } from "../../domain/access/Agents.ts"
import { Sessions } from "../../domain/access/Sessions.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Principal } from "../Principal.ts"
import { type Peer, REFUSED } from "./SocketFrames.ts"

/** Milliseconds in which a client acknowledges a chunk, before its socket is closed. */
const ACK_TIMEOUT = 30_000

/** Interval of the checks that holders may keep their sockets, and that clients acknowledge chunks. */
const CHECK_INTERVAL = "1 second"

/** A stream under way. */
interface ActiveStream {
  /** The stores whose changes a merchant follows. */
  readonly stores: ReadonlyArray<StoreId>
  /** Time of the chunk that the client has not acknowledged yet. */
  sentAt: number | undefined
}

/** A socket that is open. */
export interface OpenSocket {
  readonly holder: Principal
  readonly peer: Peer
  readonly running: Map<string, ActiveStream>
}

const storesIn = ({ running }: OpenSocket) => [...running.values()].flatMap(({ stores }) => stores)

/** Closes the sockets of those who may no longer hold one: their session has ended, or an agent was revoked. */
const makeHolderCheck = (sockets: ReadonlyMap<number, OpenSocket>) =>
  Effect.gen(function* () {
    const agents = yield* Agents
    const sessions = yield* Sessions
    const check = Effect.gen(function* () {
      const open = [...sockets.values()]
      const byMerchants = open.flatMap((one) =>
        one.holder._tag === "Merchant"
          ? [{ peer: one.peer, merchantId: one.holder.id, sessionId: one.holder.sessionId, stores: storesIn(one) }]
          : []
      )
      const byAgents = open.flatMap(({ holder, peer }) => (holder._tag === "Agent" ? [{ peer, ...holder }] : []))
      const ended = byMerchants.length === 0 ? [] : yield* sessions.ended(byMerchants)
      const revoked = byAgents.length === 0 ? [] : yield* agents.ended(byAgents)
      const gone = [...ended.map((place) => byMerchants[place]), ...revoked.map((place) => byAgents[place])]
      for (const one of gone) one?.peer.close(REFUSED, "Who opened the socket may no longer hold it")
    })
    // Logs an outage once.
    return Effect.catchCause(check, (cause) =>
      Effect.andThen(
        Effect.logWarning("Whether sessions have ended cannot be looked at", cause),
        Effect.retry(Effect.delay(Effect.sandbox(check), CHECK_INTERVAL), Schedule.forever)
      )
    )
  })

/** Closes the sockets of clients that do not acknowledge chunks. */
const closeUnacknowledged = (sockets: ReadonlyMap<number, OpenSocket>) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    for (const { peer, running } of sockets.values()) {
      const isLate = [...running.values()].some(({ sentAt = now }) => now - sentAt > ACK_TIMEOUT)
      if (isLate) peer.close(REFUSED, "What was sent was not taken")
    }
  })

/** Checks open sockets every second until the scope ends. */
export const checkSockets = Effect.fnUntraced(function* (sockets: ReadonlyMap<number, OpenSocket>) {
  const checkHolders = yield* makeHolderCheck(sockets)
  for (const check of [checkHolders, closeUnacknowledged(sockets)]) {
    yield* Effect.forkScoped(Effect.repeat(check, Schedule.spaced(CHECK_INTERVAL)))
  }
})
