import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Scope } from "../../domain/access/Scope.ts"
import { issuer } from "./Issuer.ts"

/** Where agents send their messages. */
export const MCP_PATH = "/mcp"

const WELL_KNOWN = "/.well-known/oauth-protected-resource"

/** What agents' tokens are for, and good for alone (RFC 8707). */
export const agentsResource = (issuer: string): string => `${issuer}${MCP_PATH}`

/** Where it says who gives tokens for it (RFC 9728, section 3.1). */
export const metadataUrl = (issuer: string): string => `${issuer}${WELL_KNOWN}${MCP_PATH}`

/**
 * `/.well-known/oauth-protected-resource/mcp`: what a client has to know that has the address of `/mcp` and nothing else
 * (RFC 9728). The same without the path, where clients look that were not led here.
 */
export const ProtectedResourceRoutes = HttpRouter.use((router) =>
  Effect.flatMap(issuer, (issuer) => {
    const answer = HttpServerResponse.jsonUnsafe({
      resource: agentsResource(issuer),
      resource_name: "Partner API, tools for agents",
      authorization_servers: [issuer],
      scopes_supported: Scope.literals,
      bearer_methods_supported: ["header"],
      resource_documentation: `${issuer}/docs`
    })
    return Effect.zip(router.add("GET", `${WELL_KNOWN}${MCP_PATH}`, answer), router.add("GET", WELL_KNOWN, answer))
  })
)
