import { Data, Effect, Option, Schema } from "effect"
import { Scope } from "../../domain/access/Scope.ts"
import { type Client, ClientId, Clients, UnknownClient } from "../../domain/oauth/Clients.ts"
import { Challenge, isChallenge } from "../../domain/oauth/Pkce.ts"
import { isRegistered } from "../../domain/oauth/RedirectUri.ts"
import { InvalidRequest, InvalidScope, InvalidTarget, UnsupportedResponseType } from "../../domain/oauth/Refusals.ts"
import { agentsResource, issuer, toResource } from "./Discovery.ts"
import { findInvalid, getParameter, requestedScopes } from "./Form.ts"
import { type OAuthError, toErrorParameters } from "./OAuthErrors.ts"

/** A valid authorization request. */
export interface AuthorizationRequest {
  readonly client: Client
  readonly redirectUri: string
  readonly state: string | undefined
  readonly challenge: Challenge
  /** The requested scopes, or all scopes of the client if none are requested. */
  readonly scopes: ReadonlyArray<Scope>
  readonly resource: string | undefined
}

/** An error that is shown to the merchant on a page, because the redirect URI is not verified. */
export class UnverifiedRedirect extends Data.TaggedError("UnverifiedRedirect")<{
  readonly error: InvalidRequest | UnknownClient
}> {}

/** An error that is returned to the client by a redirect to `location`. */
export class RedirectedError extends Data.TaggedError("RedirectedError")<{ readonly location: string }> {}

interface RequestToCheck {
  readonly parameters: URLSearchParams
  readonly client: Client
  /** The issuer identifier of this server. */
  readonly iss: string
}

type Check<E> = (request: RequestToCheck) => E | undefined

const invalid = (reason: string) => new InvalidRequest({ reason })

const checkClientId: Check<InvalidRequest> = ({ parameters }) => findInvalid(parameters, ["client_id"])

const checkRedirectParameter: Check<InvalidRequest> = ({ parameters }) =>
  getParameter(parameters, "redirect_uri") === undefined
    ? invalid("redirect_uri is missing; send the registered one")
    : findInvalid(parameters, ["redirect_uri"])

const checkRedirectUri: Check<InvalidRequest> = ({ client, parameters }) =>
  isRegistered(client.redirectUris, getParameter(parameters, "redirect_uri") ?? "")
    ? undefined
    : invalid("redirect_uri is not registered; send exactly one of the redirect URIs of this client, or register it")

/** Checks before the redirect URI is verified. */
const CHECKS_BEFORE_REDIRECT: ReadonlyArray<Check<InvalidRequest>> = [
  checkClientId,
  checkRedirectParameter,
  checkRedirectUri
]

const checkParameters: Check<InvalidRequest> = ({ parameters }) => findInvalid(parameters)

const checkResponseType: Check<InvalidRequest | UnsupportedResponseType> = ({ parameters }) => {
  const type = getParameter(parameters, "response_type")
  if (type === undefined) return invalid("response_type is missing; send code")
  return type === "code" ? undefined : new UnsupportedResponseType()
}

const checkResponseMode: Check<InvalidRequest> = ({ parameters }) =>
  (getParameter(parameters, "response_mode") ?? "query") === "query"
    ? undefined
    : invalid("response_mode is not supported; send query, or leave it out")

const checkChallenge: Check<InvalidRequest> = ({ parameters }) =>
  isChallenge(getParameter(parameters, "code_challenge"))
    ? undefined
    : invalid("code_challenge is missing or malformed; send the base64url-encoded SHA-256 of a verifier (RFC 7636)")

/** The default is `plain` (RFC 7636, section 4.3), which does not protect from anyone who sees the request. */
const checkChallengeMethod: Check<InvalidRequest> = ({ parameters }) =>
  getParameter(parameters, "code_challenge_method") === "S256"
    ? undefined
    : invalid("code_challenge_method is not supported; send S256")

const scopesOf = ({ of }: Client): ReadonlyArray<Scope> => (of._tag === "App" ? of.scopes : Scope.literals)

const checkScopes: Check<InvalidScope> = ({ client, parameters }) => {
  const scopes = scopesOf(client)
  const requested = requestedScopes(parameters)
  if (requested === undefined) return undefined
  if (requested.every((scope) => scopes.includes(scope)) && requested.length > 0) return undefined
  return new InvalidScope({
    reason:
      scopes.length === 0
        ? "The app declares no scope; leave scope out, or declare scopes on the app"
        : `scope can contain ${scopes.join(" ")}; leave it out for all of them`
  })
}

/** Agent tokens are valid for `/mcp` only, app tokens never (RFC 8707). */
const checkResource: Check<InvalidTarget> = ({ client, iss, parameters }) => {
  const tools = agentsResource(iss)
  const resource = toResource(iss, getParameter(parameters, "resource"))
  if (client.of._tag === "AgentClient") {
    return (resource ?? tools) === tools
      ? undefined
      : new InvalidTarget({ reason: `resource is not the one of agents; send ${tools}, or leave it out` })
  }
  return resource === tools
    ? new InvalidTarget({ reason: "resource is for agents only, and this client is an app; leave it out" })
    : undefined
}

/** Checks after the redirect URI is verified. */
const CHECKS_AFTER_REDIRECT: ReadonlyArray<Check<OAuthError>> = [
  checkParameters,
  checkResponseType,
  checkResponseMode,
  checkChallenge,
  checkChallengeMethod,
  checkScopes,
  checkResource
]

/** Finds the error of the first failed check. */
const findError = <E>(checks: ReadonlyArray<Check<E>>, request: RequestToCheck): E | undefined => {
  for (const check of checks) {
    const error = check(request)
    if (error !== undefined) return error
  }
  return undefined
}

const decodeClientId = Schema.decodeUnknownOption(ClientId)

/**
 * Makes the checks of authorization requests (RFC 6749, section 4.1.1; RFC 7636; RFC 9700) and the redirect URIs of
 * responses. These have the issuer, so that clients detect responses of another server (RFC 9207).
 */
export const makeAuthorization = Effect.gen(function* () {
  const clients = yield* Clients
  const iss = yield* issuer

  /** Adds a code or an error to the redirect URI. The registered part stays unchanged, byte by byte. */
  const makeLocation = (
    { redirectUri, state }: Pick<AuthorizationRequest, "redirectUri" | "state">,
    result: { readonly code: string } | OAuthError
  ): string => {
    const outcome = "code" in result ? { code: result.code } : toErrorParameters(result)
    const parameters = new URLSearchParams({ ...outcome, ...(state === undefined ? {} : { state }), iss })
    return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${parameters.toString()}`
  }

  const check = Effect.fn("Authorization.check")(function* (
    parameters: URLSearchParams
  ): Effect.fn.Return<AuthorizationRequest, UnverifiedRedirect | RedirectedError> {
    const findClient = Option.match(decodeClientId(getParameter(parameters, "client_id")), {
      onNone: () => new UnknownClient({}),
      onSome: clients.find
    })
    const client = yield* Effect.mapError(findClient, (error) => new UnverifiedRedirect({ error }))
    const request = { parameters, client, iss }
    const unverified = findError(CHECKS_BEFORE_REDIRECT, request)
    if (unverified !== undefined) return yield* new UnverifiedRedirect({ error: unverified })

    const target = {
      redirectUri: getParameter(parameters, "redirect_uri") ?? "",
      state: getParameter(parameters, "state")
    }
    const error = findError(CHECKS_AFTER_REDIRECT, request)
    if (error !== undefined) return yield* new RedirectedError({ location: makeLocation(target, error) })
    const requested = requestedScopes(parameters)
    return {
      ...target,
      client,
      challenge: Challenge.make(getParameter(parameters, "code_challenge") ?? ""),
      scopes: scopesOf(client).filter((scope) => requested?.includes(scope) ?? true),
      resource: client.of._tag === "AgentClient" ? agentsResource(iss) : getParameter(parameters, "resource")
    }
  })

  return { check, makeLocation }
})
