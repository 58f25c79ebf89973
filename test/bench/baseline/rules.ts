import { createHash } from "node:crypto"

/*
 * Compiles rules of automated collections to SQL over columns. Values are parameters, so rules of the same shape share
 * a prepared statement.
 */

export interface Rule {
  readonly field: string
  readonly relation: string
  readonly value?: unknown
}

const TEXT: Record<string, string> = {
  title: "name",
  name: "name",
  description: "description",
  slug: "slug",
  vendorName: "vendor_name",
  vendor: "vendor_name",
  productType: "product_type",
  type: "product_type",
  productKind: "product_kind",
  category: "category",
  categoryId: "category_id",
  categoryName: "category_name",
  sku: "sku",
  barcode: "barcode",
  currencyCode: "currency_code",
  countryOfOrigin: "country_of_origin"
}

const NUMBER: Record<string, string> = {
  price: "price",
  discountedPrice: "discounted_price",
  costPrice: "cost_price",
  stock: "stock",
  inventory: "stock",
  weight: "weight"
}

const COMPARISON: Record<string, string> = {
  equals: "=",
  greater_than: ">",
  greater_or_equal: ">=",
  less_than: "<",
  less_or_equal: "<="
}

const NEGATION: Record<string, string> = {
  not_equals: "equals",
  not_contains: "contains",
  not_in: "in",
  is_not_set: "is_set"
}

type Parameter = (value: unknown) => string

const lowered = (value: unknown) => String(value).toLowerCase()

/** Condition of a positive text relation, or undefined for other relations. */
const textPredicate = (operand: string, relation: string, value: unknown, parameter: Parameter) => {
  switch (relation) {
    case "equals":
      return `${operand} = ${parameter(lowered(value))}`
    case "in":
      return `${operand} = any(${parameter([value].flat().map(lowered))}::text[])`
    case "contains":
      return `strpos(${operand}, ${parameter(lowered(value))}) > 0`
    case "starts_with":
      return `starts_with(${operand}, ${parameter(lowered(value))})`
    case "ends_with":
      return `right(${operand}, length(${parameter(lowered(value))})) = ${parameter(lowered(value))}`
    default:
      return undefined
  }
}

const tagsPredicate = (relation: string, value: unknown, parameter: Parameter) => {
  switch (relation) {
    case "is_set":
      return "cardinality(tags_lower) > 0"
    case "equals":
      return `tags_lower @> array[${parameter(lowered(value))}::text]`
    case "in":
      return `tags_lower && ${parameter([value].flat().map(lowered))}::text[]`
    default: {
      const some = textPredicate("tag", relation, value, parameter)
      return some && `exists (select 1 from unnest(tags_lower) as tag where ${some})`
    }
  }
}

const positive = ({ field, value }: Rule, relation: string, parameter: Parameter): string | undefined => {
  if (field === "tags" || field === "tag") return tagsPredicate(relation, value, parameter)
  const text = TEXT[field]
  if (text !== undefined) {
    return relation === "is_set" ? `${text} is not null` : textPredicate(`lower(${text})`, relation, value, parameter)
  }
  const number = NUMBER[field]
  if (number === undefined) return undefined
  if (relation === "is_set") return `${number} is not null`
  if (relation === "in") return `${number} = any(${parameter([value].flat().map(String))}::numeric[])`
  const operator = COMPARISON[relation]
  return operator && `${number} ${operator} ${parameter(String(value))}::numeric`
}

/** Condition of a rule. Unknown fields and relations match nothing. */
const predicateOf = (rule: Rule, parameter: Parameter): string => {
  const negated = NEGATION[rule.relation]
  const predicate = positive(rule, negated ?? rule.relation, parameter) ?? "false"
  return negated === undefined ? predicate : `coalesce(not (${predicate}), true)`
}

/** Named statement that selects the ids of matching products. */
export const matchStatement = (storeId: string, rules: ReadonlyArray<Rule>, disjunctive: boolean) => {
  const values: Array<unknown> = [storeId]
  const parameter = (value: unknown) => `$${values.push(value)}`
  const conditions = rules.map((rule) => `(${predicateOf(rule, parameter)})`)
  const matching = conditions.length === 0 ? "false" : conditions.join(disjunctive ? " or " : " and ")
  const text = `select id from products where store_id = $1 and (${matching}) order by id`
  return { name: `match-${createHash("md5").update(text).digest("hex")}`, text, values }
}
