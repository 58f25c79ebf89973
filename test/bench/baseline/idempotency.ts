import { createHash } from "node:crypto"
import type Pg from "pg"
import type { Installation } from "./admission.ts"
import { inTransaction } from "./database.ts"
import { HttpError } from "./errors.ts"

export interface StoredResponse {
  readonly status: number
  readonly body: string
}

export interface Outcome extends StoredResponse {
  readonly replayed: boolean
}

const CLAIM = {
  name: "claim",
  text: `
    insert into idempotency_records (installation_id, key, fingerprint) values ($1, $2, $3)
    on conflict do nothing
  `
}

const FIND = {
  name: "find-record",
  text: `
    select fingerprint = $3 as same, expires_at > now() as live, status, body
    from idempotency_records where installation_id = $1 and key = $2
  `
}

const FORGET = {
  name: "forget-record",
  text: "delete from idempotency_records where installation_id = $1 and key = $2 and expires_at <= now()"
}

const STORE = {
  name: "store-response",
  text: "update idempotency_records set status = $3, body = $4 where installation_id = $1 and key = $2"
}

const sortKeys = (_: string, value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** SHA-256 of a request, independent of the key order and white space of its body. */
export const fingerprintOf = (method: string, url: string, body: unknown): Buffer =>
  createHash("sha256")
    .update(`${method} ${url}\n${JSON.stringify(body, sortKeys)}`)
    .digest()

export const keyOf = (header: string | Array<string> | undefined): string => {
  if (typeof header !== "string" || header === "") {
    throw new HttpError(400, "missing_key", ["Idempotency-Key: is required"])
  }
  if (!/^[!-~]{1,255}$/.test(header))
    throw new HttpError(400, "invalid_key", ["Idempotency-Key: must be visible ASCII"])
  return header
}

/** Runs `operation` and stores its response in one transaction, or returns the response of an earlier request. */
export const once = (
  pool: Pg.Pool,
  { id }: Installation,
  key: string,
  fingerprint: Buffer,
  operation: (client: Pg.PoolClient) => Promise<StoredResponse>
): Promise<Outcome> =>
  inTransaction(pool, async (client) => {
    const claim = () => client.query({ ...CLAIM, values: [id, key, fingerprint] })
    while ((await claim()).rowCount === 0) {
      const { rows } = await client.query<StoredResponse & { same: boolean; live: boolean }>({
        ...FIND,
        values: [id, key, fingerprint]
      })
      const [record] = rows
      if (record?.live === true) {
        if (!record.same) throw new HttpError(409, "This Idempotency-Key was used with a different request")
        return { status: record.status, body: record.body, replayed: true }
      }
      await client.query({ ...FORGET, values: [id, key] })
    }
    const answer = await operation(client)
    await client.query({ ...STORE, values: [id, key, answer.status, answer.body] })
    return { ...answer, replayed: false }
  })
