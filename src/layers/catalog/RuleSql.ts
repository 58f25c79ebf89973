import type { Statement } from "@effect/sql"
import type { PgClient } from "@effect/sql-pg"
import type { Condition, RuleField } from "../../domain/catalog/Rule.ts"
import { fold } from "../../domain/Text.ts"
import { isIndexed, term } from "./Terms.ts"

/** Fields with a column of their own; the others are read from `facets`. */
const COLUMNS: Partial<Record<RuleField, string>> = {
  price: "product_keys.price",
  stock: "product_keys.stock",
  slug: "slug",
  description: "description"
}

const parameters = ({ kind, values }: Condition): ReadonlyArray<string | boolean> =>
  kind === "text" ? values.map((value) => fold(String(value))) : values

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
  parameters(condition).map((value) => term(store, condition.field, String(value)))

/**
 * Rules as SQL over the products of one store: the same as `domain/catalog/Matcher`, which a property test holds it to.
 * Values are always parameters; what is spliced into the text are names from the tables of `domain/catalog/Rule`.
 */
export const makeRuleSql = (sql: PgClient.PgClient) => {
  /** The stored value in the type it is compared in: SQL null when it is missing. */
  const operand = ({ field, kind }: Condition): Statement.Fragment => {
    const column = COLUMNS[field]
    if (column !== undefined) return sql.literal(column)
    const text = `facets ->> '${field}'`
    switch (kind) {
      case "text":
      case "time":
        return sql.literal(`(${text}) collate "C"`)
      case "number":
        return sql.literal(`(${text})::numeric`)
      case "boolean":
        return sql.literal(`(${text})::boolean`)
    }
  }

  const compare = (condition: Condition, value: Statement.Fragment): Statement.Fragment => {
    const wanted = parameters(condition)
    const first = wanted[0] ?? ""
    const type = sql.literal({ text: "text", time: "text", number: "numeric", boolean: "boolean" }[condition.kind])
    switch (condition.relation) {
      case "is_set":
        return sql`${value} is not null`
      case "equals":
        return sql`${value} = ${first}::${type}`
      case "in":
        return sql`${value} = any(${wanted}::${type}[])`
      case "contains":
        return sql`strpos(${value}, ${first}) > 0`
      case "starts_with":
        return sql`starts_with(${value}, ${first})`
      case "ends_with":
        return sql`right(${value}, length(${first})) = ${first}`
      case "greater_than":
        return sql`${value} > ${first}::${type}`
      case "greater_or_equal":
        return sql`${value} >= ${first}::${type}`
      case "less_than":
        return sql`${value} < ${first}::${type}`
      case "less_or_equal":
        return sql`${value} <= ${first}::${type}`
    }
  }

  const positive = (store: string, condition: Condition): Statement.Fragment => {
    if (isTerm(condition)) return sql`terms && ${termsOf(store, condition)}::uuid[]`
    if (!condition.list) return compare(condition, operand(condition))
    if (condition.kind === "text" && (condition.relation === "equals" || condition.relation === "in")) {
      return sql`${sql.literal(`facets -> '${condition.field}'`)} ?| ${parameters(condition)}::text[]`
    }
    const item = condition.kind === "number" ? sql`item::numeric` : sql`item collate "C"`
    const items = sql.literal(`jsonb_array_elements_text(facets -> '${condition.field}')`)
    return sql`exists (select 1 from ${items} as item where ${compare(condition, item)})`
  }

  const predicate =
    (store: string) =>
    (condition: Condition): Statement.Fragment =>
      condition.negated ? sql`coalesce(not (${positive(store, condition)}), true)` : positive(store, condition)

  /** What the index of terms answers before any product is looked at, and the conditions that are left. */
  const split = (store: string, conditions: ReadonlyArray<Condition>, disjunctive: boolean) => {
    const found = conditions.filter((condition) => isTerm(condition) && !condition.negated)
    if (disjunctive) {
      return found.length === conditions.length
        ? { found: [sql`terms && ${found.flatMap((one) => termsOf(store, one))}::uuid[]`], rest: [] }
        : { found: [], rest: conditions }
    }
    const all = found.filter(({ values }) => values.length === 1).flatMap((one) => termsOf(store, one))
    const any = found.filter(({ values }) => values.length > 1).map((one) => positive(store, one))
    return {
      found: all.length === 0 ? any : [sql`terms @> ${all}::uuid[]`, ...any],
      rest: conditions.filter((condition) => !found.includes(condition))
    }
  }

  /** Keys and products have the same key, by which they are joined where a collection asks for both. */
  const sourceOf = (conditions: ReadonlyArray<Condition>) =>
    conditions.every(isKey)
      ? sql`product_keys`
      : conditions.some(isKey)
        ? sql`product_keys join products using (store_id, id)`
        : sql`products`

  /**
   * The products of the store. Terms hold the store, so where the index of terms is asked, the store's own has nothing
   * to add: the planner would still read all of its entries to intersect them (1.5 ms of 3 for 10,000 products), but
   * for a form of the comparison that no index answers.
   */
  const ofStore = (store: string, isFound: boolean) =>
    isFound ? sql`store_id is not distinct from ${store}` : sql`store_id = ${store}`

  /** The products of the collection, as what follows `select … id …`. No conditions match nothing. */
  return (store: string, conditions: ReadonlyArray<Condition>, disjunctive: boolean): Statement.Fragment => {
    if (conditions.length === 0) return sql`from products where false`
    const { found, rest } = split(store, conditions, disjunctive)
    const cheapFirst = rest.toSorted((a, b) => costOf(a) - costOf(b)).map(predicate(store))
    return sql`from ${sourceOf(conditions)} where ${sql.and([
      ofStore(store, found.length > 0),
      ...found,
      ...(rest.length === 0 ? [] : [(disjunctive ? sql.or : sql.and)(cheapFirst)])
    ])}`
  }
}
