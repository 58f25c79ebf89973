import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Scope } from "../../domain/access/Scope.ts"
import { issuer } from "./Issuer.ts"
import { REGISTRATION_PATH } from "./Registration.ts"

/** How clients prove who they are: by their secret in a header or in the form, or as public ones by PKCE alone. */
const METHODS = ["client_secret_basic", "client_secret_post", "none"]

/** `/.well-known/oauth-authorization-server`: what clients have to know of the authorization server (RFC 8414). */
export const MetadataRoute = HttpRouter.use((router) =>
  Effect.flatMap(issuer, (issuer) =>
    router.add(
      "GET",
      "/.well-known/oauth-authorization-server",
      HttpServerResponse.jsonUnsafe({
        issuer,
        authorization_endpoint: `${issuer}/oauth/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        revocation_endpoint: `${issuer}/oauth/revoke`,
        registration_endpoint: `${issuer}${REGISTRATION_PATH}`,
        client_id_metadata_document_supported: true,
        scopes_supported: Scope.literals,
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        token_endpoint_auth_methods_supported: METHODS,
        revocation_endpoint_auth_methods_supported: METHODS,
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        service_documentation: `${issuer}/docs`
      })
    )
  )
)
