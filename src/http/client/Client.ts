import { type ClientOptions, makeApi } from "./Api.ts"
import { PartnerClient } from "./generated/Operations.ts"
import type { FeedChange, FeedMembership } from "./generated/Resources.ts"
import {
  type ChangesOptions,
  type Copy,
  iterateChanges,
  iterateMemberships,
  type MembershipsOptions,
  type Proof,
  syncCopy,
  type SyncOptions
} from "./Sync.ts"

/*
 * The client for apps, published as `partner-api/client`: OAuth and every operation. It has no dependencies and runs
 * in Node 22 and newer, Deno, Bun and edge workers. A page in a browser calls its own server: the service has no CORS.
 */

export type { ClientOptions } from "./Api.ts"
export type { TokenStore } from "./Bearer.ts"
export type * from "./Calls.ts"
export { ApiError, ConnectionError, OAuthError } from "./Errors.ts"
export type * from "./generated/Operations.ts"
export type * from "./generated/Resources.ts"
export type {
  ChangesOptions,
  Copy,
  MembershipsOptions,
  Proof,
  SyncBatch,
  SyncOptions,
  SyncResource,
  SyncRow
} from "./Sync.ts"
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

/** Every operation of the API, and copies of the catalog. */
export class Client extends PartnerClient {
  /**
   * Iterates over every create, update and deletion after a position, and waits for the next one. Store the `position` of a
   * change with what it changed, and continue with it as `after`. Positions are valid for up to 400 days: older ones fail with 410.
   *
   * @example
   * for await (const { id, position } of client.changes({ after: await readPosition(), resources: ["products"] })) {
   *   await invalidate(id, position)
   * }
   */
  changes(options: ChangesOptions = {}): AsyncGenerator<FeedChange, never> {
    return iterateChanges(this, options)
  }

  /**
   * Iterates over products that enter and leave collections after a position, each with the cause, and waits for the next
   * one. `productId` is null if a change of a collection affects too many products: read the collection again.
   *
   * @example
   * for await (const { cause, collectionId, entered, productId } of client.memberships({ after })) {
   *   console.log(productId, entered ? "entered" : "left", collectionId, cause.text)
   * }
   */
  memberships(options: MembershipsOptions = {}): AsyncGenerator<FeedMembership, never> {
    return iterateMemberships(this, options)
  }

  /**
   * Brings a copy up to date and proves that it is complete: applies the changes since its stored position, compares its
   * digests with those of the store, and reads again only the ranges that differ. Resolves with the proof. One call at a time
   * for a copy.
   *
   * @example
   * const { digests } = await client.sync(copy, { resources: ["products"] })
   */
  sync(copy: Copy, options: SyncOptions = {}): Promise<Proof> {
    return syncCopy(this, copy, options)
  }
}

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
export const createClient = (options: ClientOptions): Client => new Client(makeApi(options))
