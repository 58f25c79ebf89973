import { Context, type Effect, type Option, Schema } from "effect"
import { Timestamp } from "../catalog/Fields.ts"
import type { DocumentPage, JsonText } from "../Document.ts"
import type { PageRequest } from "../Page.ts"
import { StoreId } from "../Store.ts"
import { storedList } from "../StoredList.ts"
import { Uuid } from "../Uuid.ts"
import type { Write } from "../Write.ts"
import type { Grants } from "./AccessRule.ts"
import { AppId, type AppNotFound } from "./Apps.ts"
import { type CapabilitiesNotDeclared, Capability } from "./Capability.ts"
import { InstallationState } from "./InstallationState.ts"
import { Scope, type ScopesNotDeclared } from "./Scope.ts"
import type { UnknownStore } from "./Stores.ts"

export const InstallationId = Uuid.pipe(Schema.brand("InstallationId"))
export type InstallationId = typeof InstallationId.Type

/** An app that a merchant installed on a store, with what it was granted there. */
export interface Installation extends Grants {
  readonly id: InstallationId
  readonly storeId: StoreId
}

/** An installation as operators see it. */
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

/** An app on a store as the members of the store see it. */
export const InstalledApp = Schema.Struct({
  id: InstallationId,
  appId: AppId,
  appName: Schema.String.annotate({ description: "What the app is called" }),
  scopes: storedList(Scope).annotate({ description: "What it was granted of the scopes that it declares" }),
  capabilities: storedList(Capability).annotate({ description: "What it was granted of the capabilities" }),
  state: InstallationState.annotate({
    description: "Whether its requests are admitted, `active`, or refused until it is resumed, `suspended`"
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
    return `There is no installation ${this.id}, or it was uninstalled; list the installations of the store to see which there are`
  }
}

export type InstallRefused = UnknownStore | AppNotFound | ScopesNotDeclared | CapabilitiesNotDeclared

/** The apps installed on the stores, and what they are granted there. */
export class Installations extends Context.Service<
  Installations,
  {
    /**
     * Installs an app on a store, active at once, with its rolling window empty. An app that was installed there before
     * is the same installation, active, with what is granted now: its keys and window go on, and its tokens, unless it
     * was uninstalled in between.
     */
    readonly install: (
      installation: Grants & { readonly storeId: StoreId; readonly appId: AppId }
    ) => Write<Installation, InstallRefused>
    /**
     * The newest installations of a store, of an app, or of both, at most `limit`; none of a deleted store, and none that
     * was uninstalled, here and below: until it is installed again it is as if there were none.
     */
    readonly list: (of: {
      readonly storeId: Option.Option<StoreId>
      readonly appId: Option.Option<AppId>
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<InstallationSummary>, UnknownStore | AppNotFound>
    /** One of any store. */
    readonly find: (id: InstallationId) => Effect.Effect<InstallationSummary, InstallationNotFound>

    /** The apps on a store, each an `InstalledApp`. */
    readonly listInstalled: (
      store: StoreId,
      page: PageRequest<InstallationId>
    ) => Effect.Effect<DocumentPage<InstallationId>>
    readonly getInstalled: (store: StoreId, id: InstallationId) => Effect.Effect<JsonText, InstallationNotFound>
    /** From its commit on, every request of the installation is refused with 403. Answers the `InstalledApp`. */
    readonly suspend: (store: StoreId, id: InstallationId) => Write<JsonText, InstallationNotFound>
    /** Undoes a suspension: tokens that have not expired are good again. Answers the `InstalledApp`. */
    readonly resume: (store: StoreId, id: InstallationId) => Write<JsonText, InstallationNotFound>
    /**
     * Ends it: its tokens are revoked, what was to be delivered is not, and its subscription is cancelled. From the commit
     * on, all its requests are refused with 401. Who installs the app again within 48 hours finds
     * its app data as it was.
     */
    readonly uninstall: (store: StoreId, id: InstallationId) => Write<void, InstallationNotFound>
    /** Deletes the app data of an installation that was uninstalled longer ago. Answers of how many: one or none. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Installations") {}
