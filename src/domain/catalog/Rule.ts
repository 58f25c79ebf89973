import { Schema, Struct } from "effect"
import { boundedArray } from "../json/Bounded.ts"
import { isText } from "../Text.ts"
import { instantOf } from "../Time.ts"
import { withJsonSchema, field, JsonValue, optional } from "./Fields.ts"
import type { FieldRule } from "./ProductFieldRow.ts"
import { PRODUCT_FIELDS, productFields } from "./ProductFields.ts"
import { isRuledAs } from "./ProductFieldSets.ts"

/*
 * Rule language of automated collections (docs/spec/collections.md): fields, their relations and values. `Matcher`
 * defines the semantics; `layers/catalog/RuleSql` compiles the same to SQL.
 */

const POSITIVE_TEXT = ["equals", "contains", "starts_with", "ends_with", "in", "is_set"] as const
const NEGATIVE_TEXT = ["not_equals", "not_contains", "not_in", "is_not_set"] as const
const ORDER = ["greater_than", "greater_or_equal", "less_than", "less_or_equal"] as const
const NUMERIC = ["equals", "not_equals", ...ORDER, "in", "not_in", "is_set", "is_not_set"] as const

/** Relations for each kind of field. */
export const RELATIONS = {
  text: [...POSITIVE_TEXT, ...NEGATIVE_TEXT],
  number: NUMERIC,
  time: NUMERIC,
  boolean: ["equals", "not_equals"]
} as const

export type Kind = keyof typeof RELATIONS
export type Relation = (typeof RELATIONS)[Kind][number]

const TEXTS = { kind: "text", list: true } as const
const NUMBERS = { kind: "number", list: true } as const
const TIME = { kind: "time", list: false } as const

interface RuleOf extends Struct.Lambda {
  <Row extends { readonly rule: unknown }>(row: Row): Row["rule"]
  readonly "~lambda.out": this["~lambda.in"] extends { readonly rule: infer Rule } ? Rule : never
}

const ruledAs = <const K extends FieldRule["kind"]>(kind: K) =>
  Struct.map(
    Struct.pick(PRODUCT_FIELDS, productFields.filter(isRuledAs(kind))),
    Struct.lambda<RuleOf>((row) => row.rule)
  )

const {
  name: title,
  description,
  slug,
  vendorName,
  productType,
  productKind,
  category,
  categoryId,
  categoryName,
  sku,
  barcode,
  currencyCode,
  countryOfOrigin,
  ...texts
} = ruledAs("text")

/**
 * Fields that a rule may use, in the order of the reference and of the pages. A list field satisfies a positive relation if
 * any of its values does.
 */
export const FIELDS = {
  title,
  description,
  slug,
  vendorName,
  productType,
  productKind,
  category,
  categoryId,
  categoryName,
  sku,
  barcode,
  currencyCode,
  countryOfOrigin,
  ...texts,
  ...ruledAs("number"),
  "variant.price": NUMBERS,
  "variant.stock": NUMBERS,
  "variant.title": TEXTS,
  "variant.sku": TEXTS,
  "variant.barcode": TEXTS,
  ...ruledAs("boolean"),
  createdAt: TIME,
  updatedAt: TIME
} as const satisfies Record<string, { readonly kind: Kind; readonly list: boolean }>

export type RuleField = keyof typeof FIELDS

/** Alternative names of fields. */
const ALIASES: Record<string, RuleField> = {
  name: "title",
  vendor: "vendorName",
  type: "productType",
  tag: "tags",
  inventory: "stock"
}

const isField = (name: string): name is RuleField => Object.hasOwn(FIELDS, name)

/** Resolves the name or alias of a field. */
export const fieldOf = (name: string): RuleField | undefined =>
  isField(name) ? name : Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined

/** Value to compare with. Numbers are decimal text: rules may give text with more digits than a double holds. */
type Scalar = string | boolean

/** Valid rule in normalized form, the input of `Matcher` and the SQL compiler. */
export interface Condition {
  readonly field: RuleField
  readonly kind: Kind
  readonly list: boolean
  /** Positive form of the relation. `negated` inverts its result, also for missing values. */
  readonly relation: Exclude<Relation, (typeof NEGATIVE_TEXT)[number]>
  readonly negated: boolean
  readonly values: ReadonlyArray<Scalar>
}

const NEGATION: Partial<Record<Relation, Condition["relation"]>> = {
  not_equals: "equals",
  not_contains: "contains",
  not_in: "in",
  is_not_set: "is_set"
}

const NUMERIC_TEXT = /^[+-]?\d{1,15}(?:\.\d{1,200})?$/

const asNumber = (value: unknown): string | undefined => {
  if (typeof value === "string") return NUMERIC_TEXT.test(value.trim()) ? value.trim() : undefined
  return typeof value === "number" ? String(value) : undefined
}

const asText = (value: unknown) => (typeof value === "string" ? value : undefined)
const asBoolean = (value: unknown) => (typeof value === "boolean" ? value : undefined)

const SCALAR: Record<Kind, { readonly read: (value: unknown) => Scalar | undefined; readonly expected: string }> = {
  text: { read: asText, expected: "text" },
  number: { read: asNumber, expected: "a number or numeric text" },
  time: { read: instantOf, expected: "a time of RFC 3339, as in 2026-01-31T09:30:00Z" },
  boolean: { read: asBoolean, expected: "true or false" }
}

/** Maximum number of values for `in` and `not_in`. */
const MAX_VALUES = 250

/** Rule as clients write it. */
interface RuleText {
  readonly field: string
  readonly relation: string
  readonly value?: unknown
}

type Problem = { readonly path: ReadonlyArray<string>; readonly message: string }

/** Validates one rule. Returns its condition, or a problem that lists the accepted values. */
const readRule = (rule: RuleText): Condition | Problem => {
  const field = fieldOf(rule.field)
  if (field === undefined) {
    const known = [...Object.keys(FIELDS), ...Object.keys(ALIASES)]
    return { path: ["field"], message: `must be one of ${known.join(", ")}` }
  }
  const { kind, list } = FIELDS[field]
  const relation = RELATIONS[kind].find((name) => name === rule.relation)
  if (relation === undefined) {
    return { path: ["relation"], message: `must be one of ${RELATIONS[kind].join(", ")} for the field ${rule.field}` }
  }
  const values = valuesOf(rule, relation, kind)
  if (typeof values === "string") return { path: ["value"], message: values }
  const positive = NEGATION[relation]
  return isPositive(relation)
    ? { field, kind, list, relation, negated: false, values }
    : { field, kind, list, relation: positive ?? "equals", negated: true, values }
}

const isPositive = (relation: Relation): relation is Condition["relation"] => NEGATION[relation] === undefined

const valuesOf = (rule: RuleText, relation: Relation, kind: Kind): ReadonlyArray<Scalar> | string => {
  const { read, expected } = SCALAR[kind]
  if (relation === "is_set" || relation === "is_not_set") return []
  const many = relation === "in" || relation === "not_in"
  const inputs = many ? rule.value : [rule.value]
  const message = many ? `must be a list of 1 to ${MAX_VALUES} values, each ${expected}` : `must be ${expected}`
  if (!Array.isArray(inputs) || inputs.length === 0 || inputs.length > MAX_VALUES) return message
  const values = inputs.map(read).filter((value) => value !== undefined)
  return values.length === inputs.length ? values : message
}

const isCondition = (result: Condition | Problem): result is Condition => !("path" in result)

const code = (names: ReadonlyArray<string>) => names.map((name) => `\`${name}\``).join(", ")

/** Markdown list of the fields and their relations. */
export const LANGUAGE = [
  ...Object.entries(RELATIONS).map(([kind, relations]) => {
    const fields = Object.entries(FIELDS).filter(([, field]) => field.kind === kind)
    return `- ${code(fields.map(([name]) => name))} (${kind}): ${code(relations)}`
  }),
  `- Other names: ${Object.entries(ALIASES)
    .map(([alias, name]) => `${code([alias])} for ${code([name])}`)
    .join(", ")}`
].join("\n")

/** Text that the reference documents as one of `names`. The check of the whole rule validates it. */
const nameOf = (names: Iterable<string>) =>
  Schema.declare(isText, { message: "must be text", toCodecJson: () => undefined }).check(
    withJsonSchema({ type: "string", enum: [...names] })
  )

const RuleFields = Schema.Struct({
  field: field(
    nameOf([...Object.keys(FIELDS), ...Object.keys(ALIASES)]),
    "Field of the product. `tags` and `variant.*` match if any of their values does",
    "tags"
  ),
  relation: field(
    nameOf(new Set(Object.values(RELATIONS).flat())),
    "Comparison with `value`. A missing value satisfies only the negated relations",
    "equals"
  ),
  value: optional(
    JsonValue.annotate({
      description: `Text (case is ignored), a number, a time or a boolean, depending on the field; a list of up to ${MAX_VALUES} for \`in\` and \`not_in\`; absent for \`is_set\` and \`is_not_set\``,
      examples: ["oak"]
    })
  )
}).annotate({ message: "must be an object { field, relation, value }" })

const documented = {
  identifier: "Rule",
  description: `One condition on products. The fields and their relations:\n\n${LANGUAGE}`,
  toJsonSchema: () => ({})
}

/** Rule of an automated collection, stored as sent. */
export const Rule = RuleFields.check(
  Schema.makeFilter((rule) => {
    const result = readRule(rule)
    return isCondition(result) || { path: result.path, issue: result.message }
  }, documented)
)
export type Rule = typeof Rule.Type

/** Rules of a collection, at most 60, each valid on its own. */
export const Rules = boundedArray(Rule, 60)

/** Rules of a stored collection. A newer release may have stored one that this release does not know. */
export const StoredRules = boundedArray(RuleFields.check(Schema.makeFilter(() => true, documented)), 60)

/**
 * Returns the conditions of stored rules. A rule that a newer release stored matches no product: if products must satisfy
 * every rule, no condition is left, and no conditions match none.
 */
export const conditionsOf = (rules: ReadonlyArray<Rule>, disjunctive = false): ReadonlyArray<Condition> => {
  const conditions = rules.map(readRule).filter(isCondition)
  return disjunctive || conditions.length === rules.length ? conditions : []
}

/** True if a newer release stored one of the rules. */
export const hasUnknownRule = (rules: ReadonlyArray<Rule>): boolean => conditionsOf(rules).length < rules.length
