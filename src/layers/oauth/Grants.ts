import { Effect, Layer, Option, Schema } from "effect"
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
import { storedList } from "../../domain/StoredList.ts"
import { Database } from "../sql/Postgres.ts"
import { arrayOf } from "../Lists.ts"
import { traced } from "../Traced.ts"
import { deleteToken, revokeGrant, selectToken } from "./Revocation.ts"
import {
  type Code,
  type RefreshToken,
  redeemCode,
  redeemRefreshToken,
  explainRejectedCode,
  explainRejectedRefreshToken
} from "./TokenExchange.ts"
import { PURGES } from "./Purging.ts"
import { challengeOf, hashOf, newNonce, newToken, successorsOf } from "../Secrets.ts"
import { column } from "../sql/Column.ts"

const Scopes = storedList(Scope)

/** What was presented, where it is known. */
const Presented = Schema.Struct({
  isAuthentic: Schema.Boolean,
  isOwn: Schema.Boolean,
  storeId: Schema.NullOr(Schema.toType(StoreId)),
  grantId: Schema.NullOr(Schema.toType(GrantId))
})

const CodeRefused = Schema.Struct({
  ...Presented.fields,
  isReturned: Schema.Boolean,
  isVerified: Schema.Boolean,
  isUsed: Schema.Boolean,
  isTarget: Schema.Boolean
})

const RefreshRefused = Schema.Struct({
  ...Presented.fields,
  isRevoked: Schema.Boolean,
  /** Seconds since it was used, and what its successors were made with. */
  age: Schema.NullOr(Schema.Number),
  nonce: Schema.NullOr(Schema.Uint8Array),
  scopes: Schema.NullOr(Scopes),
  isTarget: Schema.Boolean,
  isWithin: Schema.Boolean
})

const ASK = "send the merchant to /oauth/authorize again"

const badCode = (why: string) => new InvalidGrant({ reason: `${why}; ${ASK}` })

const badTarget = () => new InvalidTarget({ reason: "resource is not what the merchant was asked about" })

export const GrantsLive = Layer.effect(
  Grants,
  Effect.map(Database, ({ count, first, one, perform }) => {
    const scopesOf = first(column("scopes", Scopes))
    const codeRefusedOf = one(CodeRefused)
    const refreshRefusedOf = one(RefreshRefused)
    const presentedOf = one(Presented)

    const end = ({ grantId, storeId }: Pick<typeof Presented.Type, "grantId" | "storeId">) =>
      storeId === null || grantId === null ? Effect.void : perform(revokeGrant(storeId, grantId))

    /** Why a code is not taken. What is presented wrongly changes nothing: it may not be its owner who does. */
    const refuseCode = Effect.fnUntraced(function* (client: Credentials, presented: Code) {
      const code = yield* codeRefusedOf(explainRejectedCode(client, presented))
      if (!code.isAuthentic) return yield* new InvalidClient()
      if (!code.isOwn) return yield* badCode("There is no such code, or it is another client's")
      if (!code.isReturned) return yield* badCode("redirect_uri is not the one that the code was asked with")
      if (!code.isVerified) {
        return yield* new InvalidGrant({ reason: "code_verifier is not the one whose code_challenge was sent" })
      }
      if (code.isUsed) {
        yield* end(code)
        return yield* badCode("The code was used before, and what it was exchanged for is revoked")
      }
      if (!code.isTarget) return yield* badTarget()
      return yield* badCode("The code has expired, or what the merchant agreed to was revoked")
    })

    const exchange = Effect.fnUntraced(function* (
      client: Credentials,
      { code, redirectUri, resource, verifier }: CodeExchange
    ) {
      const accessToken = newToken()
      const refreshToken = newToken()
      const presented = {
        hash: hashOf(code),
        resource: resource ?? null,
        redirectUri,
        challenge: challengeOf(verifier)
      }
      const tokens = { accessHash: hashOf(accessToken), refreshHash: hashOf(refreshToken) }
      const made = yield* scopesOf(redeemCode(client, presented, tokens))
      if (Option.isNone(made)) return yield* refuseCode(client, presented)
      return { accessToken, refreshToken, expiresIn: ACCESS_SECONDS, scopes: made.value }
    })

    /** What a refresh token that is not taken is answered: the same as before where that was only just, else why. */
    const repeatRefresh = Effect.fnUntraced(function* (
      client: Credentials,
      presented: RefreshToken,
      token: RefreshExchange["refreshToken"]
    ) {
      const { age, nonce, scopes, ...refused } = yield* refreshRefusedOf(explainRejectedRefreshToken(client, presented))
      if (!refused.isAuthentic) return yield* new InvalidClient()
      if (!refused.isOwn) return yield* badCode("There is no such refresh token, or it is another client's")
      if (refused.isRevoked) return yield* badCode("What the merchant agreed to was revoked")
      if (age !== null && age > GRACE_SECONDS) {
        yield* end(refused)
        return yield* badCode("The refresh token was used before, and all that came of it is revoked")
      }
      if (!refused.isTarget) return yield* badTarget()
      if (!refused.isWithin) return yield* new InvalidScope({ reason: "scope names more than the merchant agreed to" })
      if (age === null || nonce === null || scopes === null) return yield* badCode("The refresh token has expired")
      return { ...successorsOf(token, nonce), expiresIn: Math.floor(ACCESS_SECONDS - age), scopes }
    })

    const refresh = Effect.fnUntraced(function* (
      client: Credentials,
      { refreshToken, resource, scopes }: RefreshExchange
    ) {
      const nonce = newNonce()
      const next = successorsOf(refreshToken, nonce)
      const wanted = scopes === undefined ? null : arrayOf(scopes)
      const presented = { hash: hashOf(refreshToken), resource: resource ?? null, scopes: wanted }
      const tokens = { accessHash: hashOf(next.accessToken), refreshHash: hashOf(next.refreshToken) }
      const made = yield* scopesOf(redeemRefreshToken(client, presented, nonce, tokens))
      if (Option.isNone(made)) return yield* repeatRefresh(client, presented, refreshToken)
      return { ...next, expiresIn: ACCESS_SECONDS, scopes: made.value }
    })

    return Grants.of({
      // One who hangs up does not decide whether it is done.
      exchange: (client, presented) => traced("Grants.exchange")(Effect.uninterruptible(exchange(client, presented))),

      refresh: (client, presented) => traced("Grants.refresh")(Effect.uninterruptible(refresh(client, presented))),

      revoke: Effect.fn("Grants.revoke")(function* (client, token) {
        const presented = yield* presentedOf(selectToken(client, hashOf(token)))
        if (!presented.isAuthentic) return yield* new InvalidClient()
        if (presented.storeId === null) return
        if (!presented.isOwn) return yield* new InvalidGrant({ reason: "The token is another client's" })
        yield* presented.grantId === null ? count(deleteToken(hashOf(token))) : end(presented)
      }),

      purge: Effect.map(Effect.forEach(PURGES, count), (gone) => gone.reduce((sum, batch) => sum + batch, 0))
    })
  })
)
