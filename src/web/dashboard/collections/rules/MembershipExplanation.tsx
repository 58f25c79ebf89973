import { useEffect, useRef } from "react"
import type { Membership } from "../../../../domain/catalog/Membership.ts"
import type { Rule } from "../../../../domain/catalog/Rule.ts"
import { canonical } from "../../../../domain/Json.ts"
import type { CollectionId, ProductId } from "../../../../rpc/Client.ts"
import { count } from "../../../data/format.ts"
import { useRpcQuery } from "../../../data/queries.ts"
import { Badge } from "../../../ui/display/Badge.tsx"
import { QueryBoundary } from "../../../ui/display/QueryBoundary.tsx"
import { useStoreId } from "../../store.ts"
import { productValueText, ruleSentence } from "./ruleLabels.ts"
import css from "./MembershipExplanation.module.css"

interface MembershipExplanationProps {
  readonly id?: CollectionId
  readonly rules: { readonly rules: ReadonlyArray<Rule>; readonly disjunctive: boolean }
  readonly product: { readonly id: ProductId; readonly name: string }
}

/** Explains rule by rule why a product is in a collection. */
export const MembershipExplanation = ({ id, product, rules }: MembershipExplanationProps) => {
  const storeId = useStoreId()
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => void container.current?.scrollIntoView({ block: "nearest" }), [product])
  const query = useRpcQuery(
    [storeId, "products", "why", id ?? "new", product.id, canonical(rules)],
    (client) =>
      client.collections.why({ storeId, ...(id === undefined ? {} : { id }), productId: product.id, ...rules }),
    { keepPrevious: true }
  )
  return (
    <div ref={container} aria-live="polite">
      <QueryBoundary query={query} lines={2}>
        {(membership) => <RuleResults membership={membership} name={product.name} />}
      </QueryBoundary>
    </div>
  )
}

const verdictText = ({ disjunctive, isMember, reasons }: Membership, name: string) => {
  const failing = reasons.filter(({ holds }) => !holds).length
  if (isMember) return `${name} is included: it matches ${disjunctive ? "at least one rule" : "all rules"}.`
  return `${name} is not included: ${disjunctive ? "it matches no rule" : `it does not match ${failing} of ${count(reasons.length, "rule")}`}.`
}

const RuleResults = ({ membership, name }: { readonly membership: Membership; readonly name: string }) => (
  <div className={css["explanation"]}>
    <p className={css["verdict"]}>{verdictText(membership, name)}</p>
    <ul className={css["reasons"]}>
      {membership.reasons.map(({ found, holds, rule }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- Rules have no other name than their place.
        <li key={index} className={css["reason"]}>
          <Badge tone={holds ? "good" : "alert"}>{holds ? "Matches" : "Does not match"}</Badge>
          <span>
            {ruleSentence(rule)}
            <span className={css["found"]}>Current value: {productValueText(rule, found)}</span>
          </span>
        </li>
      ))}
    </ul>
  </div>
)
