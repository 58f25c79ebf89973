import { createHash } from "node:crypto"
import type Pg from "pg"
import { HttpError } from "./errors.ts"

export interface Installation {
  readonly id: string
  readonly storeId: string
  readonly scopes: ReadonlyArray<string>
  readonly capabilities: ReadonlyArray<string>
}

// Authenticates and counts a request in one statement. The row lock serializes the requests of an installation. After a
// wait PostgreSQL evaluates condition and new value again, so the count is exact.
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

const EXPLAIN_REFUSAL = {
  name: "explain-refusal",
  text: `
    select i.is_active as "isActive", s.deleted_at is not null as "isGone"
    from access_tokens t join installations i on i.id = t.installation_id join stores s on s.id = i.store_id
    where t.token_hash = $1 and t.expires_at > now()
  `
}

const refusal = async (pool: Pg.Pool, hash: Buffer): Promise<HttpError> => {
  const { rows } = await pool.query<{ isActive: boolean; isGone: boolean }>({ ...EXPLAIN_REFUSAL, values: [hash] })
  const [row] = rows
  if (row === undefined) return new HttpError(401, "The bearer token is missing, invalid or expired")
  if (!row.isActive) return new HttpError(403, "The installation is not active")
  if (row.isGone) return new HttpError(404, "The store was not found")
  return new HttpError(429, "Rate limit exceeded")
}

/** Authenticates a token and counts the request, or throws the reason for a refusal. */
export const admit = async (pool: Pg.Pool, authorization: string | undefined): Promise<Installation> => {
  if (authorization?.startsWith("Bearer ") !== true) {
    throw new HttpError(401, "The bearer token is missing, invalid or expired")
  }
  const hash = createHash("sha256").update(authorization.slice(7)).digest()
  const { rows } = await pool.query<Installation>({ ...ADMIT, values: [hash] })
  const [installation] = rows
  if (installation === undefined) throw await refusal(pool, hash)
  return installation
}
