import { foldCase } from "../Text.ts"
import type { Facets } from "./Facets.ts"
import type { Condition } from "./Rule.ts"

/*
 * Reference implementation of rules, against which the SQL is tested. A missing value satisfies only negated relations.
 * A list satisfies a positive relation if any of its values does.
 */

/** Compares scaled integers, because binary floats would make 0.1 + 0.2 unequal to 0.3. */
const compareDecimals = (a: string, b: string): number => {
  const scale = 1100
  const [x, y] = [scaled(a, scale), scaled(b, scale)]
  return x < y ? -1 : x > y ? 1 : 0
}

const scaled = (text: string, scale: number): bigint => {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().replace("+", "").split("e")
  const [whole = "", decimals = ""] = mantissa.split(".")
  return BigInt(`${whole}${decimals}`) * 10n ** BigInt(scale - decimals.length + Number(exponent))
}

const compare = (condition: Condition) => (a: string, b: string) =>
  condition.kind === "number" ? compareDecimals(a, b) : a < b ? -1 : a > b ? 1 : 0

const holdsFor = (condition: Condition, value: string): boolean => {
  const expected = condition.values.map((v) => (condition.kind === "text" ? foldCase(String(v)) : String(v)))
  const first = expected[0] ?? ""
  const order = compare(condition)
  switch (condition.relation) {
    case "is_set":
      return true
    case "equals":
    case "in":
      return expected.some((one) => order(value, one) === 0)
    case "contains":
      return value.includes(first)
    case "starts_with":
      return value.startsWith(first)
    case "ends_with":
      return value.endsWith(first)
    case "greater_than":
      return order(value, first) > 0
    case "greater_or_equal":
      return order(value, first) >= 0
    case "less_than":
      return order(value, first) < 0
    case "less_or_equal":
      return order(value, first) <= 0
  }
}

/** Tests whether a product satisfies one condition. */
export const isSatisfied = (facets: Facets, condition: Condition): boolean => {
  const facet = facets[condition.field]
  const values = facet === null ? [] : [facet].flat()
  const positive = values.some((value) => holdsFor(condition, String(value)))
  return positive !== condition.negated
}

/**
 * Tests whether a product belongs to an automated collection. Without conditions, no product does
 * (docs/spec/collections.md).
 */
export const matches = (facets: Facets, conditions: ReadonlyArray<Condition>, disjunctive: boolean): boolean =>
  conditions.length > 0 &&
  (disjunctive
    ? conditions.some((condition) => isSatisfied(facets, condition))
    : conditions.every((condition) => isSatisfied(facets, condition)))
