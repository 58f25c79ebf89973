import { Data, Effect, Option, Schema } from "effect"
import { Scope } from "../../domain/access/Scope.ts"
import { type Client, ClientId, Clients, UnknownClient } from "../../domain/oauth/Clients.ts"
import { Challenge, isChallenge } from "../../domain/oauth/Pkce.ts"
import { isRegistered } from "../../domain/oauth/RedirectUri.ts"
import { InvalidRequest, InvalidScope, InvalidTarget, UnsupportedResponseType } from "../../domain/oauth/Refusals.ts"
import { issuer } from "./Issuer.ts"
import { agentsResource } from "./ProtectedResource.ts"
import { refusalOfTwice, said } from "./Parameters.ts"
import { errorOf, type OauthRefusal } from "./Refused.ts"

/** What a client asks a merchant for, all of it checked. */
export interface AuthorizationRequest {
  readonly client: Client
  readonly redirectUri: string
  readonly state: string | undefined
  readonly challenge: Challenge
  /** Those that it names; all that there are for it where it names none. */
  readonly scopes: ReadonlyArray<Scope>
  readonly resource: string | undefined
}

/** Refused to the merchant, on a page: that the client wants them sent where the request says is not known. */
export class Untrusted extends Data.TaggedError("Untrusted")<{ readonly error: InvalidRequest | UnknownClient }> {}

/** Refused to the client: the merchant is sent back to it, with the error. */
export class SentBack extends Data.TaggedError("SentBack")<{ readonly location: string }> {}

interface Asked {
  readonly parameters: URLSearchParams
  readonly client: Client
  /** What this server is called. */
  readonly iss: string
}

type Check<E> = (asked: Asked) => E | undefined

const invalid = (reason: string) => new InvalidRequest({ reason })

const clientIsOne: Check<InvalidRequest> = ({ parameters }) => refusalOfTwice(parameters, ["client_id"])

const addressIsOne: Check<InvalidRequest> = ({ parameters }) =>
  said(parameters, "redirect_uri") === undefined
    ? invalid("redirect_uri is missing; send the one that is registered")
    : refusalOfTwice(parameters, ["redirect_uri"])

const addressIsRegistered: Check<InvalidRequest> = ({ client, parameters }) =>
  isRegistered(client.redirectUris, said(parameters, "redirect_uri") ?? "")
    ? undefined
    : invalid("redirect_uri is not registered for this client, character by character")

/** Before the address is trusted that the merchant is to be sent back to. */
const BEFORE: ReadonlyArray<Check<InvalidRequest>> = [clientIsOne, addressIsOne, addressIsRegistered]

const parametersAreOne: Check<InvalidRequest> = ({ parameters }) => refusalOfTwice(parameters)

const asksForCode: Check<InvalidRequest | UnsupportedResponseType> = ({ parameters }) => {
  const type = said(parameters, "response_type")
  if (type === undefined) return invalid("response_type is missing; it must be code")
  return type === "code" ? undefined : new UnsupportedResponseType()
}

/** In the query of the address: there is no other way. */
const answerIsQuery: Check<InvalidRequest> = ({ parameters }) =>
  (said(parameters, "response_mode") ?? "query") === "query" ? undefined : invalid("response_mode must be query")

const hasChallenge: Check<InvalidRequest> = ({ parameters }) =>
  isChallenge(said(parameters, "code_challenge"))
    ? undefined
    : invalid("code_challenge is missing, or is not the SHA-256 of a verifier in base64url (RFC 7636)")

/** Left out it means `plain` (RFC 7636, section 4.3), which protects from nobody who sees the request. */
const methodIsS256: Check<InvalidRequest> = ({ parameters }) =>
  said(parameters, "code_challenge_method") === "S256" ? undefined : invalid("code_challenge_method must be S256")

const offered = ({ of }: Client): ReadonlyArray<Scope> => (of._tag === "App" ? of.scopes : Scope.literals)

const namedScopes = (parameters: URLSearchParams) => said(parameters, "scope")?.split(" ").filter(Boolean)

const scopesAreOffered: Check<InvalidScope> = ({ client, parameters }) => {
  const scopes: ReadonlyArray<string> = offered(client)
  if (namedScopes(parameters)?.every((scope) => scopes.includes(scope)) ?? true) return undefined
  return new InvalidScope({ reason: `scope may name ${scopes.join(" ")}, or be left out for all of them` })
}

/** The tokens of agents are good for their tools alone, and those of apps never (RFC 8707). */
const targetIsIts: Check<InvalidTarget> = ({ client, iss, parameters }) => {
  const asked = said(parameters, "resource")
  const tools = agentsResource(iss)
  if (client.of._tag === "AgentClient") {
    return (asked ?? tools) === tools ? undefined : new InvalidTarget({ reason: `resource must be ${tools}` })
  }
  return asked === tools ? new InvalidTarget({ reason: "resource is for agents, which no app is" }) : undefined
}

/** Once it is trusted. */
const AFTER: ReadonlyArray<Check<OauthRefusal>> = [
  parametersAreOne,
  asksForCode,
  answerIsQuery,
  hasChallenge,
  methodIsS256,
  scopesAreOffered,
  targetIsIts
]

/** The first thing that is wrong. */
const refusalOf = <E>(checks: ReadonlyArray<Check<E>>, asked: Asked): E | undefined => {
  for (const check of checks) {
    const refusal = check(asked)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

const clientIdOf = Schema.decodeUnknownOption(ClientId)

/**
 * The checks of authorization requests (RFC 6749, section 4.1.1; RFC 7636; RFC 9700), and where merchants are sent back to,
 * with the name of this server, so that no client takes its answer for another server's (RFC 9207).
 */
export const makeAuthorization = Effect.gen(function* () {
  const clients = yield* Clients
  const iss = yield* issuer

  /** The address to go back to: with a code, or with an error. Nothing of it is written anew that the client registered. */
  const locationOf = (
    { redirectUri, state }: Pick<AuthorizationRequest, "redirectUri" | "state">,
    answer: { readonly code: string } | OauthRefusal
  ): string => {
    const outcome = "code" in answer ? { code: answer.code } : errorOf(answer)
    const parameters = new URLSearchParams({ ...outcome, ...(state === undefined ? {} : { state }), iss })
    return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${parameters.toString()}`
  }

  const check = Effect.fn("Authorization.check")(function* (
    parameters: URLSearchParams
  ): Effect.fn.Return<AuthorizationRequest, Untrusted | SentBack> {
    const found = Option.match(clientIdOf(said(parameters, "client_id")), {
      onNone: () => new UnknownClient({}),
      onSome: clients.find
    })
    const client = yield* Effect.mapError(found, (error) => new Untrusted({ error }))
    const asked = { parameters, client, iss }
    const untrusted = refusalOf(BEFORE, asked)
    if (untrusted !== undefined) return yield* new Untrusted({ error: untrusted })

    const back = { redirectUri: said(parameters, "redirect_uri") ?? "", state: said(parameters, "state") }
    const refusal = refusalOf(AFTER, asked)
    if (refusal !== undefined) return yield* new SentBack({ location: locationOf(back, refusal) })
    const named = namedScopes(parameters)
    return {
      ...back,
      client,
      challenge: Challenge.make(said(parameters, "code_challenge") ?? ""),
      scopes: offered(client).filter((scope) => named?.includes(scope) ?? true),
      resource: client.of._tag === "AgentClient" ? agentsResource(iss) : said(parameters, "resource")
    }
  })

  return { check, locationOf }
})
