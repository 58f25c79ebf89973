import { OpenApi } from "@effect/platform"
import { Effect } from "effect"
import { PartnerApi } from "../api/PartnerApi.ts"
import { asset } from "../Asset.ts"

const document = Effect.sync(() => JSON.stringify(OpenApi.fromApi(PartnerApi)))

/** `/openapi.json`, generated from the definitions that serve. */
export const OpenApiRoutes = asset("/openapi.json", "application/json", document)
