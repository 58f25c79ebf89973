import type { AppId } from "../../domain/access/Ids.ts"
import type { ClaimedDelivery } from "./Claims.ts"

type Endpoint = Pick<ClaimedDelivery, "appId" | "limit">

/** Decides when to claim more deliveries. */
export type NextClaim = "now" | "soon" | "later"

/** Maximum number of finished deliveries whose results are not recorded yet. */
const MAX_UNRECORDED = 500

/**
 * Concurrency limits of one process: about `size` requests, and for each endpoint its own limit. A claim costs the database
 * nearly as much for one delivery as for ten. So the process claims again when half of a reached limit is free, or soon,
 * but not after each delivery.
 */
export const makeDeliverySlots = (size: number) => {
  const busy = new Map<AppId, number>()
  /** Endpoints that reached their limit, for which more deliveries may be due. */
  const full = new Set<AppId>()
  let isFull = false
  let running = 0
  let unrecorded = 0

  const free = () => Math.min(size - running, size + MAX_UNRECORDED - unrecorded)

  const isHalfEmpty = () => {
    if (running > size / 2) return false
    isFull = false
    return true
  }

  return {
    /** Number of running requests by endpoint. */
    busy,
    free,
    /** True if no request is running and all results are recorded. */
    isEmpty: () => unrecorded === 0,
    take: ({ appId, limit }: Endpoint) => {
      const requests = (busy.get(appId) ?? 0) + 1
      busy.set(appId, requests)
      running += 1
      unrecorded += 1
      if (requests >= limit) full.add(appId)
      if (running >= size) isFull = true
    },
    /** Frees a slot of the endpoint. */
    release: ({ appId, limit }: Endpoint): NextClaim => {
      const requests = (busy.get(appId) ?? 1) - 1
      if (requests === 0) busy.delete(appId)
      else busy.set(appId, requests)
      running -= 1
      if (isFull && isHalfEmpty()) return "now"
      if (full.has(appId) && requests <= limit / 2) {
        full.delete(appId)
        return "now"
      }
      return isFull || full.has(appId) ? "soon" : "later"
    },
    /** Notes that `count` results are recorded. */
    recorded: (count: number): NextClaim => {
      const wasFull = free() <= 0
      unrecorded -= count
      return wasFull ? "now" : "later"
    }
  }
}
