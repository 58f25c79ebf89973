import { useDates } from "../../../shared/data/dates.ts"
import { Link } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import type { Membership } from "../../../../domain/catalog/Membership.ts"
import type { Rule } from "../../../../domain/catalog/Rule.ts"
import { canonical } from "../../../../domain/json/Json.ts"
import type { CollectionId, ProductId } from "../../../../rpc/Client.ts"
import { useRpcQuery } from "../../../shared/data/queries.ts"
import { Badge } from "../../../shared/ui/display/Badge.tsx"
import { QueryBoundary } from "../../../shared/ui/display/QueryBoundary.tsx"
import { useStoreId } from "../../../shared/data/store.ts"
import { productValueText, ruleSentence } from "./ruleSentence.ts"
import css from "./MembershipExplanation.module.css"
import { collectionTexts } from "../collectionTexts.ts"

interface MembershipExplanationProps {
  readonly id?: CollectionId
  readonly rules: { readonly rules: ReadonlyArray<Rule>; readonly disjunctive: boolean }
  /** True if the collection has these rules, so that it is known since when the product is in it. */
  readonly isSaved: boolean
  readonly product: { readonly id: ProductId; readonly name: string }
}

/** Explains rule by rule why a product is in a collection. */
export const MembershipExplanation = ({ id, isSaved, product, rules }: MembershipExplanationProps) => {
  const storeId = useStoreId()
  const container = useRef<HTMLElement>(null)
  const query = useRpcQuery(
    [storeId, "products", "why", id ?? "new", product.id, isSaved, canonical(rules)],
    (client) =>
      client.collections.why({
        storeId,
        ...(id === undefined ? {} : { id }),
        productId: product.id,
        ...(isSaved ? {} : rules)
      }),
    { keepPrevious: true }
  )
  const isAnswered = query.data !== undefined
  useEffect(() => {
    if (isAnswered) container.current?.focus()
  }, [isAnswered])
  return (
    <section
      ref={container}
      tabIndex={-1}
      aria-label={collectionTexts.explanation.label(product.name)}
      className={css["answer"]}
    >
      <QueryBoundary query={query} lines={2}>
        {(membership) => <RuleResults membership={membership} name={product.name} />}
      </QueryBoundary>
    </section>
  )
}

const verdictText = ({ disjunctive, isMember, reasons }: Membership, name: string) => {
  const { excludedByAll, excludedByAny, includedByAll, includedByAny } = collectionTexts.explanation
  if (isMember) return disjunctive ? includedByAny(name) : includedByAll(name)
  return disjunctive
    ? excludedByAny(name)
    : excludedByAll(name, reasons.filter(({ holds }) => !holds).length, reasons.length)
}

/** The change with which the product entered the collection. */
const Since = ({ collectionId, productId, since }: Membership) => {
  const storeId = useStoreId()
  const { time } = useDates()
  if (since === null) return undefined
  const { changes, since: sinceText } = collectionTexts.explanation
  const resourceId = since.changed === "product" ? productId : (collectionId ?? productId)
  return (
    <p>
      {sinceText[since.changed](time(since.at))}{" "}
      <Link to="/dashboard/$storeId/activity" params={{ storeId }} search={{ resource: since.changed, resourceId }}>
        {changes[since.changed]}
      </Link>
    </p>
  )
}

const RuleResults = ({ membership, name }: { readonly membership: Membership; readonly name: string }) => {
  const dates = useDates()
  return (
    <div className={css["explanation"]}>
      <p className={css["verdict"]}>{verdictText(membership, name)}</p>
      <Since {...membership} />
      <ul className={css["reasons"]}>
        {membership.reasons.map(({ found, holds, rule }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- Rules have no id.
          <li key={index} className={css["reason"]}>
            <Badge tone={holds ? "good" : "alert"}>
              {holds ? collectionTexts.explanation.matches : collectionTexts.explanation.noMatch}
            </Badge>
            <span>
              {ruleSentence(rule, dates)}
              <span className={css["found"]}>
                {collectionTexts.explanation.currentValue(productValueText(rule, found, dates))}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
