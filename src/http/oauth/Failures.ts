/** How many requests of a client may fail from one address in so many seconds, before no other answer is given to them. */
const LIMIT = 60
const SECONDS = 60

/** Clients and addresses that are remembered at once; anybody may invent them. */
const MAX_COUNTED = 10_000

interface Counted {
  readonly endsAt: number
  failures: number
}

/**
 * Counts what fails at the token endpoint, by client and address, in the memory of this process. Only what has failed is
 * looked at, so what succeeds pays nothing, and nobody shuts a client out who shares its address, as behind a proxy.
 * Answers the seconds to wait, where there were too many. Of more than are remembered the oldest are forgotten.
 */
export const makeFailures = () => {
  const counted = new Map<string, Counted>()

  return (client: string, address: string): number | undefined => {
    const now = performance.now()
    const key = JSON.stringify([client, address])
    const before = counted.get(key)
    const current = before !== undefined && before.endsAt > now ? before : { endsAt: now + SECONDS * 1000, failures: 0 }
    if (current !== before) {
      counted.delete(key)
      counted.set(key, current)
      const [oldest] = counted.keys()
      if (counted.size > MAX_COUNTED && oldest !== undefined) counted.delete(oldest)
    }
    current.failures++
    return current.failures > LIMIT ? Math.ceil((current.endsAt - now) / 1000) : undefined
  }
}
