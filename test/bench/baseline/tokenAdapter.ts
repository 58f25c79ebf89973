import type { Adapter, AdapterPayload } from "oidc-provider"
import type Pg from "pg"

/** One table for all models of the provider, as in the adapters of its documentation. */
export const PAYLOADS = `
  create table oidc_payloads (
    model text not null,
    id text not null,
    payload jsonb not null,
    grant_id text,
    user_code text,
    uid text,
    expires_at timestamptz,
    consumed_at timestamptz,
    primary key (model, id)
  );
  create index oidc_payloads_by_grant on oidc_payloads (grant_id) where grant_id is not null;
  create index oidc_payloads_by_user_code on oidc_payloads (user_code) where user_code is not null;
  create index oidc_payloads_by_uid on oidc_payloads (uid) where uid is not null;
`

const UPSERT = {
  name: "upsert",
  text: `
    insert into oidc_payloads (model, id, payload, grant_id, user_code, uid, expires_at)
    values ($1, $2, $3, $4, $5, $6, now() + $7::integer * interval '1 second')
    on conflict (model, id) do update set
      payload = excluded.payload, grant_id = excluded.grant_id, user_code = excluded.user_code, uid = excluded.uid,
      expires_at = excluded.expires_at
  `
}

const findBy = (column: "id" | "uid" | "user_code") => ({
  name: `find-by-${column}`,
  text: `
    select payload, extract(epoch from consumed_at)::integer as consumed from oidc_payloads
    where model = $1 and ${column} = $2 and (expires_at is null or expires_at > now())
  `
})
const FIND = findBy("id")
const FIND_BY_UID = findBy("uid")
const FIND_BY_USER_CODE = findBy("user_code")

const CONSUME = {
  name: "consume",
  text: "update oidc_payloads set consumed_at = now() where model = $1 and id = $2"
}
const DESTROY = { name: "destroy", text: "delete from oidc_payloads where model = $1 and id = $2" }
const REVOKE = { name: "revoke", text: "delete from oidc_payloads where grant_id = $1" }

/** Makes the adapter of a model. */
export const adapterOn =
  (pool: Pg.Pool) =>
  (model: string): Adapter => {
    const find = async (statement: typeof FIND, key: string) => {
      const { rows } = await pool.query<{ payload: AdapterPayload; consumed: number | null }>({
        ...statement,
        values: [model, key]
      })
      const [row] = rows
      if (row === undefined) return undefined
      const { consumed, payload } = row
      return consumed === null ? payload : { ...payload, consumed }
    }
    return {
      upsert: async (id, payload, expiresIn) => {
        const { grantId, uid, userCode } = payload
        const keys = [grantId ?? null, userCode ?? null, uid ?? null]
        await pool.query({ ...UPSERT, values: [model, id, JSON.stringify(payload), ...keys, expiresIn ?? null] })
      },
      find: (id) => find(FIND, id),
      findByUid: (uid) => find(FIND_BY_UID, uid),
      findByUserCode: (userCode) => find(FIND_BY_USER_CODE, userCode),
      consume: async (id) => {
        await pool.query({ ...CONSUME, values: [model, id] })
      },
      destroy: async (id) => {
        await pool.query({ ...DESTROY, values: [model, id] })
      },
      revokeByGrantId: async (grantId) => {
        await pool.query({ ...REVOKE, values: [grantId] })
      }
    }
  }
