import type Pg from "pg"
import type { Installation } from "./admission.ts"
import { notFound, HttpError } from "./errors.ts"
import type { StoredResponse } from "./idempotency.ts"

export interface EntryBody {
  readonly key: string
  readonly value: unknown
  readonly ttlSeconds?: number
}

const name = (max: number) => ({ type: "string", pattern: `^[A-Za-z0-9._:-]{1,${max}}$` })

export const inNamespace = { type: "object", properties: { namespace: name(64) }, required: ["namespace"] }
export const byKey = { type: "object", properties: { key: name(256) }, required: ["key"] }
export const entryBody = {
  type: "object",
  properties: { key: name(256), value: {}, ttlSeconds: { type: "integer", minimum: 1, maximum: 31_536_000 } },
  required: ["key", "value"],
  additionalProperties: false
}

const ENTRY = `
  namespace, key, value, expires_at as "expiresAt", created_at as "createdAt", updated_at as "updatedAt"
`

const FIND = {
  name: "find-entry",
  text: `
    select ${ENTRY} from app_data
    where installation_id = $1 and namespace = $2 and key = $3 and (expires_at is null or expires_at > now())
  `
}

export const getEntry = async (pool: Pg.Pool, { id }: Installation, namespace: string, key: string) => {
  const { rows } = await pool.query({ ...FIND, values: [id, namespace, key] })
  if (rows[0] === undefined) throw notFound(`Entry ${key}`)
  return rows[0]
}

// Locks the row of the installation, so that later reads stay valid until the commit.
const LOCK = {
  name: "lock-usage",
  text: `
    insert into app_data_usage as u (installation_id) values ($1)
    on conflict (installation_id) do update set entries = u.entries returning entries, bytes
  `
}

const PUT = {
  name: "put-entry",
  text: `
    with old as (
      select bytes from app_data where installation_id = $1 and namespace = $2 and key = $3
    ), counted as (
      update app_data_usage
      set entries = entries + 1 - (select count(*) from old), bytes = bytes + $5 - coalesce((select bytes from old), 0)
      where installation_id = $1 and entries + 1 - (select count(*) from old) <= 10000
        and bytes + $5 - coalesce((select bytes from old), 0) <= 10485760
      returning 1
    )
    insert into app_data as d (installation_id, namespace, key, value, bytes, expires_at)
    select $1, $2, $3, $4, $5, now() + $6::integer * interval '1 second' from counted
    on conflict (installation_id, namespace, key) do update
    set value = excluded.value, bytes = excluded.bytes, expires_at = excluded.expires_at, updated_at = now()
    returning ${ENTRY}
  `
}

export const putEntry = async (
  client: Pg.PoolClient,
  { id }: Installation,
  namespace: string,
  { key, ttlSeconds, value }: EntryBody
): Promise<StoredResponse> => {
  const text = JSON.stringify(value)
  const bytes = Buffer.byteLength(text)
  if (bytes > 65_536) throw new HttpError(400, "The value is too large")
  await client.query({ ...LOCK, values: [id] })
  const { rows } = await client.query({ ...PUT, values: [id, namespace, key, text, bytes, ttlSeconds ?? null] })
  if (rows[0] === undefined) throw new HttpError(422, "The quota of app data is exceeded")
  return { status: 200, body: JSON.stringify({ data: rows[0] }) }
}
