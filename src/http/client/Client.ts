import { type ClientOptions, makeApi } from "./Api.ts"
import { PartnerClient } from "./generated/Operations.ts"

/*
 * What an app needs, published as `partner-api/client`: how it gets in by OAuth, and a client of every operation. It holds
 * nothing of the service or its libraries, and runs wherever `fetch` and Web Crypto do (browsers, Deno, edge workers,
 * Node 20 and newer).
 */

export type { ClientOptions } from "./Api.ts"
export type { TokenStore } from "./Bearer.ts"
export type * from "./Calls.ts"
export { ApiError, ConnectionError, OAuthError } from "./Errors.ts"
export type * from "./generated/Operations.ts"
export type * from "./generated/Resources.ts"
export { type ExactNumber, exactNumber, type JsonNumber, parseJson, stringifyJson } from "./Numbers.ts"
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
 * A client of every operation, for one installation.
 *
 * It carries the access token, and renews it where it is told how. Writes carry an `Idempotency-Key`, and so are sent
 * again, as reads are, where no answer came, where the service cannot answer now (502, 503, 504) and where the rate limit
 * was spent (429).
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
