import { Context, type Effect, type Redacted, Schema, Struct } from "effect"
import { AppId, InstallationId, type MerchantId } from "./Ids.ts"
import { boundedArray } from "../json/Bounded.ts"
import { field, isHttpUrl, optional, Timestamp, trimmed } from "../catalog/Fields.ts"
import type { DocumentPage, JsonText } from "../json/Document.ts"
import type { EventId, EventKind } from "../Events.ts"
import type { KeyedRequest, KeyReused, StoredResponsesFull } from "../Idempotency.ts"
import { MAX_REDIRECTS, type RedirectUriRefused } from "../oauth/RedirectUri.ts"
import type { PageRequest } from "../Page.ts"
import { storedList } from "../json/StoredList.ts"
import { Uuid } from "../Uuid.ts"
import type { Write } from "../Write.ts"
import type { DeliveryNotFound, NoWebhook, WebhookUrlRefused } from "../webhooks/Webhook.ts"
import type { AppNotFound, NoClientSecret } from "./Apps.ts"
import { Capability } from "./Capability.ts"
import { InstallationState } from "./InstallationState.ts"
import { Scope } from "./Scope.ts"

/** Maximum number of apps of an account. */
export const MAX_APPS = 100

const HttpsUrl = Schema.String.check(
  Schema.makeFilter((url) => isHttpUrl(url) && /^https:/i.test(url), {
    message: "must be an absolute https URL of at most 2,048 characters, or null",
    toJsonSchema: () => ({ pattern: "^[Hh][Tt][Tt][Pp][Ss]:", maxLength: 2048 })
  })
)

const AnyScope = Scope.annotate({ message: `must be one of ${Scope.literals.join(", ")}` })
const AnyCapability = Capability.annotate({ message: `must be one of ${Capability.literals.join(", ")}` })

/** App settings. Merchants see them on the consent page. */
const settings = {
  name: field(trimmed(100), "Name shown to merchants", "Stock sync"),
  website: field(Schema.NullOr(HttpsUrl), "Website of the app, https", "https://app.example.com/"),
  logoUrl: field(Schema.NullOr(HttpsUrl), "Logo image, https", "https://app.example.com/logo.png"),
  redirectUris: field(
    boundedArray(Schema.String, MAX_REDIRECTS),
    "OAuth redirect URIs, matched exactly: https, or http at 127.0.0.1, [::1] or localhost with any port. Public apps may use a private scheme, such as com.example.app:/callback",
    ["https://app.example.com/callback"]
  ),
  scopes: field(boundedArray(AnyScope, Scope.literals.length), "Scopes that the app can request", ["read_products"]),
  capabilities: field(
    boundedArray(AnyCapability, Capability.literals.length),
    "Capabilities that the app can request",
    ["app_storage"]
  )
}

/**
 * Client type: confidential clients can keep a secret, as a server can; public ones, such as a program on a user's
 * machine, cannot (RFC 6749, section 2.1).
 */
export const AppType = Schema.Literals(["confidential", "public"]).annotate({
  description:
    "confidential: the app has a client secret. public: the app cannot keep a secret and has none. The type cannot be changed",
  message: "must be confidential or public"
})

/** Settings of a new app. */
export const NewApp = Schema.Struct({
  name: settings.name,
  type: AppType,
  website: optional(settings.website),
  logoUrl: optional(settings.logoUrl),
  redirectUris: optional(settings.redirectUris),
  scopes: settings.scopes,
  capabilities: optional(settings.capabilities)
})
export type NewApp = typeof NewApp.Type

/** Changes to an app. Absent fields keep their value; null clears a field. */
export const AppPatch = Schema.Struct(settings).mapFields(Struct.map(Schema.optionalKey))
export type AppPatch = typeof AppPatch.Type

/** Secret of an app. Its value is shown only on creation. */
const ClientSecret = Schema.Struct({
  id: Uuid,
  createdAt: Timestamp,
  endsAt: Schema.NullOr(Timestamp).annotate({ description: "Time of expiry; null for the newest secret" })
})

/** App as its developer sees it. */
export const DevelopedApp = Schema.Struct({
  id: AppId.annotate({ description: "App id, which is also its OAuth `client_id`" }),
  type: AppType,
  ...settings,
  scopes: storedList(Scope),
  capabilities: storedList(Capability),
  secrets: Schema.Array(ClientSecret).annotate({ description: "Valid secrets: two during a rotation" }),
  installations: Schema.Int.annotate({ description: "Number of stores on which the app is installed" }),
  createdAt: Timestamp
}).annotate({ identifier: "DevelopedApp" })

/** Installation as the developer of the app sees it. The store is not disclosed; the app learns it with its token. */
export const DevelopedInstallation = Schema.Struct({
  id: InstallationId,
  scopes: storedList(Scope),
  capabilities: storedList(Capability),
  state: InstallationState.annotate({ description: "`suspended` while its requests are rejected, otherwise `active`" }),
  installedAt: Timestamp
})

export class AppLimitReached extends Schema.TaggedError<AppLimitReached>()("AppLimitReached", {}) {
  override get message() {
    return `An account has at most ${MAX_APPS} apps; reuse an app that is no longer needed`
  }
}

/** Result of a write, and the secret that it created, in clear text. Only the first response contains the secret. */
export interface WithSecret {
  readonly json: JsonText
  readonly secret: Redacted.Redacted | null
}

/** Webhook URL of an app and the event kinds that it receives. */
export interface WebhookTarget {
  readonly url: string
  readonly kinds: ReadonlyArray<EventKind>
}

/**
 * Apps of developer accounts (docs/spec/access.md). An app of another account is treated as not found. Methods that
 * return JSON return the schemas above.
 */
export class Developers extends Context.Service<
  Developers,
  {
    readonly create: (developer: MerchantId, app: NewApp) => Write<WithSecret, AppLimitReached | RedirectUriRefused>
    /** Lists apps in ascending order of id. */
    readonly list: (developer: MerchantId, page: PageRequest<AppId>) => Effect.Effect<DocumentPage<AppId>>
    readonly get: (developer: MerchantId, app: AppId) => Effect.Effect<JsonText, AppNotFound>
    /** Changes an app. New scopes and capabilities apply to later grants; existing installations keep theirs. */
    readonly update: (
      developer: MerchantId,
      app: AppId,
      patch: AppPatch
    ) => Write<JsonText, AppNotFound | RedirectUriRefused>
    /** Same as `Apps.rotateSecret`. Returns the app. */
    readonly rotateSecret: (
      developer: MerchantId,
      app: AppId,
      overlapHours: number
    ) => Write<WithSecret, AppNotFound | NoClientSecret>
    /** Lists the installations of the app in ascending order of id. */
    readonly installations: (
      developer: MerchantId,
      app: AppId,
      page: PageRequest<InstallationId>
    ) => Effect.Effect<DocumentPage<InstallationId>, AppNotFound>
    /** Fails if the app does not belong to the developer. Callers check this before they use `Webhooks`. */
    readonly requireOwn: (developer: MerchantId, app: AppId) => Effect.Effect<void, AppNotFound>
    /**
     * Sets the webhook URL, which must have a public address, and the event kinds. The first call creates a signing
     * secret. Returns the normalized URL and the kinds.
     */
    readonly setWebhook: (
      developer: MerchantId,
      app: AppId,
      to: WebhookTarget
    ) => Effect.Effect<Write<WithSecret, AppNotFound | WebhookUrlRefused>>
    /** Same as `Webhooks.rotateSecret`. Returns the expiry of the previous secret, or null if it has expired. */
    readonly rotateWebhookSecret: (
      developer: MerchantId,
      app: AppId,
      before: "overlap" | "end"
    ) => Effect.Effect<Write<WithSecret, NoWebhook>>
    /**
     * Same as `Webhooks.redeliver`. Returns the delivery. The transaction of the write does not cover a delivery in another
     * cell, which therefore stores the outcome of `keyed` too.
     */
    readonly redeliver: (
      developer: MerchantId,
      app: AppId,
      event: EventId,
      keyed: KeyedRequest
    ) => Write<JsonText, AppNotFound | DeliveryNotFound | KeyReused | StoredResponsesFull>
  }
>()("domain/Developers") {}
