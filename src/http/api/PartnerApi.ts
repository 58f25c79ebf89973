import { OpenApi } from "@effect/platform"
import { CollectionsGroup, ProductsGroup } from "./Catalog.ts"
import { complete } from "./Conventions.ts"
import { makeApi } from "./PublicApi.ts"

/** Partner API v1. Everything under `/api/platform/v1`, and the document at `/openapi.json`, comes from here. */
export class PartnerApi extends makeApi("partner")
  .add(ProductsGroup)
  .add(CollectionsGroup)
  .prefix("/api/platform/v1")
  .annotate(OpenApi.Title, "Partner API")
  .annotate(OpenApi.Version, "1.0.0")
  .annotate(
    OpenApi.Description,
    "Reads and changes the data of the store that an access token belongs to. Every write is idempotent, every error has one shape, 100 requests are admitted in any 60 seconds of an installation."
  )
  .annotate(OpenApi.License, { name: "Proprietary" })
  .annotate(OpenApi.Transform, complete) {}
