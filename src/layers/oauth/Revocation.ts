import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, InstallationId } from "../../domain/access/Ids.ts"
import type { GrantId } from "../../domain/oauth/Grants.ts"
import type { StoreId } from "../../domain/Store.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader } from "../sql/Rows.ts"

const readCount = requiredRowReader(Schema.Struct({ valid: Schema.Int }))

/**
 * Revokes grants. A token exchange holds the row of its grant until its tokens are committed (TokenExchange.ts). After an
 * update of the grant, the next statement therefore sees all of its tokens, and no more are issued.
 */
export class Revocation extends Context.Service<Revocation>()("layers/oauth/Revocation", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /**
       * Revokes a grant and all its tokens, which are rejected after the commit. The agent of a grant has no other grant: it
       * is revoked, too.
       */
      revokeGrant: Effect.fn("Revocation.revokeGrant")(
        function* (store: StoreId, grant: GrantId) {
          yield* sql`
            update oauth_grants set revoked_at = statement_timestamp()
            where store_id = ${store} and id = ${grant} and revoked_at is null
          `
          yield* sql`
            with revoked as materialized (
              select installation_id, agent_id from oauth_grants where store_id = ${store} and id = ${grant}
            ), of_installation as (
              delete from access_tokens t using revoked g
              where t.store_id = ${store} and t.installation_id = g.installation_id and t.grant_id = ${grant}
            )
            delete from agent_tokens t using revoked g
            where t.store_id = ${store} and t.agent_id = g.agent_id and t.grant_id = ${grant}
          `
          yield* sql`
            update agents a set revoked_at = statement_timestamp() from oauth_grants g
            where g.store_id = ${store} and g.id = ${grant} and a.store_id = ${store} and a.id = g.agent_id
              and a.revoked_at is null
          `
        },
        sql.withTransaction,
        orDefect
      ),

      /** Revokes the grants of an agent and their tokens. Callers lock the row of the agent afterwards. */
      revokeGrantsOfAgent: Effect.fn("Revocation.revokeGrantsOfAgent")(function* (store: StoreId, agent: AgentId) {
        yield* sql`
          update oauth_grants set revoked_at = statement_timestamp()
          where store_id = ${store} and agent_id = ${agent} and revoked_at is null
        `
        yield* sql`delete from agent_tokens where store_id = ${store} and agent_id = ${agent}`
      }, orDefect),

      /** Revokes the grants and all tokens of an installation. Returns how many access tokens had not expired. */
      revokeTokensOfInstallation: Effect.fn("Revocation.revokeTokensOfInstallation")(function* (
        store: StoreId,
        installation: InstallationId
      ) {
        yield* sql`
            update oauth_grants set revoked_at = statement_timestamp()
            where store_id = ${store} and installation_id = ${installation} and revoked_at is null
          `
        const { valid } = yield* readCount(sql`
            with deleted as (
              delete from access_tokens where store_id = ${store} and installation_id = ${installation}
              returning expires_at
            )
            select count(*) filter (where expires_at > statement_timestamp())::integer as valid from deleted
          `)
        return valid
      }, orDefect)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
