import { HttpLayerRouter, OpenApi } from "@effect/platform"
import { Effect } from "effect"
import { PartnerApi } from "../api/PartnerApi.ts"
import { json } from "../Responses.ts"

/** `/openapi.json`, generated from the definitions that serve. */
export const OpenApiRoutes = HttpLayerRouter.use((router) =>
  router.add(
    "GET",
    "/openapi.json",
    Effect.sync(() => json(JSON.stringify(OpenApi.fromApi(PartnerApi))))
  )
)
