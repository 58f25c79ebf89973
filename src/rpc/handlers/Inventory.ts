import { Effect } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import * as Rpcs from "../groups/Inventory.ts"
import { versionConditionOf } from "../groups/CommonSchemas.ts"
import { resource } from "./StoredJson.ts"
import { makeProcedures } from "./StoreHandlers.ts"

export const makeInventoryProcedures = Effect.gen(function* () {
  const catalog = yield* Catalog
  const { write } = yield* makeProcedures

  return {
    "inventory.change": write(
      Rpcs.changeInventory,
      (asked) => catalog.setInventory(asked.storeId, asked.id, asked.change, versionConditionOf(asked)),
      resource
    )
  }
})
