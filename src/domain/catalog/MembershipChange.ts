import { Schema } from "effect"
import type { JsonText } from "../json/Document.ts"
import type { CollectionId } from "./Collection.ts"
import type { Facets } from "./Facets.ts"
import { matches } from "./Matcher.ts"
import { evaluateRules, RuleResult } from "./Membership.ts"
import { type Condition, conditionsOf, type Rule } from "./Rule.ts"

/* Products that enter and leave collections because the product or the collection changes. */

/** Maximum number of rules that a cause names. */
const MAX_REASONS = 5

/** Reason for which a product entered or left a collection. */
export const MembershipCause = Schema.Struct({
  changed: Schema.Literals(["product", "rules", "members"]).annotate({
    description: "`product`: a product was written or deleted. `rules`: those of a collection. `members`: a manual list"
  }),
  reasons: Schema.Array(RuleResult).annotate({
    description: `The rules whose result the change altered, at most ${MAX_REASONS}, with their new results; empty for a deletion or a manual list`
  }),
  text: Schema.String.annotate({
    description: "The cause in words",
    examples: ["price 30 by change 019a3f5e-7c40-7d21-9a53-5b1c6e2f8a90; rule price less_than 25"]
  })
}).annotate({ identifier: "MembershipCause" })
export type MembershipCause = typeof MembershipCause.Type

/** Automated collection with its compiled rules. */
export interface Automated {
  readonly id: CollectionId
  readonly title: string
  readonly disjunctive: boolean
  readonly rules: ReadonlyArray<Rule>
  readonly conditions: ReadonlyArray<Condition>
}

/** Compiles the rules of an automated collection. */
export const automatedOf = (head: Omit<Automated, "conditions">): Automated => ({
  ...head,
  conditions: conditionsOf(head.rules, head.disjunctive)
})

/** Tests whether a product is in an automated collection; null stands for one that does not exist. */
export const isMatched = (facets: Facets | null, collection: Automated | null): boolean =>
  facets !== null && collection !== null && matches(facets, collection.conditions, collection.disjunctive)

const isSame = (value: unknown, other: unknown) =>
  value === other || (Array.isArray(value) && JSON.stringify(value) === JSON.stringify(other))

/** Returns the fields of rules in which two states of a product differ; null if one does not exist. */
export const changedFields = (before: Facets | null, after: Facets | null): ReadonlySet<string> | null => {
  if (before === null || after === null) return null
  const old = new Map<string, unknown>(Object.entries(before))
  return new Set(Object.entries(after).flatMap(([name, value]) => (isSame(value, old.get(name)) ? [] : [name])))
}

/** Tests whether a change of a product makes it enter (true) or leave (false) a collection; undefined if neither. */
export const crosses = (
  collection: Automated,
  before: Facets | null,
  after: Facets | null,
  changed: ReadonlySet<string> | null
): boolean | undefined => {
  if (changed !== null && !collection.conditions.some(({ field }) => changed.has(field))) return undefined
  const enters = isMatched(after, collection)
  return isMatched(before, collection) === enters ? undefined : enters
}

const textOf = (value: unknown): JsonText => (typeof value === "string" ? value : JSON.stringify(value))

const reasonText = ({ found, rule: { field, relation, value } }: RuleResult, position: string) =>
  `${field} ${found === null ? "without a value" : textOf(found)} by change ${position}; ` +
  `rule ${[field, relation, ...(value === undefined ? [] : [textOf(value)])].join(" ")}`

/** Describes a cause. `position` is that of the change. */
const causeOf = (
  changed: MembershipCause["changed"],
  reasons: MembershipCause["reasons"],
  position: string,
  otherwise: string
): MembershipCause => {
  const named = reasons.slice(0, MAX_REASONS)
  const text = named.map((reason) => reasonText(reason, position)).join(". ")
  return { changed, reasons: named, text: text === "" ? `${otherwise} by change ${position}` : text }
}

/** Explains why a change of a product altered its membership of an automated collection. */
export const productCause = (
  collection: Automated,
  before: Facets | null,
  after: Facets | null,
  position: string
): MembershipCause => {
  if (after === null) return causeOf("product", [], position, "product deleted")
  const old = before && evaluateRules(before, collection).reasons
  const reasons = evaluateRules(after, collection).reasons.filter(({ holds }, index) => holds !== old?.[index]?.holds)
  return causeOf("product", reasons, position, "product changed")
}

/** Explains why new rules of a collection altered a membership; null stands for no rules, or for products not listed. */
export const rulesCause = (facets: Facets | null, after: Automated | null, enters: boolean, position: string) => {
  const reasons = facets && after ? evaluateRules(facets, after).reasons.filter(({ holds }) => holds === enters) : []
  return causeOf("rules", reasons, position, "rules changed")
}

const MEMBER_CAUSES = {
  members: { entered: "list with the product", left: "list without the product" },
  product: { entered: "product restored", left: "product deleted" }
}

/** Explains a membership of a manual collection. */
export const memberCause = (changed: "product" | "members", position: string, enters: boolean): MembershipCause =>
  causeOf(changed, [], position, MEMBER_CAUSES[changed][enters ? "entered" : "left"])
