import { Result, Schema, Struct } from "effect"
import { boundedArray } from "../json/Bounded.ts"
import { optional } from "../catalog/Fields.ts"
import { compileDecoder, issuesOf } from "../json/Decoder.ts"
import { isObject, type JsonObject } from "../json/Json.ts"
import { PutOrder } from "../records/Order.ts"

/** External id, or id in this service. */
const Reference = Schema.NullOr(Schema.String).annotate({ message: "must be text or null" })

const References = Schema.Struct({
  customerExternalId: optional(Reference),
  customerId: optional(Reference),
  lineItems: optional(
    boundedArray(Schema.Struct({ productExternalId: optional(Reference), productId: optional(Reference) }))
  )
})

/** Customer and products that an order references. */
export interface ReferencesOfOrder {
  /** Undefined if the row does not name the customer, null if it names none. */
  readonly customer: string | null | undefined
  /** One for each line. */
  readonly products: ReadonlyArray<string | null>
}

/** Imported order without its references, which are not ids of this service yet. */
export interface ImportedOrder {
  readonly order: PutOrder
  readonly references: ReferencesOfOrder
}

const decodeOrder = compileDecoder(PutOrder, { errors: "all" })
const decodeReferences = compileDecoder(References, { errors: "all" })

const referencesOf = ({
  customerExternalId,
  customerId,
  lineItems = []
}: typeof References.Type): ReferencesOfOrder => {
  const customer = customerExternalId ?? customerId
  return {
    customer: customer === undefined ? customerExternalId : customer,
    products: lineItems.map(({ productExternalId, productId }) => productExternalId ?? productId ?? null)
  }
}

const withoutProduct = (line: unknown) => (isObject(line) ? Struct.omit(line, ["productId"]) : line)

/** Removes the references from a row. */
const withoutReferences = (row: JsonObject): JsonObject => {
  const { customerId: _, ...fields } = row
  const { lineItems } = row
  return Array.isArray(lineItems) ? { ...fields, lineItems: lineItems.map(withoutProduct) } : fields
}

/** Decodes an order and its references from a row. */
export const decodeImportedOrder = (row: JsonObject): Result.Result<ImportedOrder, ReadonlyArray<string>> =>
  Result.mapError(
    Result.all({
      order: decodeOrder(withoutReferences(row)),
      references: Result.map(decodeReferences(row), referencesOf)
    }),
    issuesOf
  )
