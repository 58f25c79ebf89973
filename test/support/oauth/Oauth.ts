import { Effect, Redacted, Schema } from "effect"
import { hash, randomBytes } from "node:crypto"
import { ALL_GRANTS, type Grants } from "../../../src/domain/access/AccessRule.ts"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { type Email, Merchants } from "../../../src/domain/access/Merchants.ts"
import type { MerchantId } from "../../../src/domain/Actor.ts"
import { ClientId } from "../../../src/domain/oauth/Clients.ts"
import { Consents } from "../../../src/domain/oauth/Consents.ts"
import { Challenge } from "../../../src/domain/oauth/Pkce.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { performIn } from "../data/Writes.ts"

export const REDIRECT = "https://app.example.com/callback"

/** A verifier and its challenge. */
export const makePkce = () => {
  const verifier = randomBytes(32).toString("base64url")
  return { verifier, challenge: Challenge.make(hash("sha256", verifier, "base64url")) }
}

export interface Registered extends Partial<Grants> {
  readonly isPublic?: boolean
  readonly redirectUris?: ReadonlyArray<string>
}

/** An app as a developer registers it: with a secret, but where it is public. */
export const register = Effect.fn(function* ({
  isPublic = false,
  redirectUris = [REDIRECT],
  ...declared
}: Registered = {}) {
  const { create, rotateSecret } = yield* Apps
  const appId = yield* create({ name: "An app", isPublic, redirectUris, ...ALL_GRANTS, ...declared })
  const secret = isPublic ? undefined : Redacted.value((yield* Effect.orDie(rotateSecret(appId, 0))).secret)
  return { appId, clientId: ClientId.make(appId), secret, declared: { ...ALL_GRANTS, ...declared } }
})

export type RegisteredApp = Effect.Success<ReturnType<typeof register>>

/** A member of the store, who agrees to what apps ask for, without the pages. */
export const agreeingMember = Effect.fn(function* (
  storeId: StoreId,
  { email, id: merchantId }: { readonly email: Email; readonly id: MerchantId }
) {
  const { join } = yield* Merchants
  const perform = yield* performIn(storeId)
  yield* perform(join(storeId, email, "owner"))

  /** What comes back to the app: its code, and what it takes to exchange it. */
  const agree = Effect.fn(function* (
    { appId, clientId, declared }: RegisteredApp,
    asked: { readonly redirectUri?: string; readonly resource?: string } & Partial<Grants> = {}
  ) {
    const { install } = yield* Consents
    const { redirectUri = REDIRECT, resource, ...granted } = asked
    const { challenge, verifier } = makePkce()
    const consent = { merchantId, storeId, clientId, redirectUri, challenge, resource, requestId: "trace" }
    const code = Redacted.value(yield* install(consent, { appId, ...declared, ...granted }))
    return { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier }
  })

  /** The same to an agent, and its client. */
  const agreeToAgent = Effect.fn(function* (clientId: ClientId) {
    const { makeAgent } = yield* Consents
    const { challenge, verifier } = makePkce()
    const consent = {
      merchantId,
      storeId,
      clientId,
      redirectUri: REDIRECT,
      challenge,
      resource: undefined,
      requestId: "trace"
    }
    const code = yield* makeAgent(consent, { name: "Helper", scopes: [], days: 7 })
    return { code, redirectUri: REDIRECT, verifier: Redacted.make(verifier), resource: undefined }
  })
  return { merchantId, agree, agreeToAgent }
})

export type Form = Readonly<Record<string, string>>

const Json = Schema.Record(Schema.String, Schema.Unknown)
const TokenSet = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Int,
  refresh_token: Schema.String,
  scope: Schema.String
})

/** A client that posts forms to the server at `base`: with its secret in the form, if it has one. */
export const makePoster = (base: string, { clientId, secret }: Pick<RegisteredApp, "clientId" | "secret">) => {
  const named = { client_id: clientId, ...(secret === undefined ? {} : { client_secret: secret }) }

  /** Nothing is added. */
  const raw = (path: string, body: string, headers: Form = {}) =>
    Effect.promise(async () => {
      const type = "application/x-www-form-urlencoded"
      const response = await fetch(`${base}${path}`, {
        method: "POST",
        headers: { "content-type": type, ...headers },
        body
      })
      const json = Schema.decodeUnknownSync(Json)(await response.json())
      return { status: response.status, headers: response.headers, json, error: json["error"] }
    })
  const post = (path: string, form: Form) => raw(path, new URLSearchParams({ ...named, ...form }).toString())
  const token = (form: Form) => post("/oauth/token", form)
  return {
    raw,
    token,
    refresh: (refreshToken: string, form: Form = {}) =>
      token({ grant_type: "refresh_token", refresh_token: refreshToken, ...form }),
    revoke: (token: string) => post("/oauth/revoke", { token })
  }
}

export type Posted = Effect.Success<ReturnType<ReturnType<typeof makePoster>["token"]>>

/** The tokens that were answered, exactly those members. */
export const tokensOf = ({ json }: Posted) => Schema.decodeUnknownSync(TokenSet)(json, { onExcessProperty: "error" })

/** The status that a token is answered with. */
export const statusOf = (base: string, token: string) =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${base}/api/platform/v1/store`, { headers })
    await response.body?.cancel()
    return response.status
  })
