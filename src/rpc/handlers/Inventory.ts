import { Effect } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import * as Rpcs from "../Inventory.ts"
import { resource } from "./Answers.ts"
import { conditionOf } from "./Asked.ts"
import { makeProcedures, type ProceduresOf } from "./Procedure.ts"

export const makeInventoryProcedures = Effect.gen(function* () {
  const catalog = yield* Catalog
  const { write } = yield* makeProcedures

  return {
    "inventory.change": write(
      Rpcs.changeInventory,
      (asked) => catalog.setInventory(asked.storeId, asked.id, asked.change, conditionOf(asked)),
      resource
    )
  } satisfies ProceduresOf<typeof Rpcs.InventoryRpcs>
})
