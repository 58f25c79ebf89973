import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Scope } from "../../domain/access/Scope.ts"
import type { Credentials } from "../../domain/oauth/Clients.ts"
import {
  ACCESS_SECONDS,
  type CodeExchange,
  GRACE_SECONDS,
  GrantId,
  Grants,
  type RefreshExchange
} from "../../domain/oauth/Grants.ts"
import { InvalidClient, InvalidGrant, InvalidScope, InvalidTarget } from "../../domain/oauth/Refusals.ts"
import { StoreId } from "../../domain/Store.ts"
import { storedList } from "../../domain/json/StoredList.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { unnestRows, purgeExpired } from "../sql/Purging.ts"
import { challengeOf, sha256, newNonce, newToken, successorsOf } from "../Secrets.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowCount } from "../sql/Transaction.ts"
import { traced } from "../Traced.ts"
import { revokeGrant } from "./Revocation.ts"
import { makeTokenExchange, type PresentedCode, type PresentedRefreshToken } from "./TokenExchange.ts"

const Scopes = storedList(Scope)

const decodeScopes = Schema.decodeUnknownEffect(Schema.Struct({ scopes: Scopes }))

/** Presented code or token. Its grant is null if it is unknown. */
const Presented = Schema.Struct({
  isAuthentic: Schema.Boolean,
  isOwn: Schema.Boolean,
  storeId: Schema.NullOr(Schema.toType(StoreId)),
  grantId: Schema.NullOr(Schema.toType(GrantId))
})

const decodePresented = Schema.decodeUnknownEffect(Presented)

const decodeRejectedCode = Schema.decodeUnknownEffect(
  Schema.Struct({
    ...Presented.fields,
    isReturned: Schema.Boolean,
    isVerified: Schema.Boolean,
    isUsed: Schema.Boolean,
    isTarget: Schema.Boolean
  })
)

const decodeRejectedRefreshToken = Schema.decodeUnknownEffect(
  Schema.Struct({
    ...Presented.fields,
    isRevoked: Schema.Boolean,
    /** Seconds since its use. */
    age: Schema.NullOr(Schema.Number),
    /** Nonce from which its successors were derived. */
    nonce: Schema.NullOr(Schema.Uint8Array),
    scopes: Schema.NullOr(Scopes),
    isTarget: Schema.Boolean,
    isWithin: Schema.Boolean
  })
)

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
    } = makeTokenExchange(sql)

    const revokeGrantOf = ({ grantId, storeId }: Pick<typeof Presented.Type, "grantId" | "storeId">) =>
      storeId === null || grantId === null ? Effect.void : sql.withTransaction(revokeGrant(sql, storeId, grantId))

    /** Fails with the reason why a code was rejected. Wrong parameters change nothing: the owner may not have sent them. */
    const rejectCode = Effect.fnUntraced(function* (client: Credentials, presented: PresentedCode) {
      const [row] = yield* explainRejectedCode(client, presented)
      const code = yield* decodeRejectedCode(row)
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

    const exchange = Effect.fnUntraced(function* (
      client: Credentials,
      { code, redirectUri, resource, verifier }: CodeExchange
    ) {
      const accessToken = newToken()
      const refreshToken = newToken()
      const presented = {
        hash: sha256(code),
        resource: resource ?? null,
        redirectUri,
        challenge: challengeOf(verifier)
      }
      const hashes = { accessHash: sha256(accessToken), refreshHash: sha256(refreshToken) }
      const [granted] = yield* redeemCode(client, presented, hashes)
      if (granted === undefined) return yield* rejectCode(client, presented)
      return { accessToken, refreshToken, expiresIn: ACCESS_SECONDS, ...(yield* decodeScopes(granted)) }
    })

    /** Returns the same tokens as a recent use of the refresh token. Otherwise fails with the reason of the rejection. */
    const repeatRefresh = Effect.fnUntraced(function* (
      client: Credentials,
      presented: PresentedRefreshToken,
      token: RefreshExchange["refreshToken"]
    ) {
      const [row] = yield* explainRejectedRefreshToken(client, presented)
      const { age, nonce, scopes, ...rejected } = yield* decodeRejectedRefreshToken(row)
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

    const refresh = Effect.fnUntraced(function* (
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
      const [granted] = yield* redeemRefreshToken(client, presented, nonce, hashes)
      if (granted === undefined) return yield* repeatRefresh(client, presented, refreshToken)
      return { ...successors, expiresIn: ACCESS_SECONDS, ...(yield* decodeScopes(granted)) }
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
      purgeExpired({ table: "agent_tokens", key: ["token_hash"] })
    ]

    return Grants.of({
      // A client that disconnects does not interrupt an exchange.
      exchange: (client, presented) =>
        Effect.uninterruptible(exchange(client, presented)).pipe(orDefect, traced("Grants.exchange")),

      refresh: (client, presented) =>
        Effect.uninterruptible(refresh(client, presented)).pipe(orDefect, traced("Grants.refresh")),

      revoke: Effect.fn("Grants.revoke")(function* (client, token) {
        const [row] = yield* findPresentedToken(client, sha256(token))
        const presented = yield* decodePresented(row)
        if (!presented.isAuthentic) return yield* new InvalidClient()
        if (presented.storeId === null) return
        if (!presented.isOwn) {
          return yield* new InvalidGrant({ reason: "The token belongs to another client; authenticate as that client" })
        }
        if (presented.grantId === null) yield* deleteAccessToken(sha256(token))
        else yield* revokeGrantOf(presented)
      }, orDefect),

      purge: Effect.forEach(purges, (purge) => rowCount(sql`${purge}`)).pipe(
        Effect.map((counts) => counts.reduce((sum, count) => sum + count, 0)),
        orDefect
      )
    })
  })
)
