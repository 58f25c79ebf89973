import { Effect, Redacted, Schema } from "effect"
import { hash, randomBytes } from "node:crypto"
import { ALL_GRANTS, type Grants } from "../../../src/domain/access/AccessRule.ts"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { type Email, Merchants } from "../../../src/domain/access/Merchants.ts"
import type { MerchantId } from "../../../src/domain/access/Ids.ts"
import { ClientId } from "../../../src/domain/oauth/Clients.ts"
import { Consents } from "../../../src/domain/oauth/Consents.ts"
import { Challenge } from "../../../src/domain/oauth/Pkce.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { performIn } from "../data/Writes.ts"

export const REDIRECT = "https://app.example.com/callback"

/** Makes a PKCE verifier and its challenge. */
export const makePkce = () => {
  const verifier = randomBytes(32).toString("base64url")
  return { verifier, challenge: Challenge.make(hash("sha256", verifier, "base64url")) }
}

export interface Registered extends Partial<Grants> {
  readonly isPublic?: boolean
  readonly redirectUris?: ReadonlyArray<string>
}

/** Registers an app: with a secret, or public. */
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

/** A member of the store who consents without the pages. */
export const agreeingMember = Effect.fn(function* (
  storeId: StoreId,
  { email, id: merchantId }: { readonly email: Email; readonly id: MerchantId }
) {
  const { join } = yield* Merchants
  const perform = yield* performIn(storeId)
  yield* perform(join(storeId, email, "owner"))

  /** Consents to an app and returns its code with the exchange parameters. */
  const agree = Effect.fn(function* (
    { appId, clientId, declared }: RegisteredApp,
    request: { readonly redirectUri?: string; readonly resource?: string } & Partial<Grants> = {}
  ) {
    const { install } = yield* Consents
    const { redirectUri = REDIRECT, resource, ...granted } = request
    const { challenge, verifier } = makePkce()
    const consent = { merchantId, storeId, clientId, redirectUri, challenge, resource, requestId: "trace" }
    const code = Redacted.value(yield* install(consent, { appId, ...declared, ...granted }))
    return { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier }
  })

  /** Consents to an agent client. */
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

/** Posts forms to the server at `base` as the client, with its secret in the form if it has one. */
export const makePoster = (base: string, { clientId, secret }: Pick<RegisteredApp, "clientId" | "secret">) => {
  const named = { client_id: clientId, ...(secret === undefined ? {} : { client_secret: secret }) }

  /** Posts a body unchanged. */
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

/** Decodes a token response strictly. */
export const tokensOf = ({ json }: Posted) => Schema.decodeUnknownSync(TokenSet)(json, { onExcessProperty: "error" })

/** Status of a request with the token. */
export const statusOf = (base: string, token: string) =>
  Effect.promise(async () => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${base}/api/platform/v1/store`, { headers })
    await response.body?.cancel()
    return response.status
  })
