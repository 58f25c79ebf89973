import { createHash } from "node:crypto"
import type Pg from "pg"
import { Refused } from "./failures.ts"

export interface Installation {
  readonly id: string
  readonly storeId: string
  readonly scopes: ReadonlyArray<string>
  readonly capabilities: ReadonlyArray<string>
}

// One statement and one round trip: who asks, and the rolling window. The row lock serializes the requests of one
// installation; after a wait PostgreSQL evaluates both the condition and the new value anew, so the count is exact.
const ADMIT = {
  name: "admit",
  text: `
    update rate_windows w
    set hits = (case when cardinality(w.hits) >= 100 then w.hits[2:] else w.hits end) || clock_timestamp()
    from access_tokens t
    join installations i on i.id = t.installation_id
    join stores s on s.id = i.store_id
    where t.token_hash = $1 and t.expires_at > now() and i.is_active and s.deleted_at is null
      and w.installation_id = i.id
      and (cardinality(w.hits) < 100 or w.hits[1] <= clock_timestamp() - interval '60 seconds')
    returning i.id, i.store_id as "storeId", i.scopes, i.capabilities
  `
}

const WHY_NOT = {
  name: "why-not",
  text: `
    select i.is_active as "isActive", s.deleted_at is not null as "isGone"
    from access_tokens t join installations i on i.id = t.installation_id join stores s on s.id = i.store_id
    where t.token_hash = $1 and t.expires_at > now()
  `
}

const refusal = async (pool: Pg.Pool, hash: Buffer): Promise<Refused> => {
  const { rows } = await pool.query<{ isActive: boolean; isGone: boolean }>({ ...WHY_NOT, values: [hash] })
  const [found] = rows
  if (found === undefined) return new Refused(401, "The bearer token is missing, invalid or expired")
  if (!found.isActive) return new Refused(403, "The installation is not active")
  if (found.isGone) return new Refused(404, "The store was not found")
  return new Refused(429, "Rate limit exceeded")
}

/** Admits the bearer of a token and counts the request, or throws why not. */
export const admit = async (pool: Pg.Pool, authorization: string | undefined): Promise<Installation> => {
  if (authorization?.startsWith("Bearer ") !== true) {
    throw new Refused(401, "The bearer token is missing, invalid or expired")
  }
  const hash = createHash("sha256").update(authorization.slice(7)).digest()
  const { rows } = await pool.query<Installation>({ ...ADMIT, values: [hash] })
  const [installation] = rows
  if (installation === undefined) throw await refusal(pool, hash)
  return installation
}
