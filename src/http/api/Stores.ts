import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnyToken } from "../../domain/access/AccessRule.ts"
import { Capability } from "../../domain/access/Capability.ts"
import { InstallationId } from "../../domain/access/Installations.ts"
import { Scope } from "../../domain/access/Scope.ts"
import { Store } from "../../domain/access/Stores.ts"
import { withDescription } from "../../domain/catalog/Fields.ts"
import { Subscription } from "../../domain/billing/Billing.ts"
import { requireAccess } from "./Middleware.ts"
import { DataResponse } from "./Shapes.ts"

/** The installation of the app that sends the request. */
const OwnInstallation = Schema.Struct({
  id: withDescription(InstallationId, "The installation that the token belongs to"),
  scopes: Schema.Array(Scope).annotate({ description: "The scopes that it was granted" }),
  capabilities: Schema.Array(Capability).annotate({ description: "The capabilities that it was granted" }),
  subscription: Schema.NullOr(Subscription).annotate({
    description: "What the merchant pays for the app, or paid for and still has; null without a subscription"
  })
}).annotate({ identifier: "Installation", description: "An app on a store" })

/** The store, with the installation of the app. */
export const StoreOfApp = Schema.Struct({ ...Store.fields, installation: OwnInstallation }).annotate({
  identifier: "Store",
  description: "What a store says of itself, and the installation that asks"
})
export type StoreOfApp = typeof StoreOfApp.Type

export const getStore = HttpApiEndpoint.get("getStore", "/store", { success: DataResponse(StoreOfApp, "The store") })
  .annotateMerge(requireAccess(AnyToken.make({})))
  .annotate(OpenApi.Summary, "Read the store")
  .annotate(
    OpenApi.Description,
    "What the store that the token belongs to says of itself, its plan, how much it holds, and how the app stands in it: what it was granted, and what the merchant subscribed to."
  )

/** The store of the token. */
export class StoreGroup extends HttpApiGroup.make("Store")
  .add(getStore)
  .annotate(OpenApi.Description, "The store itself") {}
