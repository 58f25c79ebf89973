import { Context, type Effect, type Redacted, Schema, Struct } from "effect"
import type { MerchantId } from "../Actor.ts"
import { listOf } from "../Bounded.ts"
import { field, isHttpUrl, optional, Timestamp, trimmed } from "../catalog/Fields.ts"
import type { DocumentPage, JsonText } from "../Document.ts"
import type { EventId, EventKind } from "../Events.ts"
import { MAX_REDIRECTS, type RedirectUriRefused } from "../oauth/RedirectUri.ts"
import type { PageRequest } from "../Page.ts"
import { storedList } from "../StoredList.ts"
import { Uuid } from "../Uuid.ts"
import type { Write } from "../Write.ts"
import type { DeliveryNotFound, NoWebhook, WebhookUrlRefused } from "../webhooks/Webhook.ts"
import { AppId, type AppNotFound, type NoClientSecret } from "./Apps.ts"
import { Capability } from "./Capability.ts"
import { InstallationId } from "./Installations.ts"
import { InstallationState } from "./InstallationState.ts"
import { Scope } from "./Scope.ts"

/** Apps that an account may have. */
export const MAX_APPS = 100

const HttpsUrl = Schema.String.check(
  Schema.makeFilter((url) => isHttpUrl(url) && /^https:/i.test(url), {
    message: "must be an absolute https URL of at most 2,048 characters, or null",
    toJsonSchema: () => ({ pattern: "^[Hh][Tt][Tt][Pp][Ss]:", maxLength: 2048 })
  })
)

const AnyScope = Scope.annotate({ message: `must be one of ${Scope.literals.join(", ")}` })
const AnyCapability = Capability.annotate({ message: `must be one of ${Capability.literals.join(", ")}` })

/** What an app says of itself, and asks for: merchants read it before they agree. */
const settings = {
  name: field(trimmed(100), "What merchants know it by", "Stock sync"),
  website: field(Schema.NullOr(HttpsUrl), "Where to read more of it, by https", "https://app.example.com/"),
  logoUrl: field(Schema.NullOr(HttpsUrl), "Its picture, by https", "https://app.example.com/logo.png"),
  redirectUris: field(
    listOf(Schema.String, MAX_REDIRECTS),
    "Where merchants are sent back to, each matched to the letter: https, or http at 127.0.0.1, [::1] or localhost, where any port will do. Public apps may have a scheme of their own, as in com.example.app:/callback",
    ["https://app.example.com/callback"]
  ),
  scopes: field(listOf(AnyScope, Scope.literals.length), "All that it may ask merchants for", ["read_products"]),
  capabilities: field(listOf(AnyCapability, Capability.literals.length), "Likewise, beside the scopes", ["app_storage"])
}

/** Whether it can keep a secret, as a server can, or cannot, as a program on somebody's own machine. */
export const AppType = Schema.Literals(["confidential", "public"]).annotate({
  description: "confidential: it has a secret. public: everybody can read its code, so it has none. It stays as it is",
  message: "must be confidential or public"
})

/** What registers an app. */
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

/** What changes of an app: only what is named, null clears. */
export const AppPatch = Schema.Struct(settings).mapFields(Struct.map(Schema.optionalKey))
export type AppPatch = typeof AppPatch.Type

/** A secret of an app, which is shown only when it is made. */
const ClientSecret = Schema.Struct({
  id: Uuid,
  createdAt: Timestamp,
  endsAt: Schema.NullOr(Timestamp).annotate({ description: "Since when it is refused; null of the newest one" })
})

/** An app as its developer sees it. */
export const DevelopedApp = Schema.Struct({
  id: AppId.annotate({ description: "What it calls itself by, as `client_id` too" }),
  type: AppType,
  ...settings,
  scopes: storedList(Scope),
  capabilities: storedList(Capability),
  secrets: Schema.Array(ClientSecret).annotate({ description: "Those that are good: two while one is replaced" }),
  installations: Schema.Int.annotate({ description: "Stores that it is installed on" }),
  createdAt: Timestamp
}).annotate({ identifier: "DevelopedApp" })

/** An installation as the app's developer sees it. Whose store it is is not told: the app is, by its token. */
export const DevelopedInstallation = Schema.Struct({
  id: InstallationId,
  scopes: storedList(Scope),
  capabilities: storedList(Capability),
  state: InstallationState.annotate({ description: "`suspended` while its requests are refused, else `active`" }),
  installedAt: Timestamp
})

export class AppLimitReached extends Schema.TaggedError<AppLimitReached>()("AppLimitReached", {}) {
  override get message() {
    return `An account has at most ${MAX_APPS} apps; change one that is no longer used`
  }
}

/** What a write answers, and the secret that it made, if it did, in clear: it is shown with the first answer alone. */
export interface WithSecret {
  readonly json: JsonText
  readonly secret: Redacted.Redacted | null
}

/** Where an app's events go, and which it wants. */
export interface WebhookTarget {
  readonly url: string
  readonly kinds: ReadonlyArray<EventKind>
}

/**
 * The apps of accounts that develop some (decisions, section 7). Whose app it is not is refused as if there were none.
 * Where a method answers JSON, it is that of what stands above.
 */
export class Developers extends Context.Service<
  Developers,
  {
    readonly create: (developer: MerchantId, app: NewApp) => Write<WithSecret, AppLimitReached | RedirectUriRefused>
    /** Apps in ascending order of id. */
    readonly list: (developer: MerchantId, page: PageRequest<AppId>) => Effect.Effect<DocumentPage<AppId>>
    readonly get: (developer: MerchantId, app: AppId) => Effect.Effect<JsonText, AppNotFound>
    /** What it declares holds for who agrees from then on: installations keep what their merchants agreed to. */
    readonly update: (
      developer: MerchantId,
      app: AppId,
      patch: AppPatch
    ) => Write<JsonText, AppNotFound | RedirectUriRefused>
    /** As `Apps.rotateSecret`. Answers the app. */
    readonly rotateSecret: (
      developer: MerchantId,
      app: AppId,
      overlapHours: number
    ) => Write<WithSecret, AppNotFound | NoClientSecret>
    /** The app's installations, in ascending order of id. */
    readonly installations: (
      developer: MerchantId,
      app: AppId,
      page: PageRequest<InstallationId>
    ) => Effect.Effect<DocumentPage<InstallationId>, AppNotFound>
    /** Whether the app is theirs: what `Webhooks` tells of it is for them then. */
    readonly requireOwn: (developer: MerchantId, app: AppId) => Effect.Effect<void, AppNotFound>
    /**
     * Sets where the app's events go, to public addresses alone, and which it wants. The first time that makes a secret.
     * Answers the URL as it is kept, and the kinds.
     */
    readonly setWebhook: (
      developer: MerchantId,
      app: AppId,
      to: WebhookTarget
    ) => Effect.Effect<Write<WithSecret, AppNotFound | WebhookUrlRefused>>
    /** As `Webhooks.rotateSecret`. Answers until when the one before signs along, null where it does not. */
    readonly rotateWebhookSecret: (
      developer: MerchantId,
      app: AppId,
      before: "overlap" | "end"
    ) => Effect.Effect<Write<WithSecret, NoWebhook>>
    /** As `Webhooks.redeliver`. Answers the delivery. */
    readonly redeliver: (
      developer: MerchantId,
      app: AppId,
      event: EventId
    ) => Write<JsonText, AppNotFound | DeliveryNotFound>
  }
>()("domain/Developers") {}
