import * as fc from "fast-check"
import type { Facets } from "../../src/domain/catalog/Facets.ts"
import type { Kind } from "../../src/domain/catalog/Rule.ts"
import { ExactNumber, parse } from "../../src/domain/json/Json.ts"
import { amount, anyText, phrase } from "./RandomProducts.ts"
import { NAMES, RELATIONS_OF } from "./RuleTable.ts"

/** A rule as a client writes it. */
export interface RandomRule {
  readonly field: string
  readonly relation: string
  readonly value: unknown
}

export interface RandomRules {
  readonly rules: ReadonlyArray<RandomRule>
  readonly disjunctive: boolean
}

const cased = (near: fc.Arbitrary<string>) =>
  fc.tuple(near, fc.constantFrom("as is", "upper", "lower")).map(([value, how]) => {
    if (how === "as is") return value
    return how === "upper" ? value.toUpperCase() : value.toLowerCase()
  })

/** The text itself in some case, a piece of it, or something more. */
const nearText = (text: string) => {
  const characters = [...text]
  const place = fc.nat({ max: characters.length })
  const piece = fc.tuple(place, place).map(([a, b]) => characters.slice(Math.min(a, b), Math.max(a, b)).join(""))
  return cased(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(text) },
      { weight: 4, arbitrary: piece },
      { weight: 1, arbitrary: phrase.map((more) => text + more) },
      { weight: 1, arbitrary: fc.oneof(phrase, anyText) }
    )
  )
}

/** The number, its neighbours, and other spellings of it. */
const nearNumber = (number: unknown) => {
  const digits = number instanceof ExactNumber ? number.text : String(number)
  const plain = /^[0-9]+(?:\.[0-9]+)?$/.test(digits)
  const longer = digits.includes(".") ? `${digits}000` : `${digits}.000`
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(number) },
    { weight: 2, arbitrary: fc.constantFrom(...(plain ? [digits, ` ${digits} `, longer, parse(longer)] : [number])) },
    { weight: 2, arbitrary: fc.constantFrom(...[-1, -0.1, 0.1, 1].map((step) => Number(number) + step)) },
    { weight: 2, arbitrary: fc.oneof(amount, fc.constant(-3)) }
  )
}

const pad = (part: number) => String(part).padStart(2, "0")

/** The same instant as a clock `hours` east of Greenwich shows it. */
export const shown = (instant: string, hours: number): string => {
  const local = new Date(new Date(instant).getTime() + hours * 3_600_000).toISOString().slice(0, -1)
  return `${local}${hours < 0 ? "-" : "+"}${pad(Math.abs(hours))}:00`
}

/** Digits behind the milliseconds, some of which are no other time. */
const DIGITS = ["", "", "0", "000", "0001", "5", "9999999999", "00000000000000000001", "4".repeat(300)]

/** The instant and its neighbours, some of them closer than a millisecond, in several spellings. */
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

const near = (kind: Kind, known: ReadonlyArray<unknown>): fc.Arbitrary<unknown> => {
  switch (kind) {
    case "text":
      return known.length === 0 ? phrase : fc.constantFrom(...known).chain((value) => nearText(String(value)))
    case "number":
      return known.length === 0 ? amount : fc.constantFrom(...known).chain(nearNumber)
    case "time":
      return fc.constantFrom(...known).chain((value) => nearTime(String(value)))
    case "boolean":
      return fc.boolean()
  }
}

/** Rule sets about these products: values drawn near theirs, so that most rules hold for some and not for others. */
export const rulesNear = (products: ReadonlyArray<Facets>): fc.Arbitrary<RandomRules> => {
  const ruleOn = ({ field, kind, name }: (typeof NAMES)[number]) => {
    const known = products.map((facets) => facets[field]).flatMap((facet) => (facet === null ? [] : [facet].flat()))
    const one = near(kind, known)
    return fc
      .constantFrom(...RELATIONS_OF[kind])
      .chain((relation) =>
        (relation === "in" || relation === "not_in" ? fc.array(one, { minLength: 1, maxLength: 4 }) : one).map(
          (value): RandomRule => ({ field: name, relation, value })
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
