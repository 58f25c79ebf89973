import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Scope } from "../../domain/access/Scope.ts"
import { parseUrl } from "../../domain/Url.ts"
import { PublicUrl } from "../headers/Origin.ts"
import { baseUrl } from "../server/HttpListener.ts"
import { REGISTRATION_PATH } from "./Registration.ts"

/** The issuer identifier: a URL without path, as in `https://partners.example.com` (RFC 8414). */
export const issuer = Effect.gen(function* () {
  return (yield* PublicUrl) ?? (yield* baseUrl)
})

/** The path of the Model Context Protocol. */
const MCP_PATH = "/mcp"

/** The same path with a slash at the end, with which clients are often configured. */
const MCP_SLASH_PATH = "/mcp/"

export const MCP_PATHS = [MCP_PATH, MCP_SLASH_PATH] as const

const PROTECTED_RESOURCE = "/.well-known/oauth-protected-resource"

/** The resource indicator of agent tokens, which are valid for `/mcp` only (RFC 8707). */
export const agentsResource = (issuer: string): string => `${issuer}${MCP_PATH}`

/**
 * Replaces other spellings of the resource indicator by {@link agentsResource}: with a slash at the end, or a host in
 * capitals. Returns other resources unchanged.
 */
export const toResource = (issuer: string, resource: string | undefined): string | undefined => {
  const agents = agentsResource(issuer)
  const url = parseUrl(resource ?? "")?.href
  return url === agents || url === `${issuer}${MCP_SLASH_PATH}` ? agents : resource
}

/** The URL of the metadata of a path of the protocol (RFC 9728, section 3.1). */
export const metadataUrl = (issuer: string, path: (typeof MCP_PATHS)[number]): string =>
  `${issuer}${PROTECTED_RESOURCE}${path}`

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
 * `/.well-known/oauth-protected-resource/mcp`: metadata of `/mcp` (RFC 9728), and the same without the path, for clients
 * that were not given the metadata URL. With a slash at the end it names `/mcp/`, because clients of that URL refuse
 * another resource (section 3.3).
 */
export const ProtectedResourceRoutes = HttpRouter.use((router) =>
  Effect.flatMap(issuer, (issuer) => {
    const add = (suffix: "" | (typeof MCP_PATHS)[number], path: (typeof MCP_PATHS)[number]) =>
      router.add(
        "GET",
        `${PROTECTED_RESOURCE}${suffix}`,
        HttpServerResponse.jsonUnsafe({
          resource: `${issuer}${path}`,
          resource_name: "Partner API, tools for agents",
          authorization_servers: [issuer],
          scopes_supported: Scope.literals,
          bearer_methods_supported: ["header"],
          resource_documentation: `${issuer}/docs`
        })
      )
    return Effect.all([add("", MCP_PATH), ...MCP_PATHS.map((path) => add(path, path))])
  })
)
