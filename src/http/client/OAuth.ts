import { isObject } from "../../domain/json/Json.ts"
import { ConnectionError, OAuthError } from "./Errors.ts"
import { type RetryOptions, withRetries } from "./Retry.ts"
import { joinUrl, sendRequest, type HttpResponse, type TransportOptions } from "./Transport.ts"

/*
 * OAuth 2.0 with PKCE for apps (RFC 6749, 7636, 7009 and 9207). The app redirects the merchant to `authorizationUrl`. The
 * merchant returns to the redirect URI with a code, which is exchanged for tokens.
 */

/** A registered app. */
export interface OAuthApp {
  /** The URL of the service, as in `https://platform.example`. */
  readonly url: string
  readonly clientId: string
  /** The secret of a confidential app. Public apps, such as those on phones, have none. */
  readonly clientSecret?: string | undefined
  /** The redirect URI, exactly as registered. */
  readonly redirectUri: string
}

/** The secrets of one authorization. The app stores `verifier` and sends `challenge`. */
export interface Pkce {
  readonly verifier: string
  readonly challenge: string
}

/** The tokens of an installation. Can be stored as JSON. */
export interface TokenSet {
  readonly accessToken: string
  /** Valid for one refresh within 90 days. */
  readonly refreshToken: string
  /** The expiry of the access token by the clock of this machine: RFC 3339. */
  readonly expiresAt: string
  /** The granted scopes. */
  readonly scopes: ReadonlyArray<string>
}

/** The options of OAuth requests. */
export interface OAuthRequestOptions extends TransportOptions, RetryOptions {
  /** Cancels the request, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

const utf8 = new TextEncoder()

const base64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

/** Generates a verifier of 256 random bits and its challenge (RFC 7636, S256). */
export const generatePkce = async (): Promise<Pkce> => {
  const verifier = base64Url(crypto.getRandomValues(new Uint8Array(32)))
  const digest = await crypto.subtle.digest("SHA-256", utf8.encode(verifier))
  return { verifier, challenge: base64Url(new Uint8Array(digest)) }
}

/** Makes the URL to which the app redirects the merchant for sign-in and consent. */
export const authorizationUrl = (
  app: OAuthApp,
  {
    challenge,
    scopes,
    state
  }: {
    /** The challenge of {@link generatePkce}. */
    readonly challenge: string
    /**
     * A secret of this authorization, as of `crypto.randomUUID()`. Store it in the session of this browser, so that no other
     * code can be injected.
     */
    readonly state: string
    /** The requested scopes. Default: all scopes that the app declares. */
    readonly scopes?: ReadonlyArray<string> | undefined
  }
): string => {
  for (const [name, value] of Object.entries({ challenge, state })) {
    if (typeof value !== "string") throw new TypeError(`${name} is missing`)
  }
  const url = new URL(joinUrl(app.url, "/oauth/authorize"))
  const parameters = {
    response_type: "code",
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...(scopes === undefined ? {} : { scope: scopes.join(" ") })
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** Encodes a part of the credentials as in a form (RFC 6749, section 2.3.1). */
const formEncode = (text: string) => new URLSearchParams({ _: text }).toString().slice("_=".length)

const credentials = ({ clientId, clientSecret }: OAuthApp) =>
  clientSecret === undefined
    ? { headers: {}, fields: { client_id: clientId } }
    : {
        headers: { authorization: `Basic ${btoa(`${formEncode(clientId)}:${formEncode(clientSecret)}`)}` },
        fields: {}
      }

const parseJson = ({ text }: HttpResponse): Readonly<Record<string, unknown>> => {
  try {
    const json: unknown = JSON.parse(text)
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined)

const requestIdOf = ({ headers }: HttpResponse) => headers.get("x-request-id") ?? undefined

/** Posts a form with the credentials of the app. */
const post = async (
  app: OAuthApp,
  path: string,
  form: Readonly<Record<string, string>>,
  options: OAuthRequestOptions
): Promise<HttpResponse> => {
  const { fields, headers } = credentials(app)
  const ids = { requestId: crypto.randomUUID() }
  const request = {
    method: "POST",
    url: joinUrl(app.url, path),
    headers: { ...headers, accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...fields, ...form }).toString()
  }
  const received = await withRetries(() => sendRequest(request, options, ids, options.signal), options, options.signal)
  if (received.status === 200) return received
  const { error, error_description: description } = parseJson(received)
  throw new OAuthError(textOf(error) ?? "no_reason_given", {
    description: textOf(description),
    status: received.status,
    requestId: requestIdOf(received)
  })
}

const parseTokens = (received: HttpResponse): TokenSet => {
  const { access_token: accessToken, expires_in: seconds, refresh_token: refreshToken, scope } = parseJson(received)
  if (typeof accessToken !== "string" || typeof refreshToken !== "string" || typeof seconds !== "number") {
    throw new ConnectionError("The response has no tokens", { requestId: requestIdOf(received) ?? "" })
  }
  const scopes = textOf(scope)?.split(" ") ?? []
  return { accessToken, refreshToken, expiresAt: new Date(Date.now() + seconds * 1000).toISOString(), scopes }
}

/** No retries. A second use of a code revokes the tokens of the first. */
const NO_RETRIES = { maxRetries: 0, maxWait: 0 }

const parseCallback = (callback: string | URL | URLSearchParams, { redirectUri }: OAuthApp) =>
  callback instanceof URLSearchParams ? callback : new URL(callback, redirectUri).searchParams

/** Verifies state and issuer of a callback and returns its code. */
const verifyCallback = (params: URLSearchParams, app: OAuthApp, state: string): string => {
  if (params.get("state") !== state) {
    const description = "The callback does not belong to the authorization that this browser started"
    throw new OAuthError("state_mismatch", { description })
  }
  const issuer = params.get("iss")
  if (issuer !== joinUrl(app.url, "")) {
    throw new OAuthError("issuer_mismatch", {
      description: `The issuer of the callback is ${issuer ?? "missing"} instead of ${app.url}`
    })
  }
  const error = params.get("error")
  if (error !== null) throw new OAuthError(error, { description: params.get("error_description") ?? undefined })
  const code = params.get("code")
  if (code === null) throw new OAuthError("code_missing", { description: "The callback has neither code nor error" })
  return code
}

/**
 * Exchanges the code of a callback for tokens. Not retried, because a code is valid for 60 seconds and one use. Rejects
 * with an {@link OAuthError} if the merchant refused (`access_denied`), if `state` or issuer do not match, or if the code is
 * refused. Rejects with a {@link ConnectionError} without a response.
 *
 * @example
 * const tokens = await exchangeCode(app, { callback: request.url, state, verifier })
 */
export const exchangeCode = async (
  app: OAuthApp,
  {
    callback,
    state,
    verifier
  }: {
    /** The URL of the callback, or its parameters. */
    readonly callback: string | URL | URLSearchParams
    /** The state of {@link authorizationUrl}, from the session of this browser. */
    readonly state: string
    /** The verifier of {@link generatePkce}. */
    readonly verifier: string
  },
  options: OAuthRequestOptions = {}
): Promise<TokenSet> => {
  const code = verifyCallback(parseCallback(callback, app), app, state)
  const form = { grant_type: "authorization_code", code, redirect_uri: app.redirectUri, code_verifier: verifier }
  return parseTokens(await post(app, "/oauth/token", form, { ...options, ...NO_RETRIES }))
}

/**
 * Limits retries to 22 seconds. For 30 seconds the service returns the same successor of a used refresh token. Later uses
 * revoke the grant.
 */
const WITHIN_GRACE = { timeout: 10_000, maxRetries: 2, maxWait: 2_000 }

/**
 * Refreshes the tokens of an installation. The refresh token becomes invalid, so store the new tokens. Rejects with
 * `invalid_grant` if the merchant must authorize the app again.
 */
export const refreshToken = async (
  app: OAuthApp,
  refreshToken: string,
  options: OAuthRequestOptions = {}
): Promise<TokenSet> => {
  const form = { grant_type: "refresh_token", refresh_token: refreshToken }
  return parseTokens(await post(app, "/oauth/token", form, { ...options, ...WITHIN_GRACE }))
}

/** Revokes an access or refresh token. An invalid token is not an error. */
export const revokeToken = async (app: OAuthApp, token: string, options: OAuthRequestOptions = {}): Promise<void> => {
  await post(app, "/oauth/revoke", { token }, options)
}
