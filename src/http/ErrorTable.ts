import { HttpApiSchema } from "@effect/platform"
import { ParseResult, Schema } from "effect"
import type { InstallationInactive } from "../domain/access/Installations.ts"
import type { ScopeNotGranted } from "../domain/access/Scope.ts"
import type { InvalidToken } from "../domain/access/Tokens.ts"
import type { StoreBusy } from "../domain/Bulkhead.ts"
import type { EventLoop } from "../domain/Events.ts"
import type { AnswersFull, KeyReused } from "../domain/Idempotency.ts"
import type { RateLimitExceeded } from "../domain/RateLimit.ts"
import type { StoreNotFound } from "../domain/Store.ts"
import type { Unavailable } from "../domain/Unavailable.ts"
import type { VersionMismatch } from "../domain/Version.ts"
import type {
  CollectionLimitReached,
  CollectionNotFound,
  RulesTooSlow,
  TooManyMembers,
  TooManyProductIds,
  UnknownProducts
} from "../domain/catalog/Collection.ts"
import type { ProductLimitReached, ProductNotFound, ProductTooLarge } from "../domain/catalog/Product.ts"
import type { SlugTaken } from "../domain/catalog/Slug.ts"
import type { BadRequest, KeyMalformed, KeyMissing } from "./BadRequest.ts"
import type { Reply } from "./Call.ts"

/** Every error that a request may be answered with on purpose. */
export type PublicError =
  | BadRequest
  | KeyMissing
  | KeyMalformed
  | InvalidToken
  | InstallationInactive
  | ScopeNotGranted
  | ProductLimitReached
  | CollectionLimitReached
  | StoreNotFound
  | ProductNotFound
  | CollectionNotFound
  | KeyReused
  | VersionMismatch
  | ProductTooLarge
  | SlugTaken
  | UnknownProducts
  | TooManyProductIds
  | TooManyMembers
  | RulesTooSlow
  | EventLoop
  | AnswersFull
  | RateLimitExceeded
  | StoreBusy
  | Unavailable

/**
 * The one place where an error meets its status (contract, section 7). It is total: an error without a row does not
 * compile, neither here nor where an endpoint declares it.
 */
const STATUS = {
  BadRequest: 400,
  KeyMissing: 400,
  KeyMalformed: 400,
  TooManyProductIds: 400,
  InvalidToken: 401,
  InstallationInactive: 403,
  ScopeNotGranted: 403,
  ProductLimitReached: 403,
  StoreNotFound: 404,
  ProductNotFound: 404,
  CollectionNotFound: 404,
  KeyReused: 409,
  VersionMismatch: 412,
  CollectionLimitReached: 422,
  ProductTooLarge: 422,
  SlugTaken: 422,
  UnknownProducts: 422,
  TooManyMembers: 422,
  RulesTooSlow: 422,
  EventLoop: 422,
  AnswersFull: 422,
  RateLimitExceeded: 429,
  StoreBusy: 503,
  Unavailable: 503
} as const satisfies Record<PublicError["_tag"], number>

/** What each status tells a client, in the words of the reference. */
export const MEANING: Record<(typeof STATUS)[PublicError["_tag"]] | 500, string> = {
  400: "The request is malformed; `issues` names each thing to change",
  401: "The bearer token is missing, invalid or expired",
  403: "A scope is missing, the installation is not active, or the store's plan allows no more products",
  404: "The resource or the store was not found",
  409: "The Idempotency-Key was used with a different request",
  412: "The resource is not at the version that If-Match names",
  422: "Well formed, but not possible as things stand",
  429: "More than 100 requests in 60 seconds. Wait and repeat; no header tells how long",
  500: "Something failed that should not; nothing was written",
  503: "The database is out of reach or overloaded, or too many requests of the store wait. Repeat the request with the same Idempotency-Key"
}

/** The one shape every failed request answers with. */
export const ErrorBody = Schema.Struct({
  error: Schema.String.annotations({ description: "What went wrong, and what to do about it" }),
  issues: Schema.optional(
    Schema.Array(Schema.String).annotations({ description: "One line for each thing to change, `path: reason`" })
  )
}).annotations({ identifier: "Error", description: "Every failed request answers with this" })
type ErrorBody = typeof ErrorBody.Type

/** An error's body: its message and, where it has them, its lines. */
export const bodyOf = ({
  issues,
  message
}: PublicError & { readonly issues?: ReadonlyArray<string> | undefined }): ErrorBody =>
  issues === undefined ? { error: message } : { error: message, issues }

/** What a request is answered with that is refused. */
export const replyOf = (error: PublicError): Reply => ({
  status: STATUS[error._tag],
  body: JSON.stringify(bodyOf(error))
})

/** A schema that is only ever written: the error's body with a status. */
export const encodedAs = <A, I, R>(error: Schema.Schema<A, I, R>, status: number, body: (error: A) => ErrorBody) =>
  Schema.transformOrFail(ErrorBody, Schema.typeSchema(error), {
    strict: true,
    decode: (given, _, ast) =>
      ParseResult.fail(new ParseResult.Forbidden(ast, given, "A public error cannot be read back")),
    encode: (error) => ParseResult.succeed(body(error))
  }).annotations(HttpApiSchema.annotations({ status }))

/** A domain error on the REST surface: its status from the table, its message as the body. */
export const publicError = <E extends PublicError, I, R>(
  error: Schema.Schema<E, I, R> & { readonly _tag: E["_tag"] }
) => encodedAs(error, STATUS[error._tag], bodyOf)
