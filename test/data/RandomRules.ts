import * as fc from "fast-check"
import type { Facets } from "../../src/domain/catalog/Facets.ts"
import type { Kind } from "../../src/domain/catalog/Rule.ts"
import { amount, anyText, phrase } from "./RandomProducts.ts"
import { NAMES, RELATIONS_OF } from "./RuleTable.ts"

/** A rule in the format of requests. */
export interface RandomRule {
  readonly field: string
  readonly relation: string
  readonly value: unknown
}

export interface RandomRules {
  readonly rules: ReadonlyArray<RandomRule>
  readonly disjunctive: boolean
}

const anyCase = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.constantFrom("as is", "upper", "lower")).map(([value, letterCase]) => {
    if (letterCase === "as is") return value
    return letterCase === "upper" ? value.toUpperCase() : value.toLowerCase()
  })

/** The text or a part of it in any case, a longer text, or another one. */
const nearText = (text: string) => {
  const characters = [...text]
  const position = fc.nat({ max: characters.length })
  const part = fc.tuple(position, position).map(([a, b]) => characters.slice(Math.min(a, b), Math.max(a, b)).join(""))
  return anyCase(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(text) },
      { weight: 4, arbitrary: part },
      { weight: 1, arbitrary: phrase.map((suffix) => text + suffix) },
      { weight: 1, arbitrary: fc.oneof(phrase, anyText) }
    )
  )
}

/** The number, numbers close to it, and other notations of it. */
const nearNumber = (number: unknown) => {
  const digits = String(number)
  const plain = /^[0-9]+(?:\.[0-9]+)?$/.test(digits)
  const longer = digits.includes(".") ? `${digits}000` : `${digits}.000`
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(number) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(...(plain ? [digits, ` ${digits} `, longer, JSON.parse(longer)] : [number]))
    },
    { weight: 2, arbitrary: fc.constantFrom(...[-1, -0.1, 0.1, 1].map((step) => Number(number) + step)) },
    { weight: 2, arbitrary: fc.oneof(amount, fc.constant(-3)) }
  )
}

const pad = (part: number) => String(part).padStart(2, "0")

/** The same instant in local time, with a UTC offset of `hours`. */
export const shown = (instant: string, hours: number): string => {
  const local = new Date(new Date(instant).getTime() + hours * 3_600_000).toISOString().slice(0, -1)
  return `${local}${hours < 0 ? "-" : "+"}${pad(Math.abs(hours))}:00`
}

/** Digits after the milliseconds. Some do not change the time. */
const DIGITS = ["", "", "0", "000", "0001", "5", "9999999999", "00000000000000000001", "4".repeat(300)]

/** The instant and instants close to it, some within a millisecond, in several notations. */
const nearTime = (instant: string) => {
  const later = (millis: number) => new Date(new Date(instant).getTime() + millis).toISOString()
  return fc
    .tuple(fc.constantFrom(-1000, -1, 0, 0, 0, 1, 1000), fc.constantFrom(...DIGITS))
    .chain(([millis, digits]) =>
      fc
        .constantFrom(later(millis), shown(later(millis), 9), shown(later(millis), -7))
        .map((time) => time.replace(/\.\d{3}/, `$&${digits}`))
    )
}

const nearValue = (kind: Kind, facetValues: ReadonlyArray<unknown>): fc.Arbitrary<unknown> => {
  switch (kind) {
    case "text":
      return facetValues.length === 0
        ? phrase
        : fc.constantFrom(...facetValues).chain((value) => nearText(String(value)))
    case "number":
      return facetValues.length === 0 ? amount : fc.constantFrom(...facetValues).chain(nearNumber)
    case "time":
      return fc.constantFrom(...facetValues).chain((value) => nearTime(String(value)))
    case "boolean":
      return fc.boolean()
  }
}

/** Rule sets with values close to those of the products, so that most rules match some products only. */
export const rulesNear = (products: ReadonlyArray<Facets>): fc.Arbitrary<RandomRules> => {
  const ruleOn = ({ field, kind, name }: (typeof NAMES)[number]) => {
    const facetValues = products
      .map((facets) => facets[field])
      .flatMap((facet) => (facet === null ? [] : [facet].flat()))
    const value = nearValue(kind, facetValues)
    return fc
      .constantFrom(...RELATIONS_OF[kind])
      .chain((relation) =>
        (relation === "in" || relation === "not_in" ? fc.array(value, { minLength: 1, maxLength: 4 }) : value).map(
          (operand): RandomRule => ({ field: name, relation, value: operand })
        )
      )
  }
  const anyName = fc.constantFrom(...NAMES)
  const rule = anyName.chain(ruleOn)
  return fc.record({
    rules: fc.oneof(
      { weight: 3, arbitrary: fc.array(rule, { minLength: 1, maxLength: 1 }) },
      { weight: 4, arbitrary: fc.array(rule, { minLength: 2, maxLength: 3 }) },
      { weight: 2, arbitrary: anyName.chain((name) => fc.array(ruleOn(name), { minLength: 2, maxLength: 4 })) },
      { weight: 1, arbitrary: fc.array(rule, { maxLength: 8 }) }
    ),
    disjunctive: fc.boolean()
  })
}
