import { hash } from "node:crypto"
import type Pg from "pg"
import { CHALLENGE, CLIENT, codeOf, refreshTokenOf, SCOPE } from "../load/tokenRequests.ts"
import { idOf, STORES } from "./population.ts"

/** Grants of one statement. */
const BATCH = 5000

/** Account that gave all consents. */
const MERCHANT = idOf("customer", 0, 0)

const range = (count: number, first = 0) => Array.from({ length: count }, (_, index) => first + index)

/** Calls `insert` with batches of grants, each with a code and a refresh token. */
const inBatches = async (count: number, insert: (rows: string) => Promise<unknown>) => {
  for (let first = 0; first < count; first += BATCH) {
    const batch = range(Math.min(BATCH, count - first), first)
    const rows = batch.map((n) => ({
      id: idOf("installation", 1, n),
      store_id: idOf("store", 0, n % STORES),
      installation_id: idOf("installation", 0, n % STORES),
      code: codeOf(n),
      token: refreshTokenOf(n)
    }))
    await insert(JSON.stringify(rows))
  }
}

const GRANT_ROWS =
  "json_to_recordset($1) as given (id uuid, store_id uuid, installation_id uuid, code text, token text)"

/** Inserts the app, its installations and their grants into the tables of the service. */
export const seedServiceGrants = async (db: Pg.Client, count: number): Promise<void> => {
  await db.query(
    "insert into merchants (id, email, name, password_hash) values ($1, 'ada@bench.example', 'Ada', '-')",
    [MERCHANT]
  )
  await db.query(
    "insert into apps (id, name, scopes, capabilities, redirect_uris) values ($1, 'Bench', $2, '{}', $3)",
    [CLIENT.id, [SCOPE], [CLIENT.redirectUri]]
  )
  await db.query("insert into client_secrets (app_id, id, secret_hash) values ($1, $1, $2)", [
    CLIENT.id,
    hash("sha256", CLIENT.secret, "buffer")
  ])
  for (const n of range(STORES)) {
    const store = idOf("store", 0, n)
    await db.query("insert into stores (id, name, plan, currency_code) values ($1, 'Bench', 'scale', 'EUR')", [store])
    await db.query(
      "insert into installations (store_id, id, app_id, scopes, capabilities) values ($1, $2, $3, $4, '{}')",
      [store, idOf("installation", 0, n), CLIENT.id, [SCOPE]]
    )
  }
  await inBatches(count, (rows) =>
    db.query(
      `
      with granted as (
        insert into oauth_grants (store_id, id, client_id, installation_id, merchant_id)
        select store_id, id, $2, installation_id, $3 from ${GRANT_ROWS}
      ), coded as (
        insert into authorization_codes (code_hash, store_id, grant_id, client_id, redirect_uri, challenge, expires_at)
        select sha256(code::bytea), store_id, id, $2, $4, $5, now() + interval '1 day' from ${GRANT_ROWS}
      )
      insert into refresh_tokens (token_hash, store_id, grant_id, expires_at)
      select sha256(token::bytea), store_id, id, now() + interval '90 days' from ${GRANT_ROWS}
    `,
      [rows, CLIENT.id, MERCHANT, CLIENT.redirectUri, CHALLENGE]
    )
  )
}

/** Inserts the same grants into the table of `oidc-provider`. */
export const seedBaselineGrants = async (db: Pg.Client, count: number): Promise<void> => {
  const now = Math.floor(Date.now() / 1000)
  const day = now + 24 * 60 * 60
  const common = { iat: now, exp: day, clientId: CLIENT.id, accountId: MERCHANT }
  const code = {
    ...common,
    kind: "AuthorizationCode",
    scope: SCOPE,
    redirectUri: CLIENT.redirectUri,
    codeChallenge: CHALLENGE,
    codeChallengeMethod: "S256"
  }
  const token = { ...common, kind: "RefreshToken", scope: SCOPE, gty: "authorization_code", iiat: now, rotations: 0 }
  const grant = { ...common, kind: "Grant", openid: { scope: SCOPE } }
  await inBatches(count, (rows) =>
    db.query(
      `
      insert into oidc_payloads (model, id, grant_id, expires_at, payload)
      select model, made.id, case model when 'Grant' then null else given.id::text end, now() + interval '1 day',
        payload || jsonb_build_object('jti', made.id)
          || case model when 'Grant' then '{}' else jsonb_build_object('grantId', given.id) end
      from ${GRANT_ROWS}, lateral (values
        ('Grant', given.id::text, $2::jsonb), ('AuthorizationCode', code, $3::jsonb), ('RefreshToken', token, $4::jsonb)
      ) as made (model, id, payload)
    `,
      [rows, JSON.stringify(grant), JSON.stringify(code), JSON.stringify(token)]
    )
  )
}
