import { Result, Schema } from "effect"
import { listOf } from "../Bounded.ts"
import { optional } from "../catalog/Fields.ts"
import { compileDecoder } from "../Decoder.ts"
import { isObject, type JsonObject } from "../Json.ts"
import type { PutOrder } from "../records/Order.ts"

/** What somebody or something is called: where it comes from, or here. */
const Reference = Schema.NullOr(Schema.String)

const References = Schema.Struct({
  customerExternalId: optional(Reference),
  customerId: optional(Reference),
  lineItems: optional(listOf(Schema.Struct({ productExternalId: optional(Reference), productId: optional(Reference) })))
})

/** Whom and what an order refers to. */
export interface ReferencesOfOrder {
  readonly customer: string | null
  /** Of each line. */
  readonly products: ReadonlyArray<string | null>
}

/** An order as it is brought from elsewhere, without what it refers to: those are no ids of ours yet. */
export interface ImportedOrder {
  readonly order: PutOrder
  readonly references: ReferencesOfOrder
}

const decodeReferences = compileDecoder(References, { errors: "all" })

/** Whom and what a row refers to. */
export const referencesOf = (row: JsonObject) =>
  Result.map(decodeReferences(row), ({ customerExternalId, customerId, lineItems = [] }): ReferencesOfOrder => ({
    customer: customerExternalId ?? customerId ?? null,
    products: lineItems.map(({ productExternalId, productId }) => productExternalId ?? productId ?? null)
  }))

/** The row without what it refers to. */
export const withoutReferences = ({ customerId: _, lineItems, ...row }: JsonObject): JsonObject => ({
  ...row,
  lineItems: Array.isArray(lineItems)
    ? lineItems.map((line: unknown) => {
        if (!isObject(line)) return line
        const { productId: _, ...rest } = line
        return rest
      })
    : lineItems
})
