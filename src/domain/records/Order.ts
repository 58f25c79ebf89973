import { Context, type Effect, Result, Schema, Struct } from "effect"
import { InvalidRow } from "../imports/Put.ts"
import { boundedArray } from "../json/Bounded.ts"
import {
  Amount,
  PastCurrencyCode,
  StoredCurrencyCode,
  withDescription,
  field,
  nullable,
  numberFrom,
  optional,
  text,
  Timestamp,
  trimmed
} from "../catalog/Fields.ts"
import { ProductId } from "../catalog/Product.ts"
import { Instant } from "../Time.ts"
import { SearchText, sortField } from "../Query.ts"
import { Uuid, uuidV7 } from "../Uuid.ts"
import { truncateIssues } from "../Limits.ts"
import { Address } from "./Address.ts"
import { CustomerId, type UnknownCustomer } from "./Customer.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import type { OrderSummary, PeriodDays, SummaryTooSlow } from "./OrderSummary.ts"
import type { RecordContext, RecordService } from "./Records.ts"
import { isTaxIncluded, problemsOf, totalsOf } from "./Totals.ts"

export const OrderId = Uuid.pipe(Schema.brand("OrderId"), Schema.annotate({ identifier: "OrderId" }))
export type OrderId = typeof OrderId.Type

/** Maximum number of lines of an order. */
const MAX_LINES = 1000

export const Status = Schema.Literals(["open", "completed", "cancelled"]).annotate({
  message: "must be open, completed or cancelled"
})

const Quantity = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })).annotate({
  message: "must be a whole number from 1 to 1,000,000,000"
})

const ofLine = {
  productId: nullable(
    ProductId,
    "Product that was sold, if known",
    ProductId.make("019c1363-49c0-7d21-9a53-5b1c6e2f8a90")
  ),
  variantId: nullable(Uuid, "Variant of the product", "019c1363-49c0-74c7-8e01-c2d94b7f1a35"),
  name: field(trimmed(255), "Name of the item at the time of the order", "Oak desk, 120 cm"),
  sku: nullable(text(255), "Stock keeping unit", "DESK-OAK-120"),
  quantity: field(Quantity, "Quantity", 2),
  unitPrice: field(Amount, "Unit price before discounts", 449.5),
  discount: field(Amount, "Discount on this line", 89.9),
  total: field(Amount, "`quantity` times `unitPrice`, less `discount`", 809.1)
}

const LineItem = Schema.Struct({
  id: withDescription(Uuid, "Assigned by the service"),
  ...ofLine
}).annotate({ identifier: "LineItem", description: "A line of an order" })

const amounts = {
  subtotal: field(Amount, "Sum of the line totals", 809.1),
  discount: field(Amount, "Discount on the whole order, in addition to line discounts", 9.1),
  shipping: field(Amount, "Shipping cost", 49),
  tax: field(Amount, "Tax, added to the prices or included in them; always part of `total`", 161.31),
  total: field(Amount, "`subtotal` less `discount`, plus `shipping`, plus `tax` unless the prices include it", 1010.31)
}

const status = field(Status, "Status of the order", "open")
const financialStatus = nullable(text(64), "Payment status, in the merchant's words", "paid")
const fulfillmentStatus = nullable(text(64), "Fulfillment status, in the merchant's words", "fulfilled")
const placedAt = "2026-01-31T09:12:00.000Z"

const orderFields = {
  number: field(trimmed(255), "Order number, in the merchant's words", "1042"),
  status,
  financialStatus,
  fulfillmentStatus,
  currencyCode: field(StoredCurrencyCode, "Currency of all amounts (ISO 4217)", "EUR"),
  ...amounts,
  customerId: nullable(
    CustomerId,
    "Customer of the store who placed the order, if known",
    CustomerId.make("019c1363-49c0-7c05-b1de-4a7f9e63d210")
  ),
  lineItems: boundedArray(LineItem, MAX_LINES).annotate({ description: "Lines of the order" }),
  note: nullable(text(65_535), "Note on the order", "Please ring twice."),
  placedAt: Timestamp.annotate({ description: "Time of the order", examples: [placedAt] })
}

/** Fields that are visible only with the capability `customer_pii` (docs/spec/orders-and-customers.md). */
const personalFields = {
  email: nullable(text(255), "E-mail address of the customer", "ada@example.com"),
  shippingAddress: Schema.NullOr(Address),
  billingAddress: Schema.NullOr(Address)
}
export const PERSONAL_OF_ORDER = Struct.keys(personalFields)

/** Order of a customer. Responses always contain all fields (docs/spec/orders-and-customers.md). */
export const Order = Schema.Struct({
  id: OrderId,
  ...orderFields,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  ...personalFields
}).annotate({ identifier: "Order" })
export type Order = typeof Order.Type

const LineInput = Schema.Struct({
  name: ofLine.name,
  quantity: ofLine.quantity,
  unitPrice: ofLine.unitPrice,
  discountRate: optional(
    field(numberFrom(0, 1), "Share of the price to discount, from 0 to 1, instead of `discount`", 0.1)
  )
}).pipe(
  Schema.fieldsAssign(
    Schema.Struct(ofLine)
      .mapFields(Struct.omit(["name", "quantity", "unitPrice"]))
      .mapFields(Struct.map(Schema.optionalKey)).fields
  ),
  Schema.annotate({ message: "must be an object" })
)

/** Imported order. Absent fields keep their values; `number`, `placedAt` and `lineItems` are required for a new order. */
export const PutOrder = Schema.Struct({
  ...orderFields,
  ...personalFields,
  currencyCode: field(PastCurrencyCode, "Currency of all amounts (ISO 4217)", "EUR"),
  placedAt: field(Instant, "Time of the order", placedAt),
  shippedAt: Schema.NullOr(Instant),
  lineItems: boundedArray(LineInput, MAX_LINES)
}).mapFields(Struct.map(Schema.optionalKey))
export type PutOrder = typeof PutOrder.Type

/** Fields that a new order needs. */
const REQUIRED = ["number", "placedAt", "lineItems"] as const

/** Fields of which each causes the amounts to be computed again. */
const PRICING = ["lineItems", "subtotal", "discount", "shipping", "tax", "total"] as const

/** Values of fields that a new order does not give, and that an order of an earlier release does not have. */
export const ORDER_DEFAULTS = {
  status: "open",
  financialStatus: null,
  fulfillmentStatus: null,
  discount: 0,
  shipping: 0,
  tax: 0,
  customerId: null,
  email: null,
  shippingAddress: null,
  billingAddress: null,
  note: null
} as const satisfies Partial<Order>

/** Returns the statuses that `shippedAt` implies. */
const statusesOf = ({ shippedAt }: PutOrder) => {
  if (shippedAt === undefined) return {}
  return shippedAt === null
    ? ({ status: "open", fulfillmentStatus: null } as const)
    : ({ status: "completed", fulfillmentStatus: "fulfilled" } as const)
}

/**
 * Builds the order to store: given fields, else those of the stored order, else defaults. Amounts stay exactly as stored
 * if no given field concerns them. A given line keeps the id of the stored line at its position.
 */
export const orderOf = (
  input: PutOrder,
  { at, before, currencyCode, id }: RecordContext<OrderId, Order>
): Result.Result<Order, InvalidRow> => {
  const merged = { ...ORDER_DEFAULTS, currencyCode, ...before, ...statusesOf(input), ...input }
  const { discount, lineItems, number, placedAt, shipping, tax } = merged
  if (number === undefined || placedAt === undefined || lineItems === undefined) {
    const missing = REQUIRED.filter((name) => merged[name] === undefined)
    return Result.fail(new InvalidRow({ issues: missing.map((name) => `${name}: is missing`) }))
  }
  const isUnpriced = PRICING.every((name) => input[name] === undefined)
  const priced = {
    ...Struct.pick(input, ["subtotal", "total"]),
    discount,
    lineItems,
    shipping,
    tax,
    isTaxIncluded: before !== undefined && isTaxIncluded(before)
  }
  const issues = isUnpriced ? [] : problemsOf(priced)
  if (issues.length > 0) return Result.fail(new InvalidRow({ issues: truncateIssues(issues) }))
  const { lines, ...totals } = totalsOf(priced)
  const amounts =
    before !== undefined && isUnpriced
      ? before
      : {
          ...totals,
          lineItems: lineItems.map((line, index) => ({
            id: before?.lineItems[index]?.id ?? uuidV7(at.getTime()),
            productId: line.productId ?? null,
            variantId: line.variantId ?? null,
            name: line.name,
            sku: line.sku ?? null,
            quantity: line.quantity,
            unitPrice: line.unitPrice,
            discount: lines[index]?.discount ?? 0,
            total: lines[index]?.total ?? 0
          }))
        }
  return Result.succeed({
    // Members that a later release stored.
    ...before,
    id,
    number,
    status: merged.status,
    financialStatus: merged.financialStatus,
    fulfillmentStatus: merged.fulfillmentStatus,
    currencyCode: merged.currencyCode,
    subtotal: amounts.subtotal,
    discount: amounts.discount,
    shipping: amounts.shipping,
    tax: amounts.tax,
    total: amounts.total,
    customerId: merged.customerId,
    email: merged.email,
    lineItems: amounts.lineItems,
    shippingAddress: merged.shippingAddress,
    billingAddress: merged.billingAddress,
    note: merged.note,
    placedAt,
    createdAt: before?.createdAt ?? at.toISOString(),
    updatedAt: at.toISOString()
  })
}

/** Filter and sort order of orders (docs/spec/queries.md). */
export const OrderQuery = Schema.Struct({
  number: optional(field(SearchText, "Orders with this number. Ignores case, and a # before it", "1042")),
  search: optional(
    field(
      SearchText,
      "Part of the number, with or without a # before it, or of a sold item's name or SKU. Callers who see personal data also find e-mail addresses, names in addresses and phone numbers. Ignores case and accents",
      "mira"
    )
  ),
  status: optional(withDescription(Status, "Orders with this status")),
  customerId: optional(withDescription(CustomerId, "Orders of this customer")),
  placedSince: optional(withDescription(Instant, "Orders placed at this time or later")),
  placedBefore: optional(withDescription(Instant, "Orders placed before this time")),
  totalFrom: optional(field(Amount, "Orders with this total or a higher one, in the currency of each order", 100)),
  totalTo: optional(field(Amount, "Orders with this total or a lower one, in the currency of each order", 500)),
  sort: sortField(["number", "total", "placedAt", "createdAt", "updatedAt"], "-placedAt")
})
export type OrderQuery = typeof OrderQuery.Type

export class OrderNotFound extends Schema.TaggedError<OrderNotFound>()("OrderNotFound", { id: OrderId }) {
  override get message() {
    return `Order ${this.id} was not found`
  }
}

/** Orders of stores. A write also updates the totals of their customers, in the same transaction. */
export class Orders extends Context.Service<
  Orders,
  RecordService<OrderId, PutOrder, UnknownCustomer | InvalidRow, OrderNotFound, OrderQuery> & {
    /** Sums the sales of the days that end now, in the time zone and currency of the store. */
    readonly summarize: (
      store: StoreId,
      days: PeriodDays
    ) => Effect.Effect<OrderSummary, StoreNotFound | SummaryTooSlow>
  }
>()("domain/Orders") {}
