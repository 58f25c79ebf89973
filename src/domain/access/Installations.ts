import { Context, type Effect, type Option, Schema } from "effect"
import { Timestamp } from "../catalog/Fields.ts"
import type { DocumentPage, JsonText } from "../json/Document.ts"
import type { PageRequest } from "../Page.ts"
import { StoreId } from "../Store.ts"
import { storedList } from "../json/StoredList.ts"
import type { Write } from "../Write.ts"
import type { Grants } from "./AccessRule.ts"
import { AppId, InstallationId } from "./Ids.ts"
import type { AppNotFound } from "./Apps.ts"
import { type CapabilitiesNotDeclared, Capability } from "./Capability.ts"
import { InstallationState } from "./InstallationState.ts"
import { Scope, type ScopesNotDeclared } from "./Scope.ts"
import type { UnknownStore } from "./Stores.ts"

/** App installed on a store, with its grants. */
export interface Installation extends Grants {
  readonly id: InstallationId
  readonly storeId: StoreId
}

/** Installation as operators see it. */
export const InstallationSummary = Schema.Struct({
  installationId: Schema.toType(InstallationId),
  storeId: Schema.toType(StoreId),
  appId: Schema.toType(AppId),
  scopes: storedList(Scope),
  capabilities: storedList(Capability),
  state: InstallationState,
  createdAt: Schema.Date
})
export type InstallationSummary = typeof InstallationSummary.Type

/** Installation as the members of the store see it. */
export const InstalledApp = Schema.Struct({
  id: InstallationId,
  appId: AppId,
  appName: Schema.String.annotate({ description: "Name of the app" }),
  scopes: storedList(Scope).annotate({ description: "Granted scopes" }),
  capabilities: storedList(Capability).annotate({ description: "Granted capabilities" }),
  state: InstallationState.annotate({
    description: "`active`: requests are admitted. `suspended`: requests are rejected until the installation is resumed"
  }),
  installedAt: Timestamp
})
export type InstalledApp = typeof InstalledApp.Type

export class InstallationSuspended extends Schema.TaggedError<InstallationSuspended>()("InstallationSuspended", {}) {
  override get message() {
    return "The installation is suspended; a member of the store can resume it"
  }
}

export class InstallationNotFound extends Schema.TaggedError<InstallationNotFound>()("InstallationNotFound", {
  id: InstallationId
}) {
  override get message() {
    return `Installation ${this.id} was not found or is uninstalled; check the id in the list of installations`
  }
}

export type InstallRefused = UnknownStore | AppNotFound | ScopesNotDeclared | CapabilitiesNotDeclared

/** Apps installed on stores, and their grants. */
export class Installations extends Context.Service<
  Installations,
  {
    /**
     * Installs an app on a store. The installation is active immediately, with an empty rate-limit window. If the app
     * is or was installed there, the same installation becomes active with the new grants. It keeps its idempotency
     * keys and window, and its tokens unless it was uninstalled.
     */
    readonly install: (
      installation: Grants & { readonly storeId: StoreId; readonly appId: AppId }
    ) => Write<Installation, InstallRefused>
    /**
     * Lists the newest installations of a store, an app or both, at most `limit`. Excludes deleted stores and
     * uninstalled apps; the methods below treat an uninstalled app as not found.
     */
    readonly list: (of: {
      readonly storeId: Option.Option<StoreId>
      readonly appId: Option.Option<AppId>
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<InstallationSummary>, UnknownStore | AppNotFound>
    /** Returns an installation of any store. */
    readonly find: (id: InstallationId) => Effect.Effect<InstallationSummary, InstallationNotFound>

    /** Lists the apps of a store, each an `InstalledApp`. */
    readonly listInstalled: (
      store: StoreId,
      page: PageRequest<InstallationId>
    ) => Effect.Effect<DocumentPage<InstallationId>>
    readonly getInstalled: (store: StoreId, id: InstallationId) => Effect.Effect<JsonText, InstallationNotFound>
    /**
     * Suspends an installation and returns the `InstalledApp`. After the commit, all its requests are rejected with
     * 403.
     */
    readonly suspend: (store: StoreId, id: InstallationId) => Write<JsonText, InstallationNotFound>
    /**
     * Resumes a suspended installation and returns the `InstalledApp`. Tokens that have not expired are valid again.
     */
    readonly resume: (store: StoreId, id: InstallationId) => Write<JsonText, InstallationNotFound>
    /**
     * Uninstalls an app: revokes its tokens, drops its pending deliveries and cancels its subscription. After the
     * commit, all its requests are rejected with 401. A new installation within `DATA_HOURS` hours finds the app
     * data unchanged.
     */
    readonly uninstall: (store: StoreId, id: InstallationId) => Write<void, InstallationNotFound>
    /**
     * Deletes the app data of one installation whose retention has ended. Returns the number of installations: 0 or 1.
     */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Installations") {}
