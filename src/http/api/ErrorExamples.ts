import { Record } from "effect"
import {
  type AccessRule,
  type CapabilityNotGranted,
  NO_GRANTS,
  refusalOf,
  type ScopeNotGranted
} from "../../domain/access/AccessRule.ts"
import { LinkInvalid, TooManyLinkAttempts, WrongAccount } from "../../domain/access/AccountLinks.ts"
import { InstallationSuspended } from "../../domain/access/Installations.ts"
import { Email, EmailTaken } from "../../domain/access/Merchants.ts"
import {
  ForeignOrigin,
  NotSignedIn,
  SignInRefused,
  SignInBusy,
  TooManySignIns,
  TooManySignUps
} from "../../domain/access/Sessions.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import { StoreBusy } from "../../domain/Bulkhead.ts"
import {
  CollectionId,
  CollectionLimitReached,
  CollectionNotFound,
  RulesTooSlow,
  TooManyMembers,
  TooManyProductIds,
  UnknownProducts
} from "../../domain/catalog/Collection.ts"
import { ChangeSetId, MAX_ATOMIC_OPERATIONS } from "../../domain/changeSets/ChangeSet.ts"
import {
  ChangeSetNotFound,
  ChangeSetRefused,
  ChangeSetStateMismatch,
  ChangeSetUndone,
  NothingToUndo,
  OperationScopeMissing,
  TooManyChangeSets,
  TooManyOperations
} from "../../domain/changeSets/Refusals.ts"
import { ExportId, TooManyExports } from "../../domain/exports/Export.ts"
import { StockMismatch, StockOutOfRange, VariantNotFound } from "../../domain/catalog/Inventory.ts"
import { ProductId, ProductLimitReached, ProductNotFound, ProductTooLarge } from "../../domain/catalog/Product.ts"
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import { EventId, EventLoop } from "../../domain/Events.ts"
import { StoredResponsesFull, KeyReused } from "../../domain/Idempotency.ts"
import { QueryTooSlow } from "../../domain/Query.ts"
import { RateLimitExceeded } from "../../domain/RateLimit.ts"
import {
  FileDamaged,
  FileEmpty,
  FileId,
  FileNotFound,
  FileTooLarge,
  FileTypeRefused,
  ImagesBusy,
  MediaLimitReached,
  TooManyPixels
} from "../../domain/media/File.ts"
import { StorageUnavailable } from "../../domain/media/ObjectStorage.ts"
import { MembershipsTooFar } from "../../domain/journal/ChangeFeed.ts"
import { ChangesGone, TooManyFollowers } from "../../domain/journal/Changes.ts"
import { DigestTooSlow } from "../../domain/journal/Digest.ts"
import { AppDataFull, AppDataNotFound } from "../../domain/records/AppData.ts"
import { StoreNotFound } from "../../domain/Store.ts"
import { Unavailable } from "../../domain/Unavailable.ts"
import { VersionMismatch } from "../../domain/Version.ts"
import { type BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { KeyMalformed, KeyMissing, type PublicError, toErrorBody } from "../ErrorTable.ts"

/* Examples of errors for the OpenAPI document, as instances of the error classes. */

const UNKNOWN = ProductId.make("019c1363-49c0-7fff-8000-000000000000")
const EVENT = EventId.make("019c1363-49c0-7d21-8e4f-3a6b0c9d2f18")
const SALE = ChangeSetId.make("019c1363-49c0-7c55-a1b2-6f24d09e7b51")
const EXPORT = ExportId.make("019c1363-49c0-7a4e-9b1d-6f24d09e7b51")
const OAK = CollectionId.make("019c1363-49c0-7b3e-a1c8-6f24d09e7b51")

/** Errors whose examples depend on the operation. */
type OperationSpecific = BadRequest | ScopeNotGranted | CapabilityNotGranted

/** An example of every other error. */
const errorExamples: { readonly [Example in Exclude<PublicError, OperationSpecific> as Example["_tag"]]: Example } = {
  KeyMissing: new KeyMissing(),
  KeyMalformed: new KeyMalformed(),
  InvalidToken: new InvalidToken(),
  InstallationSuspended: new InstallationSuspended(),
  ProductLimitReached: new ProductLimitReached({ limit: 100 }),
  CollectionLimitReached: new CollectionLimitReached({ limit: 50 }),
  StoreNotFound: new StoreNotFound(),
  ProductNotFound: new ProductNotFound({ id: UNKNOWN }),
  CollectionNotFound: new CollectionNotFound({ id: OAK }),
  AppDataNotFound: new AppDataNotFound({ namespace: "settings", key: "theme" }),
  AppDataFull: new AppDataFull(),
  FileNotFound: new FileNotFound({ id: FileId.make(UNKNOWN) }),
  FileEmpty: new FileEmpty(),
  FileTooLarge: new FileTooLarge(),
  FileTypeRefused: new FileTypeRefused({ found: "application/pdf" }),
  FileDamaged: new FileDamaged({ contentType: "image/png" }),
  TooManyPixels: new TooManyPixels({ width: 30_000, height: 30_000 }),
  MediaLimitReached: new MediaLimitReached({ limit: 200 * 1024 ** 2, isByUnused: false }),
  ImagesBusy: new ImagesBusy(),
  StorageUnavailable: new StorageUnavailable({ cause: "ECONNREFUSED", isFull: false }),
  KeyReused: new KeyReused(),
  ChangesGone: new ChangesGone(),
  VersionMismatch: new VersionMismatch({ current: 3 }),
  ChangeSetNotFound: new ChangeSetNotFound({ id: SALE }),
  ChangeSetStateMismatch: new ChangeSetStateMismatch({ state: "applied", allowed: ["ready"] }),
  ChangeSetUndone: new ChangeSetUndone({ by: SALE }),
  NothingToUndo: new NothingToUndo(),
  ChangeSetRefused: new ChangeSetRefused({ refused: 3 }),
  TooManyChangeSets: new TooManyChangeSets(),
  TooManyExports: new TooManyExports({ limit: "unfinished", oldest: EXPORT }),
  TooManyOperations: new TooManyOperations({ limit: MAX_ATOMIC_OPERATIONS }),
  OperationScopeMissing: new OperationScopeMissing({ scopes: ["write_inventory", "write_products"] }),
  StockMismatch: new StockMismatch({ current: "3" }),
  StockOutOfRange: new StockOutOfRange({ current: "3" }),
  VariantNotFound: new VariantNotFound({ id: UNKNOWN }),
  ProductTooLarge: new ProductTooLarge(),
  SlugTaken: new SlugTaken({ slug: "oak" }),
  UnknownProducts: new UnknownProducts({ unknown: [{ index: 1, id: UNKNOWN }] }),
  TooManyProductIds: new TooManyProductIds(),
  TooManyMembers: new TooManyMembers({ count: 12_480 }),
  RulesTooSlow: new RulesTooSlow({ collection: OAK }),
  QueryTooSlow: new QueryTooSlow(),
  MembershipsTooFar: new MembershipsTooFar(),
  EventLoop: new EventLoop({ event: EVENT }),
  StoredResponsesFull: new StoredResponsesFull(),
  RateLimitExceeded: new RateLimitExceeded(),
  StoreBusy: new StoreBusy(),
  DigestTooSlow: new DigestTooSlow(),
  TooManyFollowers: new TooManyFollowers(),
  Unavailable: new Unavailable({ cause: "ECONNREFUSED" }),
  NotSignedIn: new NotSignedIn(),
  SignInRefused: new SignInRefused(),
  TooManySignIns: new TooManySignIns({ retryAfter: 900 }),
  SignInBusy: new SignInBusy({ retryAfter: 2 }),
  EmailTaken: new EmailTaken({ email: Email.make("ada@example.com") }),
  TooManySignUps: new TooManySignUps({ retryAfter: 900 }),
  TooManyLinkAttempts: new TooManyLinkAttempts({ retryAfter: 900 }),
  LinkInvalid: new LinkInvalid(),
  WrongAccount: new WrongAccount(),
  ForeignOrigin: new ForeignOrigin()
}

/** Makes the body of each error for an operation with this access rule. */
export const errorExamplesFor = (rule: AccessRule): Readonly<Record<string, unknown>> => {
  const accessError = refusalOf(NO_GRANTS, rule)
  const all = accessError === undefined ? errorExamples : { ...errorExamples, [accessError._tag]: accessError }
  return Record.map(all, toErrorBody)
}

/** Errors of every operation, by status. */
export const commonErrorExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "400": {
    UnknownParameter: {
      error: INVALID,
      issues: ["page: is not a query parameter of this request; use cursor, limit"]
    }
  },
  "500": { InternalError: { error: "Internal error" } },
  "503": { Unavailable: { error: "The database is out of reach or overloaded; repeat the request" } }
}
