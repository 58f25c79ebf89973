import { isObject } from "../../domain/ExactJson.ts"
import { ConnectionError, OAuthError } from "./Errors.ts"
import { type RetryOptions, retrying } from "./Retry.ts"
import { below, exchange, type Received, type TransportOptions } from "./Transport.ts"

/*
 * How an app gets in: OAuth 2.0 with PKCE (RFC 6749, 7636, 7009 and 9207). The merchant's browser is sent to
 * `authorizationUrl` and comes back to the app's redirect URI with a code, which is exchanged for tokens.
 */

/** An app as it was registered. */
export interface OAuthApp {
  /** Where the service is, as in `https://platform.example`. */
  readonly url: string
  readonly clientId: string
  /** Of a confidential app. One that runs in browsers or on phones is public, and has none. */
  readonly clientSecret?: string | undefined
  /** Where merchants come back to; registered to the letter. */
  readonly redirectUri: string
}

/** What an authorization begins with: `verifier` is kept by the app, `challenge` is shown to the service. */
export interface Pkce {
  readonly verifier: string
  readonly challenge: string
}

/** What an installation is used with. It is made of text and lists alone, so that it can be kept as JSON. */
export interface TokenSet {
  readonly accessToken: string
  /** Good for one refresh, and 90 days. */
  readonly refreshToken: string
  /** When the access token ends, by this machine's clock: RFC 3339. */
  readonly expiresAt: string
  /** What the merchant granted. */
  readonly scopes: ReadonlyArray<string>
}

/** How a request to the service is made. */
export interface OAuthRequestOptions extends TransportOptions, RetryOptions {
  /** Gives the request up: it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

const utf8 = new TextEncoder()

const base64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

/** A new verifier of 256 random bits, and its challenge (RFC 7636, S256). */
export const generatePkce = async (): Promise<Pkce> => {
  const verifier = base64Url(crypto.getRandomValues(new Uint8Array(32)))
  const digest = await crypto.subtle.digest("SHA-256", utf8.encode(verifier))
  return { verifier, challenge: base64Url(new Uint8Array(digest)) }
}

/** Where the merchant's browser is sent, to sign in and agree. */
export const authorizationUrl = (
  app: OAuthApp,
  {
    challenge,
    scopes,
    state
  }: {
    /** Of {@link generatePkce}. */
    readonly challenge: string
    /**
     * A secret of this one authorization, as of `crypto.randomUUID()`, kept where only this browser comes back with it:
     * else somebody else's code could be slipped in.
     */
    readonly state: string
    /** What is asked for: all that the app declares when left out. */
    readonly scopes?: ReadonlyArray<string> | undefined
  }
): string => {
  const url = new URL(below(app.url, "/oauth/authorize"))
  const asked = {
    response_type: "code",
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...(scopes === undefined ? {} : { scope: scopes.join(" ") })
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  return url.href
}

/** As `application/x-www-form-urlencoded` has it, which RFC 6749 (section 2.3.1) asks of both halves. */
const formEncoded = (text: string) => new URLSearchParams({ _: text }).toString().slice("_=".length)

const credentials = ({ clientId, clientSecret }: OAuthApp) =>
  clientSecret === undefined
    ? { headers: {}, fields: { client_id: clientId } }
    : {
        headers: { authorization: `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)}` },
        fields: {}
      }

const jsonOf = ({ text }: Received): Readonly<Record<string, unknown>> => {
  try {
    const json: unknown = JSON.parse(text)
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined)

const nameOf = ({ headers }: Received) => headers.get("x-request-id") ?? undefined

/** Posts a form as the app, and reads the answer. */
const post = async (
  app: OAuthApp,
  path: string,
  form: Readonly<Record<string, string>>,
  options: OAuthRequestOptions
): Promise<Received> => {
  const { fields, headers } = credentials(app)
  const names = { requestId: crypto.randomUUID() }
  const request = {
    method: "POST",
    url: below(app.url, path),
    headers: { ...headers, accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...fields, ...form }).toString()
  }
  const received = await retrying(() => exchange(request, options, names, options.signal), options, options.signal)
  if (received.status === 200) return received
  const { error, error_description: description } = jsonOf(received)
  throw new OAuthError(textOf(error) ?? "no_reason_given", {
    description: textOf(description),
    status: received.status,
    requestId: nameOf(received)
  })
}

const tokensIn = (received: Received): TokenSet => {
  const { access_token: accessToken, expires_in: seconds, refresh_token: refreshToken, scope } = jsonOf(received)
  if (typeof accessToken !== "string" || typeof refreshToken !== "string" || typeof seconds !== "number") {
    throw new ConnectionError("The service answered what are no tokens", { requestId: nameOf(received) ?? "" })
  }
  const scopes = textOf(scope)?.split(" ") ?? []
  return { accessToken, refreshToken, expiresAt: new Date(Date.now() + seconds * 1000).toISOString(), scopes }
}

/** A code is good for one use: sent twice, as the first answer was lost, it would end what the first use got. */
const ONCE = { maxRetries: 0, maxWait: 0 }

const paramsOf = (callback: string | URL | URLSearchParams, { redirectUri }: OAuthApp) =>
  callback instanceof URLSearchParams ? callback : new URL(callback, redirectUri).searchParams

/** The code that a callback brings, once it is sure that it answers what this app asked of this service. */
const codeIn = (params: URLSearchParams, app: OAuthApp, state: string): string => {
  if (params.get("state") !== state) {
    const description = "The callback does not answer the authorization that this browser began"
    throw new OAuthError("state_mismatch", { description })
  }
  const issuer = params.get("iss")
  if (issuer !== below(app.url, "")) {
    throw new OAuthError("issuer_mismatch", {
      description: `The callback is of ${issuer ?? "nobody"}, not of ${app.url}`
    })
  }
  const error = params.get("error")
  if (error !== null) throw new OAuthError(error, { description: params.get("error_description") ?? undefined })
  const code = params.get("code")
  if (code === null) throw new OAuthError("code_missing", { description: "The callback brings neither code nor error" })
  return code
}

/**
 * The tokens of the installation that a merchant agreed to. Asks once: a code lives 60 seconds and is good for one use.
 * Rejects with an {@link OAuthError} where the merchant refused (`access_denied`), where `state` or issuer are not those
 * of this authorization, and where the code is not taken; and with a {@link ConnectionError} where no answer came.
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
    /** Where the browser came back to: its address, or the parameters of that. */
    readonly callback: string | URL | URLSearchParams
    /** The one that {@link authorizationUrl} was made with, as this browser's session has it. */
    readonly state: string
    /** Of {@link generatePkce}. */
    readonly verifier: string
  },
  options: OAuthRequestOptions = {}
): Promise<TokenSet> => {
  const code = codeIn(paramsOf(callback, app), app, state)
  const form = { grant_type: "authorization_code", code, redirect_uri: app.redirectUri, code_verifier: verifier }
  return tokensIn(await post(app, "/oauth/token", form, { ...options, ...ONCE }))
}

/**
 * For 30 seconds the service answers a refresh token that was used with the same successor, and ends the grant of who
 * sends it later: the last of these is sent after 22.
 */
const WITHIN_GRACE = { timeout: 10_000, maxRetries: 2, maxWait: 2_000 }

/**
 * The next tokens of the installation. The refresh token is used up: what is kept has to be replaced by what this
 * answers. Rejects with `invalid_grant` where the merchant has to authorize the app anew.
 */
export const refreshToken = async (
  app: OAuthApp,
  refreshToken: string,
  options: OAuthRequestOptions = {}
): Promise<TokenSet> => {
  const form = { grant_type: "refresh_token", refresh_token: refreshToken }
  return tokensIn(await post(app, "/oauth/token", form, { ...options, ...WITHIN_GRACE }))
}

/** Ends a token, access or refresh, as the app is done with it. One that is no longer good is no error. */
export const revokeToken = async (app: OAuthApp, token: string, options: OAuthRequestOptions = {}): Promise<void> => {
  await post(app, "/oauth/revoke", { token }, options)
}
