import type { Product } from "../../domain/catalog/Product.ts"
import type { CustomerId, PutCustomer } from "../../domain/records/Customer.ts"
import type { PutOrder } from "../../domain/records/Order.ts"

/*
 * Customers and orders of the sample shop, combined from short tables by index, so that every demo has the same ones.
 * Names are placeholders; hosts and phone numbers are reserved for examples (RFC 2606).
 */

const FIRST = ["Ada", "Bruno", "Clara", "David", "Elena", "Filip", "Greta", "Hugo"]
const LAST = ["Example", "Sample", "Placeholder", "Specimen", "Demo"]
const CITIES = [
  ["Porto", "4000-001", "Portugal"],
  ["Lyon", "69001", "France"],
  ["Leipzig", "04109", "Germany"],
  ["Utrecht", "3511 AA", "Netherlands"],
  ["Graz", "8010", "Austria"],
  ["Ghent", "9000", "Belgium"],
  ["Turin", "10121", "Italy"]
] as const

/** Returns the item at an index, modulo the length of the list. */
const at = <A>(items: ReadonlyArray<A>, index: number): A => {
  const item = items[index % items.length]
  if (item === undefined) throw new Error("A table of the demo is empty")
  return item
}

const twoDigits = (index: number) => String(index % 100).padStart(2, "0")

const addressOf = (index: number) => {
  const [city, postalCode, country] = at(CITIES, index)
  return { line1: `${index + 1} Example Street`, city, postalCode, country }
}

/** 40 customers: all combinations of first and last names. */
export const customers: ReadonlyArray<PutCustomer> = LAST.flatMap((last) =>
  FIRST.map((first) => ({ first, last }))
).map(({ first, last }, index) => ({
  name: `${first} ${last}`,
  email: `${first}.${last}@example.com`.toLowerCase(),
  phone: index % 3 === 0 ? null : `+351 000 000 0${twoDigits(index)}`,
  company: index % 6 === 0 ? `${last} Interiors` : null,
  tags: index % 5 === 0 ? ["regular"] : [],
  acceptsMarketing: index % 4 === 0,
  addresses: [addressOf(index)]
}))

const ORDERS = 60
const HOUR = 60 * 60 * 1000
const ORDER_INTERVAL = 37 * HOUR

/** Makes a line of the product's first variant at its current price. */
const lineOf = (product: Product, quantity: number) => {
  const { discountedPrice, id, name, onSale, price, sku } = product
  const [variant] = product.variants
  return {
    productId: id,
    variantId: variant?.id ?? null,
    name: variant?.title === undefined ? name : `${name}, ${variant.title}`,
    sku: variant?.sku ?? sku,
    quantity,
    unitPrice: variant?.price ?? (onSale && discountedPrice !== null ? discountedPrice : price)
  }
}

/** Status of an order: every eleventh is cancelled, the newest are not fulfilled yet. */
const statusOf = (index: number) => {
  if (index % 11 === 5) return { status: "cancelled", financialStatus: "refunded", fulfillmentStatus: null } as const
  if (index > 52) return { status: "open", financialStatus: "paid", fulfillmentStatus: null } as const
  return { status: "completed", financialStatus: "paid", fulfillmentStatus: "fulfilled" } as const
}

/** Makes 60 orders of the last 92 days, of these products by these customers. Every ninth has no customer. */
export const ordersOf = (
  products: ReadonlyArray<Product>,
  customerIds: ReadonlyArray<CustomerId>,
  now: number
): ReadonlyArray<PutOrder> =>
  Array.from({ length: ORDERS }, (_, index) => {
    const customer = (index * 7) % customers.length
    const { email = null, name = null } = at(customers, customer)
    const address = { name, ...addressOf(customer) }
    return {
      number: String(1001 + index),
      ...statusOf(index),
      ...(index % 8 === 3 ? { discount: 2.5 } : {}),
      shipping: index % 4 === 0 ? 0 : 4.9,
      customerId: index % 9 === 8 ? null : at(customerIds, customer),
      email,
      lineItems: Array.from({ length: 1 + (index % 3) }, (_, line) =>
        lineOf(at(products, index * 11 + line * 5), 1 + ((index + line) % 3))
      ),
      shippingAddress: address,
      billingAddress: address,
      note: index % 10 === 4 ? "Please wrap it as a present." : null,
      placedAt: new Date(now - 5 * HOUR - (ORDERS - 1 - index) * ORDER_INTERVAL).toISOString()
    }
  })
