import { sql, type Statement } from "../sql/Statement.ts"
import { listed, purgeOf } from "../Purging.ts"

/** A grant goes with the last code or refresh token that it had. */
const GRANTS = sql`, grants as (
  delete from oauth_grants g using ${listed(["store_id", "grant_id"])}
  where g.store_id = listed.store_id and g.id = listed.grant_id and not exists (
    select from refresh_tokens r where r.store_id = g.store_id and r.grant_id = g.id and r.expires_at > now()
  )
)`

/** Each deletes a batch of what has ended. A code is kept for a day more, to know it when it is presented again. */
export const PURGES: ReadonlyArray<Statement> = [
  purgeOf({ table: "authorization_codes", key: ["code_hash", "store_id", "grant_id"], kept: "1 day" }, GRANTS),
  purgeOf({ table: "refresh_tokens", key: ["token_hash", "store_id", "grant_id"] }, GRANTS),
  purgeOf({ table: "agent_tokens", key: ["token_hash"] })
]
