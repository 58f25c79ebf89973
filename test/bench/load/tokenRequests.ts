import { hash } from "node:crypto"
import { idOf } from "../seed/population.ts"
import type { Request } from "./wire.ts"

/* Token requests of an app. Codes and refresh tokens are computed from numbers, and each is used once. */

/** App with a secret, on both servers. */
export const CLIENT = {
  id: idOf("app", 0, 0),
  secret: "bench-secret-of-32-characters-and-more",
  redirectUri: "https://app.example.com/callback"
}

export const SCOPE = "read_products"

const VERIFIER = "bench-verifier-of-43-characters-and-then-some-more"
export const CHALLENGE = hash("sha256", VERIFIER, "base64url")

/** Pads a token to the length of real ones. */
const tokenOf = (kind: string, n: number) => `${kind}-${n}-`.padEnd(43, "x")

export const codeOf = (n: number): string => tokenOf("code", n)
export const refreshTokenOf = (n: number): string => tokenOf("refresh", n)

const makeTokenRequest = (form: Readonly<Record<string, string>>): Request => ({
  method: "POST",
  path: "/oauth/token",
  installation: 0,
  head: ["content-type: application/x-www-form-urlencoded"],
  body: new URLSearchParams({ ...form, client_id: CLIENT.id, client_secret: CLIENT.secret }).toString()
})

export const exchange = (n: number): Request =>
  makeTokenRequest({
    grant_type: "authorization_code",
    code: codeOf(n),
    redirect_uri: CLIENT.redirectUri,
    code_verifier: VERIFIER
  })

export const refresh = (n: number): Request =>
  makeTokenRequest({ grant_type: "refresh_token", refresh_token: refreshTokenOf(n) })
