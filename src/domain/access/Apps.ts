import { Context, type Effect, type Redacted, Schema } from "effect"
import type { MerchantId } from "../Actor.ts"
import type { RedirectUriRefused } from "../oauth/RedirectUri.ts"
import { storedList } from "../StoredList.ts"
import { Uuid } from "../Uuid.ts"
import type { Grants } from "./AccessRule.ts"
import { Capability } from "./Capability.ts"
import { Scope } from "./Scope.ts"

export const AppId = Uuid.pipe(Schema.brand("AppId"))
export type AppId = typeof AppId.Type

/** An app as operators see it. */
export const AppSummary = Schema.Struct({
  appId: Schema.toType(AppId),
  name: Schema.String,
  scopes: storedList(Scope),
  capabilities: storedList(Capability),
  /** The active ones. */
  installations: Schema.Int,
  createdAt: Schema.Date
})
export type AppSummary = typeof AppSummary.Type

/** What of an app makes it a client: by whom and how merchants are asked to agree to it. */
export interface AppClient {
  /** Null where it is an operator's own. */
  readonly developer: MerchantId | null
  readonly website: string | null
  readonly logoUrl: string | null
  /** Whether it can keep no secret, as a program on somebody's own machine. */
  readonly isPublic: boolean
  readonly redirectUris: ReadonlyArray<string>
}

/** A secret that a client shows to get tokens, in clear: only its SHA-256 is kept. */
export interface NewClientSecret {
  readonly secret: Redacted.Redacted
  /** Until when the one before is good; null where none goes on. */
  readonly previousUntil: Date | null
}

/** Hours that a client secret goes on beside the one that replaces it: unless it is said, and at most. */
export const SECRET_OVERLAP = { usual: 24, most: 30 * 24 }

export class AppNotFound extends Schema.TaggedError<AppNotFound>()("AppNotFound", { id: AppId }) {
  override get message() {
    return `There is no app ${this.id}; see: apps list`
  }
}

/** A secret that stands in what everybody can download is none. */
export class NoClientSecret extends Schema.TaggedError<NoClientSecret>()("NoClientSecret", { id: AppId }) {
  override get message() {
    return `The app ${this.id} is public and has no secret: it proves who it is by PKCE alone`
  }
}

/** The apps that can be installed on stores. */
export class Apps extends Context.Service<
  Apps,
  {
    readonly create: (
      app: Grants & Partial<AppClient> & { readonly name: string }
    ) => Effect.Effect<AppId, RedirectUriRefused>
    /**
     * Gives a confidential app a secret. The one before goes on for so many hours; what that one had replaced ends now, so
     * that two are good at most.
     */
    readonly rotateSecret: (
      app: AppId,
      overlapHours: number
    ) => Effect.Effect<NewClientSecret, AppNotFound | NoClientSecret>
    /** The newest apps, at most `limit`. */
    readonly list: (limit: number) => Effect.Effect<ReadonlyArray<AppSummary>>
  }
>()("domain/Apps") {}
