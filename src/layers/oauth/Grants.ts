import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Credentials } from "../../domain/oauth/Clients.ts"
import {
  ACCESS_SECONDS,
  type CodeExchange,
  GRACE_SECONDS,
  Grants,
  type RefreshExchange
} from "../../domain/oauth/Grants.ts"
import { InvalidClient, InvalidGrant, InvalidScope, InvalidTarget } from "../../domain/oauth/Refusals.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { unnestRows, purgeExpired } from "../sql/Purging.ts"
import { challengeOf, sha256, newNonce, newTokensFor, successorsOf } from "../Secrets.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowCount } from "../sql/Transaction.ts"
import { Revocation } from "./Revocation.ts"
import { type Presented, type PresentedCode, type PresentedRefreshToken, TokenExchange } from "./TokenExchange.ts"

const invalidGrant = (reason: string) =>
  new InvalidGrant({ reason: `${reason}; send the merchant to /oauth/authorize again` })

const invalidTarget = () =>
  new InvalidTarget({
    reason: "resource differs from the one that the merchant approved; send that one, or leave it out"
  })

export const GrantsLive = Layer.effect(
  Grants,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const {
      deleteAccessToken,
      explainRejectedCode,
      explainRejectedRefreshToken,
      findPresentedToken,
      redeemCode,
      redeemRefreshToken
    } = yield* TokenExchange
    const { revokeGrant } = yield* Revocation

    const revokeGrantOf = ({ grantId, storeId }: Pick<Presented, "grantId" | "storeId">) =>
      storeId === null || grantId === null ? Effect.void : revokeGrant(storeId, grantId)

    /** Fails with the reason why a code was rejected. Wrong parameters change nothing: the owner may not have sent them. */
    const rejectCode = Effect.fnUntraced(function* (client: Credentials, presented: PresentedCode) {
      const code = yield* explainRejectedCode(client, presented)
      if (!code.isAuthentic) return yield* new InvalidClient()
      if (!code.isOwn) return yield* invalidGrant("The code is unknown or belongs to another client")
      if (!code.isReturned) {
        return yield* new InvalidGrant({
          reason: "redirect_uri differs from that of the authorization request; send the same one"
        })
      }
      if (!code.isVerified) {
        return yield* new InvalidGrant({
          reason: "code_verifier does not match the code_challenge; send the verifier of this authorization request"
        })
      }
      if (code.isUsed) {
        yield* revokeGrantOf(code)
        return yield* invalidGrant("The code was used before, so its tokens are revoked")
      }
      if (!code.isTarget) return yield* invalidTarget()
      return yield* invalidGrant("The code has expired, or its grant was revoked")
    })

    /** Returns the same tokens as a recent use of the refresh token. Otherwise fails with the reason of the rejection. */
    const repeatRefresh = Effect.fnUntraced(function* (
      client: Credentials,
      presented: PresentedRefreshToken,
      token: RefreshExchange["refreshToken"]
    ) {
      const { age, nonce, scopes, ...rejected } = yield* explainRejectedRefreshToken(client, presented)
      if (!rejected.isAuthentic) return yield* new InvalidClient()
      if (!rejected.isOwn) return yield* invalidGrant("The refresh token is unknown or belongs to another client")
      if (rejected.isRevoked) return yield* invalidGrant("The grant of the refresh token was revoked")
      if (age !== null && age > GRACE_SECONDS) {
        yield* revokeGrantOf(rejected)
        return yield* invalidGrant("The refresh token was used before, so its grant is revoked")
      }
      if (!rejected.isTarget) return yield* invalidTarget()
      if (!rejected.isWithin)
        return yield* new InvalidScope({
          reason: "scope names more than the merchant granted; leave it out for all granted scopes"
        })
      if (age === null || nonce === null || scopes === null) {
        return yield* invalidGrant("The refresh token has expired")
      }
      return { ...successorsOf(token, nonce), expiresIn: Math.floor(ACCESS_SECONDS - age), scopes }
    })

    /** Deletes a grant with its last code or refresh token. */
    const deleteGrants = sql`, grants as (
      delete from oauth_grants g using ${unnestRows(["store_id", "grant_id"])}
      where g.store_id = listed.store_id and g.id = listed.grant_id and not exists (
        select from refresh_tokens r where r.store_id = g.store_id and r.grant_id = g.id and r.expires_at > now()
      )
    )`

    // Codes are kept for another day, so that their second use is recognized.
    const purges = [
      purgeExpired(
        { table: "authorization_codes", key: ["code_hash", "store_id", "grant_id"], retention: "1 day" },
        deleteGrants
      ),
      purgeExpired({ table: "refresh_tokens", key: ["token_hash", "store_id", "grant_id"] }, deleteGrants),
      purgeExpired({ table: "agent_tokens", key: ["token_hash"] }),
      purgeExpired({ table: "token_stores", key: ["token_hash"], isGlobal: true })
    ]

    return Grants.of({
      // A client that disconnects does not interrupt an exchange.
      exchange: Effect.fn("Grants.exchange")(function* (
        client: Credentials,
        { code, redirectUri, resource, verifier }: CodeExchange
      ) {
        const { accessToken, refreshToken } = newTokensFor(code)
        const presented = {
          hash: sha256(code),
          resource: resource ?? null,
          redirectUri,
          challenge: challengeOf(verifier)
        }
        const hashes = { accessHash: sha256(accessToken), refreshHash: sha256(refreshToken) }
        const granted = yield* redeemCode(client, presented, hashes)
        if (Option.isNone(granted)) return yield* rejectCode(client, presented)
        return { accessToken, refreshToken, expiresIn: ACCESS_SECONDS, ...granted.value }
      }, Effect.uninterruptible),

      refresh: Effect.fn("Grants.refresh")(function* (
        client: Credentials,
        { refreshToken, resource, scopes }: RefreshExchange
      ) {
        const nonce = newNonce()
        const successors = successorsOf(refreshToken, nonce)
        const presented = {
          hash: sha256(refreshToken),
          resource: resource ?? null,
          scopes: scopes === undefined ? null : textArray(scopes)
        }
        const hashes = { accessHash: sha256(successors.accessToken), refreshHash: sha256(successors.refreshToken) }
        const granted = yield* redeemRefreshToken(client, presented, nonce, hashes)
        if (Option.isNone(granted)) return yield* repeatRefresh(client, presented, refreshToken)
        return { ...successors, expiresIn: ACCESS_SECONDS, ...granted.value }
      }, Effect.uninterruptible),

      revoke: Effect.fn("Grants.revoke")(function* (client, token) {
        const presented = yield* findPresentedToken(client, sha256(token))
        if (!presented.isAuthentic) return yield* new InvalidClient()
        if (presented.storeId === null) return
        if (!presented.isOwn) {
          return yield* new InvalidGrant({ reason: "The token belongs to another client; authenticate as that client" })
        }
        if (presented.grantId === null) yield* deleteAccessToken(sha256(token))
        else yield* revokeGrantOf(presented)
      }),

      purge: Effect.forEach(purges, (purge) => rowCount(sql`${purge}`)).pipe(
        Effect.map((counts) => counts.reduce((sum, count) => sum + count, 0)),
        orDefect,
        Effect.withSpan("Grants.purge")
      )
    })
  })
)
