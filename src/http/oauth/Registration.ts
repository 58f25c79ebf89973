import { Effect, Layer } from "effect"
import type { IncomingMessage } from "node:http"
import { AgentClients } from "../../domain/oauth/AgentClients.ts"
import { type StoredMetadata, InvalidClientMetadata, readMetadata } from "../../domain/oauth/ClientMetadata.ts"
import type { ClientId } from "../../domain/oauth/Clients.ts"
import { parseJsonBody, readBody } from "../server/BodyReader.ts"
import { postRoute, type Reply } from "../Reply.ts"
import type { NodeResponse } from "../server/NodeResponse.ts"
import { type OauthRefusal, NO_STORE, refusedOf } from "./Refused.ts"

export const REGISTRATION_PATH = "/oauth/register"

/** Bytes of what a client says of itself. */
const MAX_BODY = 16 * 1024

const metadataIn = (message: IncomingMessage) =>
  Effect.result(readBody(message, MAX_BODY)).pipe(
    Effect.flatMap((body) => parseJsonBody({ body, header: (name) => message.headers[name]?.toString() })),
    Effect.mapError(({ issues = [], reason }) => new InvalidClientMetadata({ reason: [reason, ...issues].join("; ") })),
    Effect.flatMap(({ said }) => Effect.fromResult(readMetadata(said)))
  )

/** All that is kept of it, and how it is to come: it has no secret, whatever it wanted (RFC 7591, section 3.2.1). */
const registered = (id: ClientId, { logoUrl, name, redirectUris, website }: StoredMetadata): Reply => ({
  status: 201,
  body: JSON.stringify({
    client_id: id,
    client_name: name,
    redirect_uris: redirectUris,
    ...(website === null ? {} : { client_uri: website }),
    ...(logoUrl === null ? {} : { logo_uri: logoUrl }),
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none"
  }),
  headers: NO_STORE
})

/** `POST /oauth/register`, for clients of agents that nobody told of them before (RFC 7591). */
export const RegistrationRoute = Effect.gen(function* () {
  const { register } = yield* AgentClients

  const answer = Effect.fnUntraced(
    function* (message: IncomingMessage, { address }: NodeResponse) {
      const described = yield* metadataIn(message)
      return registered(yield* register(described, address), described)
    },
    Effect.catch((error: OauthRefusal) => Effect.succeed(refusedOf(error)))
  )

  return postRoute(REGISTRATION_PATH, "Clients register with POST", answer)
}).pipe(Layer.unwrap)
