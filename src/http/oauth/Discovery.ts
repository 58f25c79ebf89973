import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Scope } from "../../domain/access/Scope.ts"
import { PublicUrl } from "../Origin.ts"
import { baseUrl } from "../server/HttpListener.ts"
import { REGISTRATION_PATH } from "./Registration.ts"

/** The issuer identifier: a URL without path, as in `https://partners.example.com` (RFC 8414). */
export const issuer = Effect.gen(function* () {
  return (yield* PublicUrl) ?? (yield* baseUrl)
})

/** The path of the Model Context Protocol. */
export const MCP_PATH = "/mcp"

const PROTECTED_RESOURCE = "/.well-known/oauth-protected-resource"

/** The resource indicator of agent tokens, which are valid for `/mcp` only (RFC 8707). */
export const agentsResource = (issuer: string): string => `${issuer}${MCP_PATH}`

/** The URL of the metadata of `/mcp` (RFC 9728, section 3.1). */
export const metadataUrl = (issuer: string): string => `${issuer}${PROTECTED_RESOURCE}${MCP_PATH}`

/** Client authentication by a secret in the header or the form, or none for public clients with PKCE. */
const AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]

/** `/.well-known/oauth-authorization-server`: metadata of the authorization server (RFC 8414). */
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
        token_endpoint_auth_methods_supported: AUTH_METHODS,
        revocation_endpoint_auth_methods_supported: AUTH_METHODS,
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        service_documentation: `${issuer}/docs`
      })
    )
  )
)

/**
 * `/.well-known/oauth-protected-resource/mcp`: metadata of `/mcp` (RFC 9728). The same without the path, for clients that
 * were not given the metadata URL, and with a slash at the end, as in the URL that a client was given.
 */
export const ProtectedResourceRoutes = HttpRouter.use((router) =>
  Effect.flatMap(issuer, (issuer) => {
    const metadata = HttpServerResponse.jsonUnsafe({
      resource: agentsResource(issuer),
      resource_name: "Partner API, tools for agents",
      authorization_servers: [issuer],
      scopes_supported: Scope.literals,
      bearer_methods_supported: ["header"],
      resource_documentation: `${issuer}/docs`
    })
    const paths = [PROTECTED_RESOURCE, `${PROTECTED_RESOURCE}${MCP_PATH}`, `${PROTECTED_RESOURCE}${MCP_PATH}/`] as const
    return Effect.forEach(paths, (path) => router.add("GET", path, metadata))
  })
)
