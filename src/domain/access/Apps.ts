import { Context, type Effect, type Redacted, Schema } from "effect"
import { AppId, type MerchantId } from "./Ids.ts"
import type { RedirectUriRefused } from "../oauth/RedirectUri.ts"
import { storedList } from "../json/StoredList.ts"
import type { Grants } from "./AccessRule.ts"
import { Capability } from "./Capability.ts"
import { Scope } from "./Scope.ts"

/** App as operators see it. */
export const AppSummary = Schema.Struct({
  appId: Schema.toType(AppId),
  name: Schema.String,
  scopes: storedList(Scope),
  capabilities: storedList(Capability),
  /** Number of active installations. */
  installations: Schema.Int,
  createdAt: Schema.Date
})
export type AppSummary = typeof AppSummary.Type

/** OAuth client settings of an app: its developer and the details on the consent page. */
export interface AppClient {
  /** Null if the app belongs to the operator. */
  readonly developer: MerchantId | null
  readonly website: string | null
  readonly logoUrl: string | null
  /** True if the app cannot keep a secret, such as a program on a user's machine. */
  readonly isPublic: boolean
  readonly redirectUris: ReadonlyArray<string>
}

/** New client secret in clear text. Only its SHA-256 is stored. */
export interface NewClientSecret {
  readonly secret: Redacted.Redacted
  /** Expiry of the previous secret; null if none remains valid. */
  readonly previousUntil: Date | null
}

/** Default and maximum hours for which a replaced client secret remains valid. */
export const SECRET_OVERLAP = { usual: 24, most: 30 * 24 }

export class AppNotFound extends Schema.TaggedError<AppNotFound>()("AppNotFound", { id: AppId }) {
  override get message() {
    return `App ${this.id} was not found; check the id in the list of apps`
  }
}

/** Public apps have no secret, because everybody can read their code. */
export class NoClientSecret extends Schema.TaggedError<NoClientSecret>()("NoClientSecret", { id: AppId }) {
  override get message() {
    return `App ${this.id} is public and has no secret; public apps use PKCE only`
  }
}

/** Apps that can be installed on stores. */
export class Apps extends Context.Service<
  Apps,
  {
    readonly create: (
      app: Grants & Partial<AppClient> & { readonly name: string }
    ) => Effect.Effect<AppId, RedirectUriRefused>
    /** Creates an app and runs `setUp` in the same transaction. If `setUp` fails, no app is created. */
    readonly createWith: <A, E, R>(
      app: Grants & Partial<AppClient> & { readonly name: string },
      setUp: (id: AppId) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RedirectUriRefused, R>
    /**
     * Creates a secret for a confidential app. The previous secret expires after `overlapHours`. Older secrets expire
     * immediately, so that at most two are valid.
     */
    readonly rotateSecret: (
      app: AppId,
      overlapHours: number
    ) => Effect.Effect<NewClientSecret, AppNotFound | NoClientSecret>
    /** Lists the newest apps, at most `limit`. */
    readonly list: (limit: number) => Effect.Effect<ReadonlyArray<AppSummary>>
  }
>()("domain/Apps") {}
