import { Schema } from "effect"
import { StoreId, type UnknownStore } from "./Store.ts"
import { Uuid } from "./Uuid.ts"

export const InstallationId = Uuid.pipe(Schema.brand("InstallationId"))
export type InstallationId = typeof InstallationId.Type

export const AppId = Uuid.pipe(Schema.brand("AppId"))
export type AppId = typeof AppId.Type

/** Every permission an app may ask for (contract, section 5; decisions, section 7). */
export const Scope = Schema.Literal(
  "read_products",
  "write_products",
  "read_collections",
  "write_collections",
  "read_orders",
  "read_customers",
  "write_inventory"
)
export type Scope = typeof Scope.Type

/** An app that a merchant installed on a store, with what it was granted there. */
export interface Installation {
  readonly id: InstallationId
  readonly storeId: StoreId
  readonly scopes: ReadonlyArray<Scope>
}

/** An app as operators see it. */
export const AppSummary = Schema.Struct({
  appId: Schema.typeSchema(AppId),
  name: Schema.String,
  scopes: Schema.Array(Scope),
  /** The active ones. */
  installations: Schema.Int,
  createdAt: Schema.DateFromSelf
})
export type AppSummary = typeof AppSummary.Type

/** An installation as operators see it. */
export const InstallationSummary = Schema.Struct({
  installationId: Schema.typeSchema(InstallationId),
  storeId: Schema.typeSchema(StoreId),
  appId: Schema.typeSchema(AppId),
  scopes: Schema.Array(Scope),
  active: Schema.Boolean,
  createdAt: Schema.DateFromSelf
})
export type InstallationSummary = typeof InstallationSummary.Type

export class InvalidToken extends Schema.TaggedError<InvalidToken>()("InvalidToken", {}) {
  override get message() {
    return "The bearer token is missing, invalid or expired"
  }
}

export class InstallationInactive extends Schema.TaggedError<InstallationInactive>()("InstallationInactive", {}) {
  override get message() {
    return "The installation is not active"
  }
}

export class AppNotFound extends Schema.TaggedError<AppNotFound>()("AppNotFound", { id: Schema.String }) {
  override get message() {
    return `There is no app ${this.id}; see: apps list`
  }
}

export class InstallationNotFound extends Schema.TaggedError<InstallationNotFound>()("InstallationNotFound", {
  id: Schema.String
}) {
  override get message() {
    return `There is no installation ${this.id}; see: installations list --store …`
  }
}

/** To an operator: with another token it would be refused as it is without. */
export class InstallationDeactivated extends Schema.TaggedError<InstallationDeactivated>()("InstallationDeactivated", {
  id: InstallationId
}) {
  override get message() {
    return `The installation ${this.id} is not active; activate it with: installations activate ${this.id}`
  }
}

/** An app can be granted only what it declared. */
export class ScopesNotDeclared extends Schema.TaggedError<ScopesNotDeclared>()("ScopesNotDeclared", {
  scopes: Schema.Array(Scope)
}) {
  override get message() {
    return `The app does not declare ${this.scopes.join(", ")}; leave them out or declare them on the app`
  }
}

/** What `Installations` may answer to an operator instead of doing as asked. */
export type InstallRefused = UnknownStore | AppNotFound | ScopesNotDeclared
