import { BigDecimal } from "effect"
import { lineOf } from "../json/Json.ts"
import { doubleOf, MAX_NUMBER } from "../json/Numbers.ts"

/* Amounts of an order, computed exactly from its lines without rounding. */

interface Priced {
  readonly lineItems: ReadonlyArray<{
    readonly quantity: number
    readonly unitPrice: number
    readonly discount?: number
    readonly discountRate?: number
    readonly total?: number
  }>
  readonly subtotal?: number
  readonly discount?: number
  readonly shipping?: number
  readonly tax?: number
  readonly total?: number
  /** If true, the prices include the tax, unless a given total shows otherwise. Default: false. */
  readonly isTaxIncluded?: boolean
}

const { equals, fromNumberUnsafe, isGreaterThan, isLessThan, multiply, subtract, sum } = BigDecimal

const ZERO = fromNumberUnsafe(0)
const MOST = fromNumberUnsafe(MAX_NUMBER)

const computeAmounts = ({ discount = 0, lineItems, shipping = 0, tax = 0, ...stated }: Priced) => {
  const lines = lineItems.map((line) => {
    const full = multiply(fromNumberUnsafe(line.quantity), fromNumberUnsafe(line.unitPrice))
    const discount =
      line.discount === undefined
        ? multiply(full, fromNumberUnsafe(line.discountRate ?? 0))
        : fromNumberUnsafe(line.discount)
    return { full, discount, total: subtract(full, discount) }
  })
  const subtotal = lines.reduce((all, { total }) => sum(all, total), ZERO)
  const untaxed = sum(subtract(subtotal, fromNumberUnsafe(discount)), fromNumberUnsafe(shipping))
  const taxed = sum(untaxed, fromNumberUnsafe(tax))
  // Only a given total shows whether the prices include tax. Without one, a new order adds it.
  const isWithin = stated.total === undefined ? stated.isTaxIncluded : equals(fromNumberUnsafe(stated.total), untaxed)
  return { lines, subtotal, untaxed, taxed, total: isWithin === true ? untaxed : taxed }
}

/** Tests whether the prices of a stored order include its tax. */
export const isTaxIncluded = (order: Priced & { readonly total: number }): boolean => {
  const { taxed, untaxed } = computeAmounts(order)
  return !equals(taxed, untaxed) && equals(fromNumberUnsafe(order.total), untaxed)
}

/** Computes the amounts of an order and its lines. */
export const totalsOf = (order: Priced) => {
  const { lines, subtotal, total } = computeAmounts(order)
  const { discount = 0, shipping = 0, tax = 0 } = order
  return {
    subtotal: doubleOf(subtotal),
    discount,
    shipping,
    tax,
    total: doubleOf(total),
    lines: lines.map((line) => ({ discount: doubleOf(line.discount), total: doubleOf(line.total) }))
  }
}

const OUT_OF_RANGE = `must be a number from 0 to ${MAX_NUMBER}`

const textOf = (value: BigDecimal.BigDecimal) => BigDecimal.format(value)

/** Returns a line for each amount that contradicts others. */
export const problemsOf = (order: Priced): ReadonlyArray<string> => {
  const { lines, subtotal, taxed, total, untaxed } = computeAmounts(order)
  const problems: Array<string> = []
  const report = (path: ReadonlyArray<PropertyKey>, issue: string) => problems.push(lineOf(path, issue))
  const reportUnstorable = (path: ReadonlyArray<PropertyKey>, value: BigDecimal.BigDecimal) => {
    if (!Number.isNaN(doubleOf(value))) return
    report(
      path,
      `would be ${textOf(value)}, which a double (IEEE 754) does not hold; round the amounts that it is computed from`
    )
  }

  for (const [index, { discount, full, total }] of lines.entries()) {
    const line = order.lineItems[index]
    const at = (member: string) => ["lineItems", index, member]
    if (line?.discount !== undefined && line.discountRate !== undefined) {
      report(at("discountRate"), "must not be given together with discount")
    }
    if (isGreaterThan(discount, full)) report(at("discount"), `must be at most the line's price, ${textOf(full)}`)
    else if (line?.total !== undefined && !equals(fromNumberUnsafe(line.total), total)) {
      report(at("total"), `must be ${textOf(total)}, quantity times unitPrice less discount`)
    }
    if (isGreaterThan(full, MOST)) report(at("total"), OUT_OF_RANGE)
    reportUnstorable(at("discount"), discount)
    reportUnstorable(at("total"), total)
  }
  if (order.subtotal !== undefined && !equals(fromNumberUnsafe(order.subtotal), subtotal)) {
    report(["subtotal"], `must be ${textOf(subtotal)}, the sum of the line totals`)
  }
  const discount = fromNumberUnsafe(order.discount ?? 0)
  if (!BigDecimal.isZero(discount) && isLessThan(subtotal, discount)) {
    report(["discount"], `must be at most the subtotal, ${textOf(subtotal)}`)
  } else if (order.total !== undefined && !equals(fromNumberUnsafe(order.total), total)) {
    const expected = equals(taxed, untaxed)
      ? textOf(taxed)
      : `${textOf(taxed)}, or ${textOf(untaxed)} with tax included`
    report(["total"], `must be ${expected}: subtotal less discount, plus shipping and tax`)
  }
  if (problems.length === 0) {
    reportUnstorable(["subtotal"], subtotal)
    if (isGreaterThan(taxed, MOST)) report(["total"], OUT_OF_RANGE)
    else reportUnstorable(["total"], total)
  }
  return problems
}
