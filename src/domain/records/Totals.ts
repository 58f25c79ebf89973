import { BigDecimal } from "effect"
import { decimal, type JsonNumber, lineOf, MAX_DIGITS, MAX_NUMBER, numberOf, stringify } from "../json/Json.ts"

/* Amounts of an order, computed exactly from its lines without rounding. */

interface Priced {
  readonly lineItems: ReadonlyArray<{
    readonly quantity: number
    readonly unitPrice: JsonNumber
    readonly discount?: JsonNumber
    readonly discountRate?: JsonNumber
    readonly total?: JsonNumber
  }>
  readonly subtotal?: JsonNumber
  readonly discount?: JsonNumber
  readonly shipping?: JsonNumber
  readonly tax?: JsonNumber
  readonly total?: JsonNumber
  /** If true, the prices include the tax, unless a given total shows otherwise. Default: false. */
  readonly isTaxIncluded?: boolean
}

const { equals, fromNumberUnsafe, isGreaterThan, isLessThan, multiply, subtract, sum } = BigDecimal

const ZERO = fromNumberUnsafe(0)
const MOST = fromNumberUnsafe(MAX_NUMBER)

const computeAmounts = ({ discount = 0, lineItems, shipping = 0, tax = 0, ...stated }: Priced) => {
  const lines = lineItems.map((line) => {
    const full = multiply(decimal(line.quantity), decimal(line.unitPrice))
    const discount =
      line.discount === undefined ? multiply(full, decimal(line.discountRate ?? 0)) : decimal(line.discount)
    return { full, discount, total: subtract(full, discount) }
  })
  const subtotal = lines.reduce((all, { total }) => sum(all, total), ZERO)
  const untaxed = sum(subtract(subtotal, decimal(discount)), decimal(shipping))
  const taxed = sum(untaxed, decimal(tax))
  // Only a given total shows whether the prices include tax. Without one, a new order adds it.
  const isWithin = stated.total === undefined ? stated.isTaxIncluded : equals(decimal(stated.total), untaxed)
  return { lines, subtotal, untaxed, taxed, total: isWithin === true ? untaxed : taxed }
}

/** Tests whether the prices of a stored order include its tax. */
export const isTaxIncluded = (order: Priced & { readonly total: JsonNumber }): boolean => {
  const { taxed, untaxed } = computeAmounts(order)
  return !equals(taxed, untaxed) && equals(decimal(order.total), untaxed)
}

/** Computes the amounts of an order and its lines. */
export const totalsOf = (order: Priced) => {
  const { lines, subtotal, total } = computeAmounts(order)
  const { discount = 0, shipping = 0, tax = 0 } = order
  return {
    subtotal: numberOf(subtotal),
    discount,
    shipping,
    tax,
    total: numberOf(total),
    lines: lines.map((line) => ({ discount: numberOf(line.discount), total: numberOf(line.total) }))
  }
}

const isAmount = (value: BigDecimal.BigDecimal) =>
  !isGreaterThan(value, MOST) && BigDecimal.normalize(value).scale < MAX_DIGITS

const OUT_OF_RANGE = `must be a number from 0 to ${MAX_NUMBER}`

const textOf = (value: BigDecimal.BigDecimal) => stringify(numberOf(value))

/** Returns a line for each amount that contradicts others. */
export const problemsOf = (order: Priced): ReadonlyArray<string> => {
  const { lines, subtotal, taxed, total, untaxed } = computeAmounts(order)
  const problems: Array<string> = []
  const report = (path: ReadonlyArray<PropertyKey>, issue: string) => problems.push(lineOf(path, issue))

  for (const [index, { discount, full, total }] of lines.entries()) {
    const line = order.lineItems[index]
    const at = (member: string) => ["lineItems", index, member]
    if (line?.discount !== undefined && line.discountRate !== undefined) {
      report(at("discountRate"), "must not be given together with discount")
    }
    if (isGreaterThan(discount, full)) report(at("discount"), `must be at most the line's price, ${textOf(full)}`)
    else if (line?.total !== undefined && !equals(decimal(line.total), total)) {
      report(at("total"), `must be ${textOf(total)}, quantity times unitPrice less discount`)
    }
    if (!isAmount(full) || !isAmount(discount)) report(at("total"), OUT_OF_RANGE)
  }
  if (order.subtotal !== undefined && !equals(decimal(order.subtotal), subtotal)) {
    report(["subtotal"], `must be ${textOf(subtotal)}, the sum of the line totals`)
  }
  const discount = decimal(order.discount ?? 0)
  if (!BigDecimal.isZero(discount) && isLessThan(subtotal, discount)) {
    report(["discount"], `must be at most the subtotal, ${textOf(subtotal)}`)
  } else if (order.total !== undefined && !equals(decimal(order.total), total)) {
    const expected = equals(taxed, untaxed)
      ? textOf(taxed)
      : `${textOf(taxed)}, or ${textOf(untaxed)} with tax included`
    report(["total"], `must be ${expected}: subtotal less discount, plus shipping and tax`)
  }
  if (problems.length === 0 && !isAmount(taxed)) report(["total"], OUT_OF_RANGE)
  return problems
}
