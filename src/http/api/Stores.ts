import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { AnyToken } from "../../domain/access/AccessRule.ts"
import { Store } from "../../domain/access/Stores.ts"
import { BearerAuth, needs } from "./Access.ts"
import { Answer } from "./Shapes.ts"

export const getStore = HttpApiEndpoint.get("getStore", "/store")
  .addSuccess(Answer(Store, "The store"))
  .annotateContext(needs(AnyToken.make()))
  .annotate(OpenApi.Summary, "Read the store")
  .annotate(
    OpenApi.Description,
    "What the store that the token belongs to says of itself, its plan, and how much it holds."
  )

/** The store that the token belongs to. */
export class StoreGroup extends HttpApiGroup.make("Store")
  .add(getStore)
  .middleware(BearerAuth)
  .annotate(OpenApi.Description, "The store itself") {}
