import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnyToken } from "../../domain/access/AccessRule.ts"
import { Capability } from "../../domain/access/Capability.ts"
import { InstallationId } from "../../domain/access/Ids.ts"
import { Scope } from "../../domain/access/Scope.ts"
import { Store } from "../../domain/access/Stores.ts"
import { withDescription } from "../../domain/catalog/Fields.ts"
import { Subscription } from "../../domain/billing/Billing.ts"
import { requireAccess } from "./Middleware.ts"
import { DataResponse } from "./Shapes.ts"

/** The installation of the app that sends the request. */
const CurrentInstallation = Schema.Struct({
  id: withDescription(InstallationId, "The installation that the token belongs to"),
  scopes: Schema.Array(Scope).annotate({ description: "The granted scopes" }),
  capabilities: Schema.Array(Capability).annotate({ description: "The granted capabilities" }),
  subscription: Schema.NullOr(Subscription).annotate({
    description: "The merchant's subscription to the app; null without one"
  })
}).annotate({ identifier: "Installation", description: "An app on a store" })

/** The store, with the installation of the app. */
export const StoreOfApp = Schema.Struct({ ...Store.fields, installation: CurrentInstallation }).annotate({
  identifier: "Store",
  description: "A store, and the installation of the app"
})
export type StoreOfApp = typeof StoreOfApp.Type

export const getStore = HttpApiEndpoint.get("getStore", "/store", { success: DataResponse(StoreOfApp, "The store") })
  .annotateMerge(requireAccess(AnyToken.make({})))
  .annotate(OpenApi.Summary, "Read the store")
  .annotate(
    OpenApi.Description,
    "Returns the store of the token, its plan and usage, and the installation of the app with its grants and subscription."
  )

/** The store of the token. */
export class StoreGroup extends HttpApiGroup.make("Store")
  .add(getStore)
  .annotate(OpenApi.Description, "The store of the token. Rules: `docs/spec/store.md`") {}
