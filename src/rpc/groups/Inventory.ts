import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { withDescription } from "../../domain/catalog/Fields.ts"
import {
  SetInventory,
  StockMismatch,
  stockOrAdjust,
  StockOutOfRange,
  VariantNotFound
} from "../../domain/catalog/Inventory.ts"
import { Product, ProductId, ProductNotFound, ProductTooLarge } from "../../domain/catalog/Product.ts"
import { VersionMismatch } from "../../domain/Version.ts"
import { ForAgents } from "../Annotations.ts"
import { agentsWith, CallersOf, Identified } from "../Principal.ts"
import { guarded, WriteRefused, Written } from "./CommonSchemas.ts"

/** Sets the stock of a product or a variant, or changes it by a number: of changes at once none is lost. */
export const changeInventory = Rpc.make("inventory.change", {
  payload: {
    ...guarded,
    id: withDescription(ProductId, "The product"),
    // Annotations of a schema with a check are those of the check.
    change: Schema.Struct(SetInventory.fields)
      .annotate({
        description: "Exactly one of `stock` and `adjust`, and what goes with it",
        examples: [{ adjust: -2, reason: "Two were broken" }]
      })
      .check(stockOrAdjust)
  },
  success: Written(Product),
  error: Schema.Union([
    WriteRefused,
    ProductNotFound,
    VariantNotFound,
    StockMismatch,
    StockOutOfRange,
    ProductTooLarge,
    VersionMismatch
  ])
})
  .annotate(CallersOf, agentsWith("write_inventory"))
  .annotate(
    ForAgents,
    "Changes how many of a product, or of one of its variants, are at hand. Use `adjust` for what came or went (-2 when two were broken): it is right whatever else happens at the same time. Use `stock` only for a count, best with `expectedStock`. The stock cannot fall below 0. The stock of a product and those of its variants are numbers apart: name the `variantId` where a product has variants. Answers the whole product."
  )

/** How many of what a store sells are at hand. */
export class InventoryRpcs extends RpcGroup.make(changeInventory).middleware(Identified) {}
