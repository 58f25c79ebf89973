import { type ClientOptions, makeApi } from "./Api.ts"
import { PartnerClient } from "./generated/Operations.ts"

/*
 * The client for apps, published as `partner-api/client`: OAuth and every operation. It has no dependencies and runs
 * in Node 20 and newer, Deno, Bun and edge workers. A page in a browser calls its own server: the service has no CORS.
 */

export type { ClientOptions } from "./Api.ts"
export type { TokenStore } from "./Bearer.ts"
export type * from "./Calls.ts"
export { ApiError, ConnectionError, OAuthError } from "./Errors.ts"
export type * from "./generated/Operations.ts"
export type * from "./generated/Resources.ts"
export {
  authorizationUrl,
  exchangeCode,
  generatePkce,
  type OAuthApp,
  type OAuthRequestOptions,
  type Pkce,
  refreshToken,
  revokeToken,
  type TokenSet
} from "./OAuth.ts"

/**
 * Creates a client of every operation for one installation.
 *
 * It sends the access token and refreshes it if `tokens` is a store. Reads and writes are retried after connection
 * failures, 502, 503, 504 and 429. Writes are safe to retry, because they have an `Idempotency-Key`.
 *
 * @example
 * const client = createClient({
 *   url: app.url,
 *   tokens: { app, load: () => readTokens(), save: (tokens) => writeTokens(tokens) }
 * })
 * for await (const product of client.products.list()) {
 *   if (product.stock === 0) await client.products.update(product.id, { isActive: false }, { ifMatch: product.version })
 * }
 */
export const createClient = (options: ClientOptions): PartnerClient => new PartnerClient(makeApi(options))
