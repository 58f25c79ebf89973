import { Effect, Layer } from "effect"
import type { IncomingMessage } from "node:http"
import { knownScopes, Scope } from "../../domain/access/Scope.ts"
import type { JsonObject } from "../../domain/json/Json.ts"
import { AgentClients } from "../../domain/oauth/AgentClients.ts"
import { type StoredMetadata, InvalidClientMetadata, readMetadata } from "../../domain/oauth/ClientMetadata.ts"
import type { ClientId } from "../../domain/oauth/Clients.ts"
import { parseJsonBody, readBody } from "../server/BodyReader.ts"
import { postRoute, type Reply } from "../Reply.ts"
import type { NodeResponse } from "../server/NodeResponse.ts"
import { type OAuthError, NO_STORE, toOAuthErrorReply } from "./OAuthErrors.ts"

export const REGISTRATION_PATH = "/oauth/register"

/** Bytes of client metadata. */
const MAX_BODY = 16 * 1024

const readClientMetadata = (request: IncomingMessage) =>
  Effect.result(readBody(request, MAX_BODY)).pipe(
    Effect.flatMap((body) => parseJsonBody({ body, header: (name) => request.headers[name]?.toString() })),
    Effect.mapError(({ issues = [], reason }) => new InvalidClientMetadata({ reason: [reason, ...issues].join("; ") })),
    Effect.map(({ json }) => json)
  )

/** Returns the scopes that a client may request: the known ones that it names, or all. Some clients request these. */
const registeredScopes = ({ scope }: JsonObject): ReadonlyArray<Scope> => {
  const named = typeof scope === "string" ? knownScopes(scope) : []
  return named.length === 0 ? Scope.literals : named
}

/** Makes the response with the stored metadata (RFC 7591, section 3.2.1). Clients get no secret, even if requested. */
const registeredReply = (
  id: ClientId,
  { logoUrl, name, redirectUris, website }: StoredMetadata,
  scopes: ReadonlyArray<Scope>
): Reply => ({
  status: 201,
  body: JSON.stringify({
    client_id: id,
    client_name: name,
    redirect_uris: redirectUris,
    ...(website === null ? {} : { client_uri: website }),
    ...(logoUrl === null ? {} : { logo_uri: logoUrl }),
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    scope: scopes.join(" "),
    token_endpoint_auth_method: "none"
  }),
  headers: NO_STORE
})

/** `POST /oauth/register`: dynamic registration of agent clients (RFC 7591). */
export const RegistrationRoute = Effect.gen(function* () {
  const { register } = yield* AgentClients

  const handle = Effect.fnUntraced(
    function* (request: IncomingMessage, { address }: NodeResponse) {
      const json = yield* readClientMetadata(request)
      const metadata = yield* Effect.fromResult(readMetadata(json))
      return registeredReply(yield* register(metadata, address), metadata, registeredScopes(json))
    },
    Effect.catch((error: OAuthError) => Effect.succeed(toOAuthErrorReply(error)))
  )

  return postRoute(REGISTRATION_PATH, "Register clients with POST", handle)
}).pipe(Layer.unwrap)
