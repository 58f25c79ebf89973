import { assert } from "@effect/vitest"
import { Struct } from "effect"
import * as FastCheck from "fast-check"

/*
 * Random rows with random subsets of fields, compared with a model that keeps amounts as integers of cents. The model
 * knows resources by their external ids.
 */

const { array, boolean, constantFrom, record, subarray, tuple } = FastCheck

/** Record of which each field may be absent. */
const partial = <T extends object>(fields: { [K in keyof T]: FastCheck.Arbitrary<T[K]> }) =>
  record(fields, { requiredKeys: [] })

const cents = constantFrom(0, 1, 250, 1999)
const addresses = constantFrom([], [{ city: "Porto" }], [{ city: "Lyon", note: 0.1 }, {}])

const anyCustomer = partial({
  name: constantFrom(null, "Ada", "Bo"),
  email: constantFrom(null, "a@example.com", "b@example.com"),
  phone: constantFrom(null, "+351"),
  company: constantFrom(null, "Books"),
  tags: subarray(["regular", "new"]),
  acceptsMarketing: boolean(),
  addresses: FastCheck.option(addresses)
})
type CustomerRow = typeof anyCustomer extends FastCheck.Arbitrary<infer R> ? R : never

const anyLine = record(
  { quantity: constantFrom(1, 3), price: cents, discount: cents, product: constantFrom("p0", "p1", "unknown") },
  { requiredKeys: ["quantity", "price"] }
)

const anyOrder = partial({
  number: constantFrom("1", "2"),
  placedAt: constantFrom("2026-01-31T09:12:00.000Z", "2026-02-01T00:00:00.000Z"),
  status: constantFrom("open", "completed", "cancelled"),
  financialStatus: constantFrom(null, "paid"),
  fulfillmentStatus: constantFrom(null, "packed"),
  currencyCode: constantFrom("EUR", "USD"),
  email: constantFrom(null, "a@example.com"),
  shippingAddress: constantFrom(null, { city: "Porto" }),
  billingAddress: constantFrom(null, { city: "Lyon", floor: 3 }),
  note: constantFrom(null, "Ring"),
  shippedAt: constantFrom(null, "2026-02-02T00:00:00.000Z"),
  customer: constantFrom(null, "c0", "c1", "unknown"),
  lines: array(anyLine, { maxLength: 3 }),
  discount: constantFrom(0, 1),
  shipping: cents,
  tax: cents,
  subtotal: constantFrom("right", "wrong"),
  total: constantFrom("withTax", "withoutTax", "wrong")
})
type OrderRow = typeof anyOrder extends FastCheck.Arbitrary<infer R> ? R : never

const anyCollection = partial({
  title: constantFrom("Cups", "Jugs"),
  description: constantFrom(null, "Of clay"),
  isActive: boolean(),
  seoTitle: constantFrom(null, "Cups"),
  productIds: subarray(["p0", "p1"])
})
type CollectionRow = typeof anyCollection extends FastCheck.Arbitrary<infer R> ? R : never

/** Fields that most rows of new orders have. */
const complete = record({ number: constantFrom("1", "2"), placedAt: constantFrom("2026-01-31T09:12:00.000Z") })
const anyOrders = array(
  tuple(
    constantFrom("o0", "o1"),
    FastCheck.oneof(
      anyOrder,
      tuple(anyOrder, complete, array(anyLine, { maxLength: 3 })).map(([row, start, lines]) => ({
        ...row,
        ...start,
        lines
      }))
    )
  ),
  { minLength: 1, maxLength: 3 }
)

export type Step =
  | { readonly kind: "orders"; readonly rows: ReadonlyArray<readonly [string, OrderRow]> }
  | { readonly kind: "customers"; readonly rows: ReadonlyArray<readonly [string, CustomerRow]> }
  | { readonly kind: "collections"; readonly rows: ReadonlyArray<readonly [string, CollectionRow]> }

export const steps: FastCheck.Arbitrary<ReadonlyArray<Step>> = array(
  FastCheck.oneof(
    { weight: 4, arbitrary: anyOrders.map((rows): Step => ({ kind: "orders", rows })) },
    {
      weight: 2,
      arbitrary: array(tuple(constantFrom("c0", "c1", "c2"), anyCustomer), { minLength: 1, maxLength: 2 }).map(
        (rows): Step => ({ kind: "customers", rows })
      )
    },
    {
      weight: 1,
      arbitrary: tuple(constantFrom("k0", "k1"), anyCollection).map((row): Step => ({
        kind: "collections",
        rows: [row]
      }))
    }
  ),
  { minLength: 4, maxLength: 12 }
)

/* The model. */

interface ModelLine {
  readonly quantity: number
  readonly price: number
  readonly discount: number
  readonly product: string | null
}

interface ModelOrder {
  readonly fields: Readonly<Record<string, unknown>>
  readonly status: string
  readonly customer: string | null
  readonly lines: ReadonlyArray<ModelLine>
  readonly discount: number
  readonly shipping: number
  readonly tax: number
  readonly total: number
}

export interface Model {
  readonly customers: Map<string, Readonly<Record<string, unknown>>>
  readonly orders: Map<string, ModelOrder>
  readonly collections: Map<string, Readonly<Record<string, unknown>>>
}

export const subtotalOf = (lines: ReadonlyArray<ModelLine>) =>
  lines.reduce((sum, { discount, price, quantity }) => sum + quantity * price - discount, 0)

/** Returns the amounts of a row as sent: those that agree with the others, or a cent more. */
const statedOf = (row: OrderRow, before: ModelOrder | undefined) => {
  const lines = (row.lines ?? before?.lines ?? []).map((line) => ({ discount: 0, product: null, ...line }))
  const { discount = before?.discount ?? 0, shipping = before?.shipping ?? 0, tax = before?.tax ?? 0 } = row
  const subtotal = subtotalOf(lines)
  const untaxed = subtotal - discount + shipping
  const totals = { withTax: untaxed + tax, withoutTax: untaxed, wrong: untaxed + tax + 1 }
  return {
    lines,
    discount,
    shipping,
    tax,
    subtotal,
    untaxed,
    total: row.total === undefined ? undefined : totals[row.total]
  }
}

export const applyOrder = (row: OrderRow, before: ModelOrder | undefined): ModelOrder | undefined => {
  const lacks = row.number === undefined || row.placedAt === undefined || row.lines === undefined
  if ((before === undefined && lacks) || row.customer === "unknown") return undefined
  const { discount, lines, shipping, subtotal, tax, total, untaxed } = statedOf(row, before)
  const hadTax =
    before !== undefined &&
    before.tax > 0 &&
    before.total === subtotalOf(before.lines) - before.discount + before.shipping
  const isBad =
    lines.some(({ discount, price, quantity }) => discount > quantity * price) ||
    discount > subtotal ||
    row.subtotal === "wrong" ||
    row.total === "wrong"
  const isPriced = ["lines", "discount", "shipping", "tax", "subtotal", "total"].some((name) => name in row)
  if (isPriced && isBad) return undefined
  const shipped =
    row.shippedAt === undefined
      ? {}
      : row.shippedAt === null
        ? { status: "open", fulfillmentStatus: null }
        : { status: "completed", fulfillmentStatus: "fulfilled" }
  const fields = {
    ...(before?.fields ?? {
      status: "open",
      financialStatus: null,
      fulfillmentStatus: null,
      currencyCode: "EUR",
      email: null,
      shippingAddress: null,
      billingAddress: null,
      note: null
    }),
    ...shipped,
    ...Struct.omit(row, ["customer", "lines", "discount", "shipping", "tax", "subtotal", "total", "shippedAt"])
  }
  return {
    fields,
    status: String(fields["status"]),
    customer: row.customer === undefined ? (before?.customer ?? null) : row.customer,
    lines: lines.map((line) => ({ ...line, product: line.product === "unknown" ? null : line.product })),
    discount,
    shipping,
    tax,
    total: total ?? (hadTax ? untaxed : untaxed + tax)
  }
}

export const applyCustomer = (
  { addresses, ...row }: CustomerRow,
  before: Readonly<Record<string, unknown>> | undefined
) => ({
  ...(before ?? {
    name: null,
    email: null,
    phone: null,
    company: null,
    tags: [],
    acceptsMarketing: false,
    addresses: []
  }),
  ...row,
  ...(addresses === undefined ? {} : { addresses: addresses ?? [] })
})

export const applyCollection = (row: CollectionRow, before: Readonly<Record<string, unknown>> | undefined) =>
  before === undefined && row.title === undefined
    ? undefined
    : { ...(before ?? { description: null, isActive: true, seoTitle: null, productIds: [] }), ...row }

/** Applies a row to the model and returns its outcome. */
export const applyRow = <A>(states: Map<string, A>, id: string, after: A | undefined) => {
  const before = states.get(id)
  if (after === undefined) return "refused"
  states.set(id, after)
  if (before === undefined) return "created"
  try {
    assert.deepStrictEqual(after, before)
    return "unchanged"
  } catch {
    return "updated"
  }
}

/* Rows as a file has them. An amount below zero cannot be sent; the model refuses its row for another reason. */

export const money = (amount: number) => amount / 100

export const orderRowOf = (row: OrderRow, before: ModelOrder | undefined, isByExternalId: boolean) => {
  const { subtotal, total } = statedOf(row, before)
  const { customer, lines, ...fields } = Struct.omit(row, ["subtotal", "total", "discount", "shipping", "tax"])
  return {
    ...fields,
    ...(customer === undefined ? {} : { [isByExternalId ? "customerExternalId" : "customerId"]: customer }),
    ...(lines === undefined
      ? {}
      : {
          lineItems: lines.map(({ discount, price, product, quantity }) => ({
            name: "Cup",
            quantity,
            unitPrice: money(price),
            ...(discount === undefined ? {} : { discount: money(discount) }),
            ...(product === undefined ? {} : { productExternalId: product })
          }))
        }),
    ...(row.discount === undefined ? {} : { discount: money(row.discount) }),
    ...(row.shipping === undefined ? {} : { shipping: money(row.shipping) }),
    ...(row.tax === undefined ? {} : { tax: money(row.tax) }),
    ...(row.subtotal === undefined
      ? {}
      : { subtotal: money(Math.max(subtotal + (row.subtotal === "wrong" ? 1 : 0), 0)) }),
    ...(total === undefined ? {} : { total: money(Math.max(total, 0)) })
  }
}
