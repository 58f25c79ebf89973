import { Effect, Redacted, Result, Schema } from "effect"
import type { IncomingMessage } from "node:http"
import { knownScopes, type Scope } from "../../domain/access/Scope.ts"
import { ClientId, type Credentials } from "../../domain/oauth/Clients.ts"
import { InvalidClient, InvalidRequest } from "../../domain/oauth/Refusals.ts"
import { decodeUtf8, makeMediaTypeTest, readBody } from "../server/BodyReader.ts"

/** Bytes of a form with codes, tokens and URLs. */
const MAX_FORM = 16 * 1024

const isForm = makeMediaTypeTest("application/x-www-form-urlencoded")

const invalid = (reason: string) => new InvalidRequest({ reason })

/** Gets a parameter of a query or form. An empty one counts as omitted (RFC 6749, section 3.1). */
export const getParameter = (parameters: URLSearchParams, name: string): string | undefined =>
  parameters.get(name) || undefined

/**
 * Parses a query or form. Fails if a percent encoding is malformed or not UTF-8, which `URLSearchParams` would replace
 * silently.
 */
export const parseParameters = (encoded: string): Result.Result<URLSearchParams, InvalidRequest> =>
  Result.try({
    try: () => {
      decodeURIComponent(encoded)
      return new URLSearchParams(encoded)
    },
    catch: () => invalid("A parameter is not valid UTF-8; percent-encode its UTF-8 bytes, and % itself as %25")
  })

/**
 * Finds repeated parameters, which are invalid (RFC 6749, section 3.1), because two readers could use different values,
 * and those with a NUL, which the database cannot store.
 */
export const findInvalid = (
  parameters: URLSearchParams,
  names: ReadonlyArray<string> = [...parameters.keys()]
): InvalidRequest | undefined => {
  if (names.some((name) => parameters.getAll(name).length > 1)) {
    return invalid("A parameter is repeated; send each one only once")
  }
  return names.some((name) => `${name}${parameters.get(name)}`.includes("\0"))
    ? invalid("A parameter contains a NUL character; leave it out")
    : undefined
}

/** Reads the form in the body of a request. Fails if a parameter is unreadable or repeated. */
export const readForm = Effect.fnUntraced(function* (request: IncomingMessage) {
  if (!isForm(request.headers["content-type"]) || request.headers["content-encoding"] !== undefined) {
    return yield* invalid("The body is not a form; send it as application/x-www-form-urlencoded, without compression")
  }
  const body = yield* Effect.mapError(Effect.flatMap(readBody(request, MAX_FORM), decodeUtf8), ({ reason }) =>
    invalid(reason)
  )
  const form = yield* Effect.fromResult(parseParameters(body))
  const error = findInvalid(form)
  return error === undefined ? form : yield* error
})

/** Gets the known scopes that a client requests, or undefined if it sends no scope. */
export const requestedScopes = (parameters: URLSearchParams): ReadonlyArray<Scope> | undefined => {
  const scope = getParameter(parameters, "scope")
  return scope === undefined ? undefined : knownScopes(scope)
}

/** Values of required parameters, for error messages. */
const REQUIRED = {
  code: "the code of the redirect to redirect_uri",
  code_verifier: "the text whose SHA-256 was the code_challenge",
  grant_type: "authorization_code or refresh_token",
  redirect_uri: "that of the authorization request",
  refresh_token: "the newest one of the grant",
  token: "the refresh or access token to revoke"
}

/** Gets a parameter, or fails if it is missing. */
export const requireParameter = (form: URLSearchParams, name: keyof typeof REQUIRED) => {
  const text = getParameter(form, name)
  return text === undefined ? Effect.fail(invalid(`${name} is missing; send ${REQUIRED[name]}`)) : Effect.succeed(text)
}

/** Decodes the id or secret of the header, which are encoded as in a form (RFC 6749, section 2.3.1). */
const formDecode = (text: string) => new URLSearchParams(`text=${text.replaceAll("&", "%26")}`).get("text") ?? ""

const isClientId = Schema.is(ClientId)

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i

/** Parses HTTP Basic credentials. A malformed header has an empty id and secret. */
const parseBasic = (header: string) => {
  const [, encoded = ""] = BASIC.exec(header) ?? []
  const [, id = "", secret = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString()) ?? []
  return { id: formDecode(id), secret: formDecode(secret) }
}

/** Reads the client's credentials from the header or the form. Fails if both have a secret or their ids differ. */
export const readCredentials = Effect.fnUntraced(function* (
  { headers: { authorization } }: IncomingMessage,
  form: URLSearchParams
): Effect.fn.Return<Credentials, InvalidClient | InvalidRequest> {
  const fromForm = { id: getParameter(form, "client_id"), secret: getParameter(form, "client_secret") }
  const basic = authorization === undefined ? undefined : parseBasic(authorization)
  if (basic !== undefined && (fromForm.secret !== undefined || (fromForm.id ?? basic.id) !== basic.id)) {
    return yield* invalid("The client is identified twice; send its secret in the header or in the form, not in both")
  }
  const { id = "", secret = "" } = basic ?? fromForm
  if (!isClientId(id)) return yield* new InvalidClient()
  return { clientId: id, secret: secret === "" ? undefined : Redacted.make(secret) }
})
