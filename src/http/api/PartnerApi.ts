import { HttpApi, OpenApi } from "effect/http-api"
import { AppDataGroup } from "./AppData.ts"
import { CollectionsGroup, ProductsGroup } from "./Catalog.ts"
import { CustomersGroup, OrdersGroup } from "./Records.ts"
import { StoreGroup } from "./Stores.ts"

/** Where the paths of the endpoints begin. */
export const PREFIX = "/api/platform/v1"

/** Partner API v1. Everything under {@link PREFIX}, its reference and the Effect client come from here. */
export class PartnerApi extends HttpApi.make("partner")
  .add(StoreGroup, ProductsGroup, CollectionsGroup, OrdersGroup, CustomersGroup, AppDataGroup)
  .prefix(PREFIX)
  .annotate(OpenApi.Title, "Partner API") {}
