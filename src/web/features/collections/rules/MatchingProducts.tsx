import { Result } from "effect"
import { type ReactNode, useState } from "react"
import type { ProductSummary } from "../../../../domain/catalog/ProductSummary.ts"
import { canonical } from "../../../../domain/json/Json.ts"
import type { CollectionId, ProductId } from "../../../../rpc/Client.ts"
import { useDebouncedValue } from "../../../shared/data/useDebouncedValue.ts"
import { useRpcQuery } from "../../../shared/data/queries.ts"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { Card, MutedText } from "../../../shared/ui/layout/Page.tsx"
import { ProductSearch } from "../../../shared/ui/form/ProductSearch.tsx"
import { QueryBoundary } from "../../../shared/ui/display/QueryBoundary.tsx"
import { useStoreId } from "../../../shared/data/store.ts"
import { AllMatchesButton } from "./AllMatchesButton.tsx"
import { type Draft, rulesOf } from "../collectionDraft.ts"
import css from "./MatchingProducts.module.css"
import { ProductLine } from "../ProductRow.tsx"
import { MembershipExplanation } from "./MembershipExplanation.tsx"
import { collectionTexts } from "../collectionTexts.ts"

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
        <ProductSearch
          label={collectionTexts.matches.find}
          storeId={storeId}
          choose={(product) => explain(product, false)}
        />
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
      <section className={css["scroller"]} tabIndex={0} aria-label={collectionTexts.matches.title}>
        <ul>
          {items.map((product) => {
            const isExplained = product.id === explained
            return (
              <li key={product.id} className={css["row"]}>
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
