import type { Product } from "../../domain/catalog/Product.ts"
import type { CustomerId, PutCustomer } from "../../domain/records/Customer.ts"
import type { PutOrder } from "../../domain/records/Order.ts"

/*
 * Who buys from the sample shop, and what: made of short tables by their places, so that every demo has the same. Nobody
 * of these names is meant, hosts and numbers are of those that lead nowhere (RFC 2606).
 */

const FIRST = ["Ada", "Bruno", "Clara", "David", "Elena", "Filip", "Greta", "Hugo"]
const LAST = ["Example", "Sample", "Placeholder", "Specimen", "Demo"]
const PLACES = [
  ["Porto", "4000-001", "Portugal"],
  ["Lyon", "69001", "France"],
  ["Leipzig", "04109", "Germany"],
  ["Utrecht", "3511 AA", "Netherlands"],
  ["Graz", "8010", "Austria"],
  ["Ghent", "9000", "Belgium"],
  ["Turin", "10121", "Italy"]
] as const

/** The item at a place of a list that begins anew where it ends. */
const at = <A>(items: ReadonlyArray<A>, place: number): A => {
  const item = items[place % items.length]
  if (item === undefined) throw new Error("A table of the demo is empty")
  return item
}

const two = (place: number) => String(place % 100).padStart(2, "0")

const addressOf = (place: number) => {
  const [city, postalCode, country] = at(PLACES, place)
  return { line1: `${place + 1} Example Street`, city, postalCode, country }
}

/** Forty customers: each first name with each last name. */
export const customers: ReadonlyArray<PutCustomer> = LAST.flatMap((last) =>
  FIRST.map((first) => ({ first, last }))
).map(({ first, last }, place) => ({
  name: `${first} ${last}`,
  email: `${first}.${last}@example.com`.toLowerCase(),
  phone: place % 3 === 0 ? null : `+351 000 000 0${two(place)}`,
  company: place % 6 === 0 ? `${last} Interiors` : null,
  tags: place % 5 === 0 ? ["regular"] : [],
  acceptsMarketing: place % 4 === 0,
  addresses: [addressOf(place)]
}))

const ORDERS = 60
const FIRST_ORDER = Date.parse("2026-01-05T08:15:00.000Z")
const BETWEEN = 37 * 60 * 60 * 1000

/** A line with the product as it is sold now: in its first variant, at its reduced price. */
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

/** How far an order has come: the last ones are on their way, every eleventh was cancelled. */
const progressOf = (place: number) => {
  if (place % 11 === 5) return { status: "cancelled", financialStatus: "refunded", fulfillmentStatus: null } as const
  if (place > 52) return { status: "open", financialStatus: "paid", fulfillmentStatus: null } as const
  return { status: "completed", financialStatus: "paid", fulfillmentStatus: "fulfilled" } as const
}

/** Sixty orders of these products by these customers; every ninth is of somebody who is none. */
export const ordersOf = (
  products: ReadonlyArray<Product>,
  customerIds: ReadonlyArray<CustomerId>
): ReadonlyArray<PutOrder> =>
  Array.from({ length: ORDERS }, (_, place) => {
    const who = (place * 7) % customers.length
    const { email = null, name = null } = at(customers, who)
    const address = { name, ...addressOf(who) }
    return {
      number: String(1001 + place),
      ...progressOf(place),
      ...(place % 8 === 3 ? { discount: 2.5 } : {}),
      shipping: place % 4 === 0 ? 0 : 4.9,
      customerId: place % 9 === 8 ? null : at(customerIds, who),
      email,
      lineItems: Array.from({ length: 1 + (place % 3) }, (_, line) =>
        lineOf(at(products, place * 11 + line * 5), 1 + ((place + line) % 3))
      ),
      shippingAddress: address,
      billingAddress: address,
      note: place % 10 === 4 ? "Please wrap it as a present." : null,
      placedAt: new Date(FIRST_ORDER + place * BETWEEN).toISOString()
    }
  })
