import { Record, Schema, SchemaGetter } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { CapabilityNotGranted, ScopeNotGranted } from "../domain/access/AccessRule.ts"
import { LinkInvalid, TooManyLinkAttempts, WrongAccount } from "../domain/access/AccountLinks.ts"
import { InstallationSuspended } from "../domain/access/Installations.ts"
import { EmailTaken } from "../domain/access/Merchants.ts"
import {
  ForeignOrigin,
  NotSignedIn,
  SignInBusy,
  SignInRefused,
  TooManySignIns,
  TooManySignUps
} from "../domain/access/Sessions.ts"
import { InvalidToken } from "../domain/access/Tokens.ts"
import { BadRequest } from "../domain/BadRequest.ts"
import { StoreBusy } from "../domain/Bulkhead.ts"
import { EventLoop } from "../domain/Events.ts"
import { StoredResponsesFull, KeyReused } from "../domain/Idempotency.ts"
import { QueryTooSlow } from "../domain/Query.ts"
import { RateLimitExceeded } from "../domain/RateLimit.ts"
import { StoreNotFound } from "../domain/Store.ts"
import { Unavailable } from "../domain/Unavailable.ts"
import { VersionMismatch } from "../domain/Version.ts"
import {
  CollectionLimitReached,
  CollectionNotFound,
  RulesTooSlow,
  TooManyMembers,
  TooManyProductIds,
  UnknownProducts
} from "../domain/catalog/Collection.ts"
import {
  ChangeSetNotFound,
  ChangeSetRefused,
  ChangeSetStateMismatch,
  ChangeSetUndone,
  NothingToUndo,
  OperationScopeMissing,
  TooManyChangeSets,
  TooManyOperations
} from "../domain/changeSets/Refusals.ts"
import { TooManyExports } from "../domain/exports/Export.ts"
import { StockMismatch, StockOutOfRange, VariantNotFound } from "../domain/catalog/Inventory.ts"
import { ProductLimitReached, ProductNotFound, ProductTooLarge } from "../domain/catalog/Product.ts"
import {
  FileDamaged,
  FileEmpty,
  FileNotFound,
  FileTooLarge,
  FileTypeRefused,
  ImagesBusy,
  MediaLimitReached,
  TooManyPixels
} from "../domain/media/File.ts"
import { StorageUnavailable } from "../domain/media/ObjectStorage.ts"
import { MembershipsTooFar } from "../domain/journal/ChangeFeed.ts"
import { ChangesGone, TooManyFollowers } from "../domain/journal/Changes.ts"
import { DigestTooSlow } from "../domain/journal/Digest.ts"
import { AppDataFull, AppDataNotFound } from "../domain/records/AppData.ts"
import { SlugTaken } from "../domain/catalog/Slug.ts"

/** A write without an `Idempotency-Key` (docs/spec/idempotency.md). */
export class KeyMissing extends Schema.TaggedError<KeyMissing>()("KeyMissing", {}) {
  override get message() {
    return "missing_key"
  }

  get issues() {
    return ["Idempotency-Key: is required on every write; send one new key for each operation and the same on retries"]
  }
}

/** A write with an `Idempotency-Key` of the wrong form. */
export class KeyMalformed extends Schema.TaggedError<KeyMalformed>()("KeyMalformed", {}) {
  override get message() {
    return "invalid_key"
  }

  get issues() {
    return ["Idempotency-Key: must be 1 to 255 visible ASCII characters"]
  }
}

/** The status of every declared error (contract, section 7). Endpoints and handlers compile only with errors in it. */
const TABLE = {
  BadRequest: [BadRequest, 400],
  KeyMissing: [KeyMissing, 400],
  KeyMalformed: [KeyMalformed, 400],
  TooManyProductIds: [TooManyProductIds, 400],
  TooManyOperations: [TooManyOperations, 400],
  InvalidToken: [InvalidToken, 401],
  NotSignedIn: [NotSignedIn, 401],
  SignInRefused: [SignInRefused, 401],
  ForeignOrigin: [ForeignOrigin, 403],
  WrongAccount: [WrongAccount, 403],
  InstallationSuspended: [InstallationSuspended, 403],
  ScopeNotGranted: [ScopeNotGranted, 403],
  CapabilityNotGranted: [CapabilityNotGranted, 403],
  ProductLimitReached: [ProductLimitReached, 403],
  OperationScopeMissing: [OperationScopeMissing, 403],
  StoreNotFound: [StoreNotFound, 404],
  ProductNotFound: [ProductNotFound, 404],
  CollectionNotFound: [CollectionNotFound, 404],
  AppDataNotFound: [AppDataNotFound, 404],
  ChangeSetNotFound: [ChangeSetNotFound, 404],
  FileNotFound: [FileNotFound, 404],
  LinkInvalid: [LinkInvalid, 404],
  EmailTaken: [EmailTaken, 409],
  KeyReused: [KeyReused, 409],
  ChangeSetStateMismatch: [ChangeSetStateMismatch, 409],
  ChangeSetUndone: [ChangeSetUndone, 409],
  NothingToUndo: [NothingToUndo, 409],
  ChangesGone: [ChangesGone, 410],
  VersionMismatch: [VersionMismatch, 412],
  StockMismatch: [StockMismatch, 412],
  FileTooLarge: [FileTooLarge, 413],
  FileTypeRefused: [FileTypeRefused, 415],
  StockOutOfRange: [StockOutOfRange, 422],
  VariantNotFound: [VariantNotFound, 422],
  CollectionLimitReached: [CollectionLimitReached, 422],
  ProductTooLarge: [ProductTooLarge, 422],
  SlugTaken: [SlugTaken, 422],
  UnknownProducts: [UnknownProducts, 422],
  TooManyMembers: [TooManyMembers, 422],
  RulesTooSlow: [RulesTooSlow, 422],
  QueryTooSlow: [QueryTooSlow, 422],
  MembershipsTooFar: [MembershipsTooFar, 422],
  AppDataFull: [AppDataFull, 422],
  ChangeSetRefused: [ChangeSetRefused, 422],
  FileEmpty: [FileEmpty, 422],
  FileDamaged: [FileDamaged, 422],
  TooManyPixels: [TooManyPixels, 422],
  MediaLimitReached: [MediaLimitReached, 422],
  TooManyChangeSets: [TooManyChangeSets, 422],
  TooManyExports: [TooManyExports, 422],
  EventLoop: [EventLoop, 422],
  StoredResponsesFull: [StoredResponsesFull, 422],
  RateLimitExceeded: [RateLimitExceeded, 429],
  TooManySignIns: [TooManySignIns, 429],
  TooManySignUps: [TooManySignUps, 429],
  TooManyLinkAttempts: [TooManyLinkAttempts, 429],
  SignInBusy: [SignInBusy, 503],
  StoreBusy: [StoreBusy, 503],
  TooManyFollowers: [TooManyFollowers, 503],
  DigestTooSlow: [DigestTooSlow, 503],
  ImagesBusy: [ImagesBusy, 503],
  StorageUnavailable: [StorageUnavailable, 503],
  Unavailable: [Unavailable, 503]
} as const

type Row = (typeof TABLE)[keyof typeof TABLE]

export type PublicError = InstanceType<Row[0]>

/** The description of each status in the OpenAPI document. */
export const STATUS_DESCRIPTIONS: Record<Row[1] | 500, string> = {
  400: "The request is malformed; `issues` lists each problem",
  401: "The bearer token is missing, invalid or expired",
  403: "A scope or capability is missing, the installation is not active, or the store's plan allows no more products",
  404: "The resource or the store was not found",
  409: "The Idempotency-Key was used with a different request, or the state of the change set does not allow the request",
  410: "The position is older than the changes that are kept",
  412: "The version does not match If-Match, or the stock is not the expected one",
  413: "The file is larger than a file may be",
  415: "The file is not of an accepted type",
  422: "The request is well formed but cannot be applied",
  429: "More than 100 requests in 60 seconds. Wait and repeat; no header states how long",
  500: "An unexpected failure; nothing was written",
  503: "The database or the storage of files is unavailable or overloaded, or too many requests of the store wait. Repeat the request with the same Idempotency-Key"
}

/** The body of every error response. */
export const ErrorBody = Schema.Struct({
  error: Schema.String.annotate({ description: "The problem and how to solve it" }),
  issues: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "One line for each problem, `path: reason`" })
  )
}).annotate({ identifier: "Error", description: "The body of every error response" })
type ErrorBody = typeof ErrorBody.Type

/** Makes the body of an error from its message and issues. */
export const toErrorBody = ({
  issues,
  message
}: PublicError & { readonly issues?: ReadonlyArray<string> | undefined }): ErrorBody =>
  issues === undefined ? { error: message } : { error: message, issues }

/** Finds the seconds after which the request can be repeated. The rate limit has none (contract, section 8). */
const findRetryAfter = (error: PublicError): number | undefined => {
  switch (error._tag) {
    case "SignInBusy":
    case "TooManySignIns":
    case "TooManySignUps":
    case "TooManyLinkAttempts":
      return error.retryAfter
    case "StoreBusy":
    case "TooManyFollowers":
    case "DigestTooSlow":
    case "ImagesBusy":
    case "StorageUnavailable":
    case "Unavailable":
      return 1
    default:
      return undefined
  }
}

/** Makes the `Retry-After` header (RFC 9110, section 10.2.3). */
export const retryAfterHeader = (seconds: number | undefined): Readonly<Record<string, string>> =>
  seconds === undefined ? {} : { "retry-after": String(seconds) }

/** Makes the response of an error. */
export const toErrorReply = (error: PublicError) => ({
  status: TABLE[error._tag][1],
  body: JSON.stringify(toErrorBody(error)),
  headers: retryAfterHeader(findRetryAfter(error))
})

/** The body schema of each error. Its identifier is the tag, by which the OpenAPI document finds examples. */
const BODIES = Record.map(TABLE, (_, tag) => ErrorBody.annotate({ identifier: tag }))

/** The class of an error in the table. */
interface ErrorClass extends Schema.Top {
  readonly Type: PublicError
  readonly fields: { readonly _tag: Schema.tag<PublicError["_tag"]> }
}

/** Encodes a domain error for the REST API, with its status from the table. It cannot be decoded. */
export const publicError = <S extends ErrorClass>(error: S) => {
  const tag = error.fields._tag.schema.literal
  return BODIES[tag].pipe(
    Schema.decodeTo(Schema.toType(error), {
      decode: SchemaGetter.forbidden(() => "A public error cannot be decoded"),
      encode: SchemaGetter.transform(toErrorBody)
    }),
    HttpApiSchema.status(TABLE[tag][1])
  )
}
