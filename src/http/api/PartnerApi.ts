import { HttpApi, OpenApi } from "effect/http-api"
import { ChangeSetsGroup } from "./ChangeSets.ts"
import { AppDataGroup } from "./AppData.ts"
import { CollectionsGroup, ProductsGroup } from "./Catalog.ts"
import { FeedGroup } from "./Feed.ts"
import { FilesGroup } from "./Files.ts"
import {
  AccessCheck,
  BearerAuth,
  BodyReception,
  KnownParameters,
  RequestValidation,
  StoreBulkhead
} from "./Middleware.ts"
import { CustomersGroup, OrdersGroup } from "./Records.ts"
import { StoreGroup } from "./Stores.ts"

/** The path prefix of every endpoint. */
export const PREFIX = "/api/platform/v1"

/**
 * Partner API v1: the endpoints under {@link PREFIX}, the OpenAPI document and the Effect client. The last middleware runs
 * first. `KeyRequired` of writes runs after all of them.
 */
export class PartnerApi extends HttpApi.make("partner")
  .add(
    StoreGroup,
    ProductsGroup,
    CollectionsGroup,
    ChangeSetsGroup,
    OrdersGroup,
    CustomersGroup,
    AppDataGroup,
    FilesGroup,
    FeedGroup
  )
  .middleware(RequestValidation)
  .middleware(KnownParameters)
  .middleware(StoreBulkhead)
  .middleware(BodyReception)
  .middleware(AccessCheck)
  .middleware(BearerAuth)
  .prefix(PREFIX)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(OpenApi.Title, "Partner API") {}
