import type { AppId } from "../../domain/access/Apps.ts"
import type { ClaimedDelivery } from "./DeliveryQueue.ts"

type Share = Pick<ClaimedDelivery, "appId" | "limit">

/** When to look for more. */
export type NextClaim = "now" | "soon" | "later"

/** Deliveries that a process has beyond those under way: they ended, and that is not written down yet. */
const MAX_UNWRITTEN = 500

/**
 * What one process has taken on: at most about `size` requests under way, of each endpoint at most its limit. A claim
 * costs the database nearly as much for one delivery as for ten, so there is another one when half of what was full has
 * ended, or soon, and not for each that ends.
 */
export const makeDeliverySlots = (size: number) => {
  const busy = new Map<AppId, number>()
  /** Endpoints that got all they may have at once, so that more may wait for them. */
  const full = new Set<AppId>()
  let isFull = false
  let underWay = 0
  let unwritten = 0

  const free = () => Math.min(size - underWay, size + MAX_UNWRITTEN - unwritten)

  /** Whether all of it has come down to half of what there may be. */
  const isHalfEmpty = () => {
    if (underWay > size / 2) return false
    isFull = false
    return true
  }

  return {
    busy,
    free,
    /** Nothing is under way, and all is written down. */
    isEmpty: () => unwritten === 0,
    take: ({ appId, limit }: Share) => {
      const now = (busy.get(appId) ?? 0) + 1
      busy.set(appId, now)
      underWay += 1
      unwritten += 1
      if (now >= limit) full.add(appId)
      if (underWay >= size) isFull = true
    },
    /** The endpoint may be sent the next one. */
    ended: ({ appId, limit }: Share): NextClaim => {
      const now = (busy.get(appId) ?? 1) - 1
      if (now === 0) busy.delete(appId)
      else busy.set(appId, now)
      underWay -= 1
      if (isFull && isHalfEmpty()) return "now"
      if (full.has(appId) && now <= limit / 2) {
        full.delete(appId)
        return "now"
      }
      return isFull || full.has(appId) ? "soon" : "later"
    },
    writtenDown: (count: number): NextClaim => {
      const wasFull = free() <= 0
      unwritten -= count
      return wasFull ? "now" : "later"
    }
  }
}
