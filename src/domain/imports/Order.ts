import { Result, Schema } from "effect"
import { boundedArray } from "../json/Bounded.ts"
import { optional } from "../catalog/Fields.ts"
import { compileDecoder } from "../json/Decoder.ts"
import { isObject, type JsonObject } from "../json/Json.ts"
import type { PutOrder } from "../records/Order.ts"

/** External id, or id in this service. */
const Reference = Schema.NullOr(Schema.String)

const References = Schema.Struct({
  customerExternalId: optional(Reference),
  customerId: optional(Reference),
  lineItems: optional(
    boundedArray(Schema.Struct({ productExternalId: optional(Reference), productId: optional(Reference) }))
  )
})

/** Customer and products that an order references. */
export interface ReferencesOfOrder {
  readonly customer: string | null
  /** One for each line. */
  readonly products: ReadonlyArray<string | null>
}

/** Imported order without its references, which are not ids of this service yet. */
export interface ImportedOrder {
  readonly order: PutOrder
  readonly references: ReferencesOfOrder
}

const decodeReferences = compileDecoder(References, { errors: "all" })

/** Reads the references of a row. */
export const referencesOf = (row: JsonObject) =>
  Result.map(decodeReferences(row), ({ customerExternalId, customerId, lineItems = [] }): ReferencesOfOrder => ({
    customer: customerExternalId ?? customerId ?? null,
    products: lineItems.map(({ productExternalId, productId }) => productExternalId ?? productId ?? null)
  }))

/** Removes the references from a row. */
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
