import { Schema } from "effect"
import { Amount, described, optional } from "./Fields.ts"
import { CollectionHead, CollectionId } from "./Collection.ts"
import type { Facets } from "./Facets.ts"
import { isSatisfied, matches } from "./Matcher.ts"
import { ProductId } from "./Product.ts"
import { ProductSummary } from "./ProductSummary.ts"
import { type Condition, conditionsOf, Rule, type RuleField } from "./Rule.ts"

/* Previews of rules, and explanations of memberships. */

/** Default and maximum number of products in a preview. */
export const PREVIEWED = 20
export const MAX_PREVIEWED = 50

const { disjunctive, rules } = CollectionHead.fields

/** Rules to evaluate: new ones, or changes to those of a collection. Absent fields keep the value of the collection. */
export const TriedRules = Schema.Struct({
  id: optional(
    described(
      CollectionId,
      "The collection whose changes are tried out; what is left out of `rules` and `disjunctive` is as it is"
    )
  ),
  rules: optional(rules),
  disjunctive: optional(disjunctive)
})
export type TriedRules = typeof TriedRules.Type

/** Rules to preview, and the number of products to return. */
export const PreviewRules = Schema.Struct({
  ...TriedRules.fields,
  limit: optional(
    Schema.Int.pipe(
      Schema.check(Schema.isBetween({ minimum: 1, maximum: MAX_PREVIEWED })),
      Schema.annotate({
        description: `Products to show at most: ${PREVIEWED} when absent`,
        message: `must be an integer from 1 to ${MAX_PREVIEWED}`
      })
    )
  )
})
export type PreviewRules = typeof PreviewRules.Type

/** Products that an automated collection with the rules would contain. */
export const Preview = Schema.Struct({
  productCount: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
    description: "How many products match",
    examples: [412]
  }),
  items: Schema.Array(ProductSummary).annotate({ description: "The first of them, in order of id" })
})

/** Maximum number of values shown for a rule, and of characters of each: a description may have 65,535. */
const SHOWN_VALUES = 20
const SHOWN_CHARACTERS = 200

const Value = Schema.Union([Schema.String, Amount, Schema.Boolean])
type Value = typeof Value.Type

/** Result of one rule for a product. */
export const Reason = Schema.Struct({
  rule: Rule,
  found: Schema.NullOr(Schema.Union([Value, Schema.Array(Value)])).annotate({
    description: `What the product has there, as rules compare it: text in lower case, at most ${SHOWN_CHARACTERS} characters of it and ${SHOWN_VALUES} values of a list; null or no value when it has nothing`,
    examples: [["oak", "office"]]
  }),
  holds: Schema.Boolean.annotate({ description: "Whether the product satisfies this rule, by itself" })
}).annotate({ identifier: "Reason" })
export type Reason = typeof Reason.Type

/** Explanation of why a product is in a collection or not. */
export const Membership = Schema.Struct({
  collectionId: Schema.NullOr(CollectionId).annotate({ description: "Null where rules are of no collection yet" }),
  productId: ProductId,
  isMember: Schema.Boolean.annotate({
    description: "Whether the collection holds the product, or would by the rules that are tried out"
  }),
  type: CollectionHead.fields.type,
  disjunctive: disjunctive.annotate({
    description: "How rules combine. false: a member satisfies every rule. true: any of them. No rules match nothing"
  }),
  reasons: Schema.Array(Reason).annotate({
    description: "Each rule of an automated collection; empty for a manual one, which holds what was put into it"
  })
}).annotate({ identifier: "Membership" })
export type Membership = typeof Membership.Type

const shown = (value: Value): Value =>
  typeof value === "string" && value.length > SHOWN_CHARACTERS
    ? `${Array.from(value).slice(0, SHOWN_CHARACTERS).join("")}…`
    : value

const shownOf = (facet: Facets[RuleField], { list }: Condition): Reason["found"] => {
  if (facet === null) return null
  const values = [facet].flat().slice(0, SHOWN_VALUES).map(shown)
  return list ? values : (values[0] ?? null)
}

/** Evaluates the rules of an automated collection for a product, together and one by one. */
export const judge = (
  facets: Facets,
  { disjunctive, rules }: Pick<CollectionHead, "disjunctive" | "rules">
): Pick<Membership, "isMember" | "reasons"> => ({
  isMember: matches(facets, conditionsOf(rules), disjunctive),
  reasons: rules.flatMap((rule) =>
    conditionsOf([rule]).map((condition) => ({
      rule,
      found: shownOf(facets[condition.field], condition),
      holds: isSatisfied(facets, condition)
    }))
  )
})
