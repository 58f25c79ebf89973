import { HttpLayerRouter } from "@effect/platform"
import { Layer } from "effect"
import { PartnerApi } from "./http/api/PartnerApi.ts"
import { Fallback } from "./http/Fallback.ts"
import { BearerAuthLive, KeyRequiredLive } from "./http/handlers/Access.ts"
import { CollectionsHandlers } from "./http/handlers/Collections.ts"
import { DocsRoutes } from "./http/handlers/Docs.ts"
import { HealthRoutes } from "./http/handlers/Health.ts"
import { ProductsHandlers } from "./http/handlers/Products.ts"

const RestRoutes = HttpLayerRouter.addHttpApi(PartnerApi, { openapiPath: "/openapi.json" }).pipe(
  Layer.provide([ProductsHandlers, CollectionsHandlers]),
  Layer.provide([BearerAuthLive, KeyRequiredLive])
)

/** Every route of the service; what they need of the domain is left for `main` and the tests to provide. */
export const Routes = Layer.mergeAll(RestRoutes, DocsRoutes, HealthRoutes, Fallback)
