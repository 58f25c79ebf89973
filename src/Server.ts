import { HttpApiScalar, HttpLayerRouter } from "@effect/platform"
import { Layer } from "effect"
import { PartnerApi } from "./http/api/PartnerApi.ts"
import { Fallback } from "./http/Fallback.ts"
import { BearerAuthLive, KeyRequiredLive } from "./http/handlers/Access.ts"
import { CollectionsHandlers } from "./http/handlers/Collections.ts"
import { HealthRoutes } from "./http/handlers/Health.ts"
import { ProductsHandlers } from "./http/handlers/Products.ts"

const RestRoutes = HttpLayerRouter.addHttpApi(PartnerApi, { openapiPath: "/openapi.json" }).pipe(
  Layer.provide([ProductsHandlers, CollectionsHandlers]),
  Layer.provide([BearerAuthLive, KeyRequiredLive])
)

/** What would ask another host, or offer to, is turned off; the rest is how the page reads best. */
const scalar = {
  withDefaultFonts: false,
  telemetry: false,
  showToolbar: "never",
  hideClientButton: true,
  favicon: "data:,",
  orderSchemaPropertiesBy: "preserve",
  authentication: { preferredSecurityScheme: "bearer" }
}

/** The reference for people: its script is part of the page, so that it works without internet access. */
const DocsRoutes = HttpApiScalar.layerHttpLayerRouter({ api: PartnerApi, path: "/docs", scalar })

/** Every route of the service; what they need of the domain is left for `main` and the tests to provide. */
export const Routes = Layer.mergeAll(RestRoutes, DocsRoutes, HealthRoutes, Fallback)
