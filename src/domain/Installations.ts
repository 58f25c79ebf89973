import type { DateTime, Effect, Redacted } from "effect"
import { Context } from "effect"
import type {
  AppId,
  Installation,
  InstallationId,
  InstallationNotFound,
  InstallRefused,
  Scope
} from "./Installation.ts"
import type { Plan, PlanNotFound, StoreId } from "./Store.ts"

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
    readonly createStore: (store: {
      readonly name: string
      readonly plan: string
      readonly currencyCode: string
    }) => Effect.Effect<StoreId, PlanNotFound>
    readonly createApp: (app: { readonly name: string; readonly scopes: ReadonlyArray<Scope> }) => Effect.Effect<AppId>
    /** Installs an app on a store, active at once, with its rolling window empty. */
    readonly install: (installation: {
      readonly storeId: StoreId
      readonly appId: AppId
      readonly scopes: ReadonlyArray<Scope>
    }) => Effect.Effect<Installation, InstallRefused>
    /** From its commit on, every request of the installation is refused with 403. */
    readonly deactivate: (id: InstallationId) => Effect.Effect<void, InstallationNotFound>
    /** A new access token of 256 random bits, good for an hour by the database's clock (decisions, section 7). */
    readonly issueToken: (installation: Installation) => Effect.Effect<AccessToken>
    /** Deletes access tokens that have expired, a batch at a time. Answers how many went. */
    readonly purge: Effect.Effect<number>
  }
>() {}
