import { Link } from "@tanstack/react-router"
import { Result } from "effect"
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react"
import type { Membership } from "../../../domain/catalog/Membership.ts"
import type { ProductSummary } from "../../../domain/catalog/ProductSummary.ts"
import type { Rule } from "../../../domain/catalog/Rule.ts"
import { canonical } from "../../../domain/json/Json.ts"
import type { CollectionId, ProductId } from "../../../rpc/Client.ts"
import { useDates } from "../../shared/data/format.ts"
import { newIdempotencyKey, useRpcQuery, useDebouncedValue } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { Badge } from "../../shared/ui/display/Values.tsx"
import { Loading, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { Card, MutedText } from "../../shared/ui/layout/Page.tsx"
import css from "./Collections.module.css"
import { ProductLine, VirtualProductList } from "./ProductList.tsx"
import { type Draft, rulesOf } from "./collectionDraft.ts"
import { collectionTexts } from "./collectionTexts.ts"
import { productValueText, ruleSentence } from "./ruleDraft.ts"

// A combobox has 38 KiB. The rules and their products do not wait for it.
const ProductSearch = lazy(() =>
  import("../../shared/ui/form/ProductSearch.tsx").then((loaded) => ({ default: loaded.ProductSearch }))
)

interface MembershipExplanationProps {
  readonly id?: CollectionId
  readonly rules: { readonly rules: ReadonlyArray<Rule>; readonly disjunctive: boolean }
  /** True if the collection has these rules, so that it is known since when the product is in it. */
  readonly isSaved: boolean
  readonly product: { readonly id: ProductId; readonly name: string }
}

/** Explains rule by rule why a product is in a collection. */
const MembershipExplanation = ({ id, isSaved, product, rules }: MembershipExplanationProps) => {
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

interface AllMatchesProps {
  readonly id: CollectionId
  readonly rules: { readonly rules: ReadonlyArray<Rule>; readonly disjunctive: boolean }
  readonly productCount: number
}

/** Opens the list of all matching products. The preview shows only the first. */
const AllMatchesButton = ({ id, productCount, rules }: AllMatchesProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{collectionTexts.matches.showAll(productCount)}</Button>
      <Dialog title={collectionTexts.matches.all} isOpen={isOpen} close={() => setOpen(false)} isWide>
        <AllMatchesList id={id} rules={rules} />
      </Dialog>
    </>
  )
}

const AllMatchesList = ({ id, rules }: Pick<AllMatchesProps, "id" | "rules">) => {
  const storeId = useStoreId()
  const patch = { type: "automated", ...rules } as const
  const query = useRpcQuery([storeId, "products", "matches", id, canonical(rules)], (client) =>
    client.collections.update({ storeId, id, patch, idempotencyKey: newIdempotencyKey(), dryRun: true })
  )
  return (
    <QueryBoundary query={query}>
      {(result) =>
        "dryRun" in result ? (
          <VirtualProductList ids={result.resource.productIds} label={collectionTexts.matches.all} />
        ) : undefined
      }
    </QueryBoundary>
  )
}

interface MatchingProductsProps {
  /** Id of the collection. A new collection has none. */
  readonly id?: CollectionId
  readonly draft: Pick<Draft, "disjunctive" | "rules">
  /** Rules of the saved collection. */
  readonly saved?: Pick<Draft, "disjunctive" | "rules">
}

/** Product whose membership is explained, in its row or below the search. */
interface Explained {
  readonly product: Pick<ProductSummary, "id" | "name">
  readonly isInList: boolean
}

/** Products in the preview. */
const PREVIEW_SIZE = 50

/** Live preview of the matching products, and the explanation for a single product. */
export const MatchingProducts = ({ draft, id, saved }: MatchingProductsProps) => {
  const storeId = useStoreId()
  const [explained, setExplained] = useState<Explained>()
  const { disjunctive, rules: debouncedRules } = useDebouncedValue(draft, 250)
  const rules = Result.getOrUndefined(rulesOf({ rules: debouncedRules }))
  // Rules that became invalid have no matches, so the former ones disappear at once.
  const isValid = rules !== undefined && rules.length > 0 && Result.isSuccess(rulesOf(draft))
  const ruleSet = { rules: rules ?? [], disjunctive }
  const savedRules = saved === undefined ? undefined : Result.getOrUndefined(rulesOf(saved))
  const isSaved =
    savedRules !== undefined && canonical({ rules: savedRules, disjunctive: saved?.disjunctive }) === canonical(ruleSet)
  const preview = useRpcQuery(
    // The key starts with "products", so that product changes refetch the preview.
    [storeId, "products", "preview", canonical(ruleSet)],
    (client) => client.collections.preview({ storeId, ...ruleSet, limit: PREVIEW_SIZE }),
    { enabled: isValid, keepPrevious: true }
  )
  if (debouncedRules.length === 0) {
    return (
      <Card title={collectionTexts.matches.title}>
        <MutedText>{collectionTexts.matches.noRules}</MutedText>
      </Card>
    )
  }
  const isPending = preview.isPlaceholderData || draft.rules !== debouncedRules
  const explain = (product: Explained["product"], isInList: boolean) => setExplained({ product, isInList })
  const explanation =
    explained === undefined || !isValid ? undefined : (
      <MembershipExplanation
        key={explained.product.id}
        {...(id === undefined ? {} : { id })}
        rules={ruleSet}
        isSaved={isSaved}
        product={explained.product}
      />
    )
  return (
    <>
      <Card
        title={collectionTexts.matches.title}
        actions={
          <output className={css["count"]} aria-busy={isPending}>
            {!isValid
              ? collectionTexts.matches.incompleteRules
              : preview.data === undefined
                ? collectionTexts.matches.searching
                : collectionTexts.matches.count(preview.data.productCount)}
          </output>
        }
      >
        {isValid ? (
          <QueryBoundary query={preview}>
            {(matches) => (
              <>
                <MatchList
                  {...matches}
                  explained={explained?.isInList === true ? explained.product.id : undefined}
                  explanation={explanation}
                  toggle={(product, isExplained) => (isExplained ? setExplained(undefined) : explain(product, true))}
                />
                {id === undefined || matches.productCount <= PREVIEW_SIZE ? undefined : (
                  <AllMatchesButton id={id} rules={ruleSet} productCount={matches.productCount} />
                )}
              </>
            )}
          </QueryBoundary>
        ) : undefined}
      </Card>
      <Card title={collectionTexts.matches.check}>
        <Suspense fallback={<Loading lines={1} />}>
          <ProductSearch
            label={collectionTexts.matches.find}
            storeId={storeId}
            choose={(product) => explain(product, false)}
          />
        </Suspense>
        {explained?.isInList === true ? undefined : explanation}
      </Card>
    </>
  )
}

interface MatchListProps {
  readonly items: ReadonlyArray<ProductSummary>
  readonly productCount: number
  /** Product whose row shows the explanation. */
  readonly explained: ProductId | undefined
  readonly explanation: ReactNode
  readonly toggle: (product: Explained["product"], isExplained: boolean) => void
}

const MatchList = ({ explained, explanation, items, productCount, toggle }: MatchListProps) => {
  if (productCount === 0) return <MutedText>{collectionTexts.matches.empty}</MutedText>
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboard users scroll a focused region. */}
      <section className={css["matches"]} tabIndex={0} aria-label={collectionTexts.matches.title}>
        <ul>
          {items.map((product) => {
            const isExplained = product.id === explained
            return (
              <li key={product.id} className={css["match"]}>
                <ProductLine product={product}>
                  <Button
                    kind="quiet"
                    aria-label={collectionTexts.matches.explainProduct(product.name)}
                    aria-expanded={isExplained}
                    onClick={() => toggle(product, isExplained)}
                  >
                    {collectionTexts.matches.explain}
                  </Button>
                </ProductLine>
                {isExplained ? explanation : undefined}
              </li>
            )
          })}
        </ul>
      </section>
      {productCount > items.length ? (
        <MutedText>{collectionTexts.matches.first(items.length, productCount)}</MutedText>
      ) : undefined}
    </>
  )
}
