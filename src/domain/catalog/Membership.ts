import { Schema } from "effect"
import { EventId } from "../Events.ts"
import { Amount, withDescription, optional, Timestamp } from "./Fields.ts"
import { CollectionHead, CollectionId, CreateCollection } from "./Collection.ts"
import type { Facets } from "./Facets.ts"
import { isSatisfied, matches } from "./Matcher.ts"
import { ProductId } from "./Product.ts"
import { ProductSummary } from "./ProductSummary.ts"
import { type Condition, conditionsOf, Rule, type RuleField } from "./Rule.ts"

/* Previews of rules, and explanations of memberships. */

/** Default and maximum number of products in a preview. */
export const PREVIEWED = 20
export const MAX_PREVIEWED = 50

const { disjunctive } = CollectionHead.fields

/** Rules to evaluate: new ones, or changes to those of a collection. Absent fields keep the value of the collection. */
export const RulesToEvaluate = Schema.Struct({
  id: optional(
    withDescription(
      CollectionId,
      "Collection to evaluate; absent `rules` and `disjunctive` are those of the collection"
    )
  ),
  rules: CreateCollection.fields.rules,
  disjunctive: optional(disjunctive)
})
export type RulesToEvaluate = typeof RulesToEvaluate.Type

/** Rules to preview, and the number of products to return. */
export const PreviewRules = Schema.Struct({
  ...RulesToEvaluate.fields,
  limit: optional(
    Schema.Int.pipe(
      Schema.check(Schema.isBetween({ minimum: 1, maximum: MAX_PREVIEWED })),
      Schema.annotate({
        description: `Maximum number of products to return. Default: ${PREVIEWED}`,
        message: `must be an integer from 1 to ${MAX_PREVIEWED}`
      })
    )
  )
})
export type PreviewRules = typeof PreviewRules.Type

/** Products that an automated collection with the rules would contain. */
export const Preview = Schema.Struct({
  productCount: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
    description: "Number of matching products",
    examples: [412]
  }),
  items: Schema.Array(ProductSummary).annotate({ description: "First matching products, in ascending order of id" })
})

/** Maximum number of values shown for a rule, and of characters of each: a description may have 65,535. */
const SHOWN_VALUES = 20
const SHOWN_CHARACTERS = 200

const Value = Schema.Union([Schema.String, Amount, Schema.Boolean])
type Value = typeof Value.Type

/** Result of one rule for a product. */
export const RuleResult = Schema.Struct({
  rule: Rule,
  found: Schema.NullOr(Schema.Union([Value, Schema.Array(Value)])).annotate({
    description: `Value of the product as rules compare it: text in lower case, at most ${SHOWN_CHARACTERS} characters, and at most ${SHOWN_VALUES} values of a list; null or empty if the product has none`,
    examples: [["oak", "office"]]
  }),
  holds: Schema.Boolean.annotate({ description: "True if the product satisfies this rule" })
}).annotate({ identifier: "Reason" })
export type RuleResult = typeof RuleResult.Type

/** Maximum number of changes of a product, and of a collection, in which the start of a membership is searched. */
export const MAX_STEPS = 200

/** Change with which a product entered a collection. */
const MembershipStart = Schema.Struct({
  position: Schema.toType(EventId).annotate({ description: "Id of the journal entry: see activity.get" }),
  at: Timestamp,
  changed: Schema.Literals(["product", "collection"]).annotate({ description: "What the change changed" })
})
export type MembershipStart = typeof MembershipStart.Type

/** Explanation of why a product is in a collection or not. */
export const Membership = Schema.Struct({
  collectionId: Schema.NullOr(CollectionId).annotate({ description: "Null if the rules belong to no collection" }),
  productId: ProductId,
  isMember: Schema.Boolean.annotate({
    description: "True if the collection contains the product, or would with the given rules"
  }),
  type: CollectionHead.fields.type,
  disjunctive: disjunctive.annotate({
    description: "false: members satisfy every rule. true: any one rule. Without rules, no product matches"
  }),
  reasons: Schema.Array(RuleResult).annotate({
    description: "Result of each rule of an automated collection; empty for a manual one"
  }),
  since: Schema.NullOr(MembershipStart).annotate({
    description: `The change since which the product is in the collection; null if it is not, if \`rules\` or \`disjunctive\` are given, or if more than ${MAX_STEPS} changes of the product or the collection followed`
  })
}).annotate({ identifier: "Membership" })
export type Membership = typeof Membership.Type

const shown = (value: Value): Value =>
  typeof value === "string" && value.length > SHOWN_CHARACTERS
    ? `${Array.from(value).slice(0, SHOWN_CHARACTERS).join("")}…`
    : value

const shownOf = (facet: Facets[RuleField], { list }: Condition): RuleResult["found"] => {
  if (facet === null) return null
  const values = [facet].flat().slice(0, SHOWN_VALUES).map(shown)
  return list ? values : (values[0] ?? null)
}

/** Evaluates the rules of an automated collection for a product, together and one by one. */
export const evaluateRules = (
  facets: Facets,
  { disjunctive, rules }: Pick<CollectionHead, "disjunctive" | "rules">
): Pick<Membership, "isMember" | "reasons"> => ({
  isMember: matches(facets, conditionsOf(rules, disjunctive), disjunctive),
  reasons: rules.flatMap((rule) =>
    conditionsOf([rule]).map((condition) => ({
      rule,
      found: shownOf(facets[condition.field], condition),
      holds: isSatisfied(facets, condition)
    }))
  )
})
