import { Clock, Effect, Schedule } from "effect"
import type { StoreId } from "../../domain/Store.ts"
import { logFailure } from "../../domain/Unavailable.ts"
import type { Principal } from "../Principal.ts"
import { makeEndedAccess } from "./EndedAccess.ts"
import { type Peer, REFUSED } from "./SocketFrames.ts"

/** Timeout in milliseconds for the acknowledgement of a chunk. */
const ACK_TIMEOUT = 30_000

/** Interval of the checks of access and acknowledgements. */
const CHECK_INTERVAL = "1 second"

/** A stream in progress. */
interface ActiveStream {
  /** Stores of the stream, if its principal is a merchant. */
  readonly stores: ReadonlyArray<StoreId>
  /** Time of the unacknowledged chunk in milliseconds. */
  sentAt: number | undefined
}

/** An open socket. */
export interface OpenSocket {
  readonly principal: Principal
  readonly peer: Peer
  readonly running: Map<string, ActiveStream>
}

const storesIn = ({ running }: OpenSocket) => [...running.values()].flatMap(({ stores }) => stores)

/** Closes sockets whose session has ended or whose agent was revoked. */
const makeAccessCheck = (sockets: ReadonlyMap<number, OpenSocket>) =>
  Effect.gen(function* () {
    const { findEnded } = yield* makeEndedAccess
    const check = Effect.gen(function* () {
      const open = [...sockets.values()].map((socket) => ({ ...socket, stores: storesIn(socket) }))
      const ended = yield* findEnded(open)
      for (const { peer } of ended) peer.close(REFUSED, "The session has ended or the agent was revoked")
    })
    // Logs only the first failure of an outage.
    return Effect.catchCause(check, (cause) =>
      Effect.andThen(
        logFailure("Cannot check if sessions have ended", cause),
        Effect.retry(Effect.delay(Effect.sandbox(check), CHECK_INTERVAL), Schedule.forever)
      )
    )
  })

/** Closes the sockets of clients that do not acknowledge chunks. */
const closeUnacknowledged = (sockets: ReadonlyMap<number, OpenSocket>) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    for (const { peer, running } of sockets.values()) {
      const isLate = [...running.values()].some(({ sentAt = now }) => now - sentAt > ACK_TIMEOUT)
      if (isLate) peer.close(REFUSED, "The client did not acknowledge a chunk in time")
    }
  })

/** Checks open sockets every second until the scope ends. */
export const checkSockets = Effect.fnUntraced(function* (sockets: ReadonlyMap<number, OpenSocket>) {
  const checkAccess = yield* makeAccessCheck(sockets)
  for (const check of [checkAccess, closeUnacknowledged(sockets)]) {
    yield* Effect.forkScoped(Effect.repeat(check, Schedule.spaced(CHECK_INTERVAL)))
  }
})
