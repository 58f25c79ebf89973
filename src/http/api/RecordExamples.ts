import { Result } from "effect"
import { customerOf, CustomerId } from "../../domain/records/Customer.ts"
import { OrderId, orderOf } from "../../domain/records/Order.ts"
import { ProductId } from "../../domain/catalog/Product.ts"
import { applySpending, spendingOf } from "../../domain/records/Spending.ts"

/* An example order and its customer for the reference, made by the code of an import. */

const context = { at: new Date("2026-01-31T09:30:00.000Z"), currencyCode: "EUR", before: undefined }

const ada = {
  name: "Ada Example",
  company: "Example Books",
  line1: "1 Example Street",
  city: "Porto",
  country: "Portugal"
}
const ADA = CustomerId.make("019c1363-49c0-7c05-b1de-4a7f9e63d210")

const placed = Result.getOrThrow(
  orderOf(
    {
      number: "1042",
      financialStatus: "paid",
      shipping: 49,
      tax: 161.31,
      customerId: ADA,
      email: "ada@example.com",
      lineItems: [
        {
          productId: ProductId.make("019c1363-49c0-7d21-9a53-5b1c6e2f8a90"),
          variantId: "019c1363-49c0-74c7-8e01-c2d94b7f1a35",
          name: "Oak desk, 120 cm",
          sku: "DESK-OAK-120",
          quantity: 2,
          unitPrice: 449.5,
          discountRate: 0.1
        }
      ],
      shippingAddress: ada,
      billingAddress: ada,
      note: "Please ring twice.",
      placedAt: "2026-01-31T09:12:00.000Z"
    },
    { ...context, id: OrderId.make("019c1363-49c0-7e5a-9d07-31c8b2f4a6e0") }
  )
)

/** The order with a fixed line id, because each call generates a new one. */
export const order = {
  ...placed,
  lineItems: placed.lineItems.map((line) => ({ ...line, id: "019c1363-49c0-7b1d-8c22-5e90a7d3f461" }))
}

const newCustomer = customerOf(
  {
    name: "Ada Example",
    email: "ada@example.com",
    phone: "+351 000 000 000",
    company: "Example Books",
    tags: ["regular"],
    addresses: [ada]
  },
  { ...context, id: ADA }
)

export const customer = [...spendingOf([{ before: undefined, after: order }]).values()].reduce(
  (customer, spending) => applySpending(customer, spending, context.at),
  newCustomer
)
