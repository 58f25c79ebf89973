import type { Condition, RuleField } from "../../domain/catalog/Rule.ts"
import { foldCase } from "../../domain/Text.ts"
import { type Fragment, sql } from "../sql/Statement.ts"
import { isIndexed, termOf } from "./Terms.ts"

type Scalar = "uuid" | "text" | "numeric" | "boolean"

/** The types of values in rules, as PostgreSQL calls them. */
export type SqlType = Scalar | `${Scalar}[]`

export type SqlValue = string | boolean | ReadonlyArray<string | boolean>

/** Takes a value of a statement, and answers what stands for it there. */
export type BindValue = (type: SqlType, value: SqlValue) => Fragment

/** Puts a value in its place as a parameter. */
export const bindParameter: BindValue = (type, value) => sql`${value}::${sql.literal(type)}`

const oneOf = sql.join(" or ", false)
const allOf = sql.join(" and ", false)

const TYPES = { text: "text", time: "text", number: "numeric", boolean: "boolean" } as const

const ORDER = { greater_than: ">", greater_or_equal: ">=", less_than: "<", less_or_equal: "<=" } as const

/** Fields with a column of their own; the others are read from `facets`. */
const COLUMNS: Partial<Record<RuleField, Fragment>> = {
  price: sql`product_keys.price`,
  stock: sql`product_keys.stock`,
  slug: sql`slug`,
  description: sql`description`
}

const parameters = ({ kind, values }: Condition): ReadonlyArray<string | boolean> =>
  kind === "text" ? values.map((value) => foldCase(String(value))) : values

/** Whether the terms of a product say it all. */
const isTerm = ({ field, relation }: Condition) => isIndexed(field) && (relation === "equals" || relation === "in")

/** Whether `product_keys` has the answer. */
const isKey = (condition: Condition) => isTerm(condition) || condition.field === "price" || condition.field === "stock"

/** PostgreSQL asks in the order given, where it has no opinion: keys first, then columns, then `facets`, a list last. */
const costOf = (condition: Condition) => {
  if (condition.list && !isTerm(condition)) return 3
  return isKey(condition) ? 0 : COLUMNS[condition.field] === undefined ? 2 : 1
}

const termsOf = (store: string, condition: Condition) =>
  parameters(condition).map((value) => termOf(store, condition.field, String(value)))

/** Keys and products have the same key, by which they are joined where a collection asks for both. */
const sourceOf = (conditions: ReadonlyArray<Condition>) => {
  if (conditions.every(isKey)) return sql`product_keys`
  return conditions.some(isKey) ? sql`product_keys join products using (store_id, id)` : sql`products`
}

const typed = (text: Fragment, kind: Condition["kind"]) =>
  TYPES[kind] === "text" ? sql`${text} collate "C"` : sql`${text}::${sql.literal(TYPES[kind])}`

/** The stored value in the type it is compared in: SQL null when it is missing. */
const operandOf = ({ field, kind }: Condition): Fragment =>
  COLUMNS[field] ?? typed(sql`(facets ->> '${sql.literal(field)}')`, kind)

/** The values of such a field, one or a list, as rows. `offset 0` has each taken out once, however often it is compared. */
const itemsOf = (condition: Condition): Fragment =>
  condition.list
    ? sql`(
        select ${typed(sql`value`, condition.kind)} as item
        from jsonb_array_elements_text(facets -> '${sql.literal(condition.field)}') as value offset 0
      ) as items`
    : sql`(select ${operandOf(condition)} as item offset 0) as items`

const compare = (place: BindValue, condition: Condition, operand: Fragment): Fragment => {
  const { kind, relation } = condition
  const wanted = parameters(condition)
  const first = () => place(TYPES[kind], wanted[0] ?? "")
  switch (relation) {
    case "is_set":
      return sql`${operand} is not null`
    case "equals":
      return sql`${operand} = ${first()}`
    case "in":
      return sql`${operand} = any(${place(`${TYPES[kind]}[]`, wanted)})`
    case "contains":
      return sql`strpos(${operand}, ${first()}) > 0`
    case "starts_with":
      return sql`starts_with(${operand}, ${first()})`
    case "ends_with": {
      const end = first()
      return sql`right(${operand}, length(${end})) = ${end}`
    }
    case "greater_than":
    case "greater_or_equal":
    case "less_than":
    case "less_or_equal":
      return sql`${operand} ${sql.literal(ORDER[relation])} ${first()}`
  }
}

/** Whether `facets` is asked for a member of a list, which it answers by itself. */
const isMember = ({ kind, list, relation }: Condition) =>
  list && kind === "text" && (relation === "equals" || relation === "in")

/** Whether values have to be taken out of `facets` to be compared. */
const isTakenOut = (condition: Condition) =>
  !isTerm(condition) && !isMember(condition) && COLUMNS[condition.field] === undefined

/** Conditions on one field, of which its values have to satisfy any. */
type Group = readonly [Condition, ...ReadonlyArray<Condition>]

const ITEM = sql`item`

/** Any value of the field satisfies any of the conditions. */
const some = (place: BindValue, group: Group): Fragment =>
  sql`exists (select 1 from ${itemsOf(group[0])} where ${oneOf(group.map((one) => compare(place, one, ITEM)))})`

const positive = (place: BindValue, store: string, condition: Condition): Fragment => {
  if (isTerm(condition)) return sql`terms && ${place("uuid[]", termsOf(store, condition))}`
  if (isMember(condition)) {
    return sql`facets -> '${sql.literal(condition.field)}' ?| ${place("text[]", parameters(condition))}`
  }
  return condition.list ? some(place, [condition]) : compare(place, condition, operandOf(condition))
}

const predicate = (place: BindValue, store: string, group: Group): Fragment => {
  const [condition, ...others] = group
  const text = others.length === 0 ? positive(place, store, condition) : some(place, group)
  return condition.negated ? sql`coalesce(not (${text}), true)` : text
}

/**
 * Where any condition suffices, those on one field are one: any of them. Where all must hold, those that are negated are
 * one: none of them. So 60 of them take a value out of `facets` once and not 60 times; the others seldom get that far,
 * as the first that fails decides.
 */
const groupsOf = (conditions: ReadonlyArray<Condition>, disjunctive: boolean): ReadonlyArray<Group> => {
  const groups = new Map<RuleField | Condition, [Condition, ...Array<Condition>]>()
  for (const condition of conditions) {
    const key = isTakenOut(condition) && condition.negated !== disjunctive ? condition.field : condition
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [condition])
    else group.push(condition)
  }
  return [...groups.values()]
}

/** What the index of terms answers before any product is looked at, and the conditions that are left. */
const split = (
  place: BindValue,
  store: string,
  conditions: ReadonlyArray<Condition>,
  disjunctive: boolean
): { readonly found: ReadonlyArray<Fragment>; readonly rest: ReadonlyArray<Condition> } => {
  const found = conditions.filter((condition) => isTerm(condition) && !condition.negated)
  const termsOfAll = (some: ReadonlyArray<Condition>) =>
    place(
      "uuid[]",
      some.flatMap((one) => termsOf(store, one))
    )
  if (disjunctive) {
    return found.length === conditions.length
      ? { found: [sql`terms && ${termsOfAll(found)}`], rest: [] }
      : { found: [], rest: conditions }
  }
  const single = found.filter(({ values }) => values.length === 1)
  const any = found.filter(({ values }) => values.length > 1).map((one) => positive(place, store, one))
  return {
    found: single.length === 0 ? any : [sql`terms @> ${termsOfAll(single)}`, ...any],
    rest: conditions.filter((condition) => !found.includes(condition))
  }
}

/**
 * The products of a collection, as what follows `select … id …`: rules as SQL over the products of one store, the same as
 * `domain/catalog/Matcher`, which a property test holds it to. The text depends on fields and relations only: values go
 * where `place` puts them, and what is spliced in are names from the tables of `domain/catalog/Rule`. No conditions
 * match nothing.
 *
 * Terms hold the store, so where the index of terms is asked, the store's own has nothing to add: the planner would still
 * read all of its entries to intersect them (1.5 ms of 3 for 10,000 products), but for a form of the comparison that no
 * index answers.
 */
export const productsWhere = (
  place: BindValue,
  store: string,
  conditions: ReadonlyArray<Condition>,
  disjunctive: boolean
): Fragment => {
  if (conditions.length === 0) return sql`from products where false`
  const { found, rest } = split(place, store, conditions, disjunctive)
  const ofStore = sql`store_id ${found.length > 0 ? sql`is not distinct from` : sql`=`} ${place("uuid", store)}`
  const groups = groupsOf(
    rest.toSorted((a, b) => costOf(a) - costOf(b)),
    disjunctive
  )
  const left = groups.map((group) => predicate(place, store, group))
  const all = [ofStore, ...found, ...(left.length === 0 ? [] : [sql`(${(disjunctive ? oneOf : allOf)(left)})`])]
  return sql`from ${sourceOf(conditions)} where ${allOf(all)}`
}
