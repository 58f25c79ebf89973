/** Failed requests of a client from one address in {@link SECONDS}, before all its failures get 429. */
const LIMIT = 60
const SECONDS = 60

/** Client and address pairs in memory. Any sender can invent them. */
const MAX_COUNTED = 10_000

interface FailureCount {
  readonly endsAt: number
  failures: number
}

/**
 * Counts failures at the token endpoint by client and address, in the memory of this process. Only failures count, so
 * nobody can lock out a client behind the same proxy. Returns the seconds to wait after too many. Beyond
 * {@link MAX_COUNTED} pairs, the oldest are dropped.
 */
export const makeFailureThrottle = () => {
  const counts = new Map<string, FailureCount>()

  return (client: string, address: string): number | undefined => {
    const now = performance.now()
    const key = JSON.stringify([client, address])
    const before = counts.get(key)
    const current = before !== undefined && before.endsAt > now ? before : { endsAt: now + SECONDS * 1000, failures: 0 }
    if (current !== before) {
      counts.delete(key)
      counts.set(key, current)
      const [oldest] = counts.keys()
      if (counts.size > MAX_COUNTED && oldest !== undefined) counts.delete(oldest)
    }
    current.failures++
    return current.failures > LIMIT ? Math.ceil((current.endsAt - now) / 1000) : undefined
  }
}
