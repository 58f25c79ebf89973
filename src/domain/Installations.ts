import type { DateTime, Effect, Option, Redacted } from "effect"
import { Context } from "effect"
import type {
  AppId,
  AppNotFound,
  AppSummary,
  Installation,
  InstallationId,
  InstallationNotFound,
  InstallationSummary,
  InstallRefused,
  Scope,
  InstallationDeactivated
} from "./Installation.ts"
import type { Plan, PlanExists, PlanNotFound, StoreId, StoreSummary, UnknownStore } from "./Store.ts"

/** A bearer token in clear, shown once: only its SHA-256 is kept. */
export interface AccessToken {
  readonly token: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
}

/** The ground the API stands on: plans, stores, apps, and the apps installed on the stores. Used by operators. */
export class Installations extends Context.Tag("domain/Installations")<
  Installations,
  {
    readonly listPlans: Effect.Effect<ReadonlyArray<Plan>>
    readonly createPlan: (plan: Plan) => Effect.Effect<void, PlanExists>

    readonly createStore: (store: {
      readonly name: string
      readonly plan: string
      readonly currencyCode: string
    }) => Effect.Effect<StoreId, PlanNotFound>
    /** The newest stores that are not deleted, at most `limit`. */
    readonly listStores: (limit: number) => Effect.Effect<ReadonlyArray<StoreSummary>>
    /** From its commit on, the store may hold what the plan allows. What it holds beyond that stays. */
    readonly setPlan: (id: StoreId, plan: string) => Effect.Effect<void, UnknownStore | PlanNotFound>
    /** From its commit on, every request for the store is refused with 404 and its deliveries end. Its rows are kept. */
    readonly deleteStore: (id: StoreId) => Effect.Effect<void, UnknownStore>

    readonly createApp: (app: { readonly name: string; readonly scopes: ReadonlyArray<Scope> }) => Effect.Effect<AppId>
    /** The newest apps, at most `limit`. */
    readonly listApps: (limit: number) => Effect.Effect<ReadonlyArray<AppSummary>>

    /**
     * Installs an app on a store, active at once, with its rolling window empty. An app that was installed there before
     * is the same installation, active, with the scopes that are granted now: its tokens, keys and window go on.
     */
    readonly install: (installation: {
      readonly storeId: StoreId
      readonly appId: AppId
      readonly scopes: ReadonlyArray<Scope>
    }) => Effect.Effect<Installation, InstallRefused>
    /** The newest installations of a store, of an app, or of both, at most `limit`; none of a deleted store. */
    readonly listInstallations: (of: {
      readonly storeId: Option.Option<StoreId>
      readonly appId: Option.Option<AppId>
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<InstallationSummary>, UnknownStore | AppNotFound>
    /** From its commit on, every request of the installation is refused with 403. */
    readonly deactivate: (id: InstallationId) => Effect.Effect<void, InstallationNotFound>
    /** Undoes {@link deactivate}: tokens that have not expired are good again. */
    readonly activate: (id: InstallationId) => Effect.Effect<void, InstallationNotFound>

    /** A new access token of 256 random bits, good for an hour by the database's clock (decisions, section 7). */
    readonly issueToken: (installation: Installation) => Effect.Effect<AccessToken>
    /** The active installation that is to get another token. */
    readonly findActive: (
      id: InstallationId
    ) => Effect.Effect<Installation, InstallationNotFound | InstallationDeactivated>
    /** From its commit on, every token that the installation has is refused with 401. Answers how many were still good. */
    readonly revokeTokens: (id: InstallationId) => Effect.Effect<number, InstallationNotFound>
    /** Deletes access tokens that have expired, a batch at a time. Answers how many went. */
    readonly purge: Effect.Effect<number>
  }
>() {}
