import { Result } from "effect"
import { useState } from "react"
import type { ProductSummary } from "../../../../domain/catalog/ProductSummary.ts"
import { canonical } from "../../../../domain/json/Json.ts"
import type { CollectionId, ProductId } from "../../../../rpc/Client.ts"
import { useDebouncedValue } from "../../../data/useDebouncedValue.ts"
import { useRpcQuery } from "../../../data/queries.ts"
import { Button } from "../../../ui/form/Button.tsx"
import { Card, MutedText } from "../../../ui/layout/Page.tsx"
import { ProductSearch } from "../../../ui/form/ProductSearch.tsx"
import { QueryBoundary } from "../../../ui/display/QueryBoundary.tsx"
import { useStoreId } from "../../store.ts"
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

/** Products in the preview. */
const PREVIEW_SIZE = 50

/** Live preview of the matching products, and the explanation for a single product. */
export const MatchingProducts = ({ draft, id, saved }: MatchingProductsProps) => {
  const storeId = useStoreId()
  const [explained, setExplained] = useState<Pick<ProductSummary, "id" | "name">>()
  const { disjunctive, rules: debouncedRules } = useDebouncedValue(draft, 250)
  const rules = Result.getOrUndefined(rulesOf({ rules: debouncedRules }))
  const isValid = rules !== undefined && rules.length > 0
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
  const isPending = !isValid || preview.isPlaceholderData || draft.rules !== debouncedRules
  return (
    <>
      <Card
        title={collectionTexts.matches.title}
        actions={
          <output className={css["count"]} aria-busy={isPending}>
            {rules === undefined
              ? collectionTexts.matches.incompleteRules
              : preview.data === undefined
                ? collectionTexts.matches.searching
                : collectionTexts.matches.count(preview.data.productCount)}
          </output>
        }
      >
        {preview.data === undefined && !isValid ? undefined : (
          <QueryBoundary query={preview}>
            {(matches) => (
              <>
                <MatchList {...matches} explain={setExplained} />
                {id === undefined || !isValid || matches.productCount <= PREVIEW_SIZE ? undefined : (
                  <AllMatchesButton id={id} rules={ruleSet} productCount={matches.productCount} />
                )}
              </>
            )}
          </QueryBoundary>
        )}
      </Card>
      <Card title={collectionTexts.matches.check}>
        <ProductSearch label={collectionTexts.matches.find} storeId={storeId} choose={setExplained} />
        {explained === undefined || !isValid ? undefined : (
          <MembershipExplanation
            {...(id === undefined ? {} : { id })}
            rules={ruleSet}
            isSaved={isSaved}
            product={explained}
          />
        )}
      </Card>
    </>
  )
}

interface MatchListProps {
  readonly items: ReadonlyArray<ProductSummary>
  readonly productCount: number
  readonly explain: (product: { readonly id: ProductId; readonly name: string }) => void
}

const MatchList = ({ explain, items, productCount }: MatchListProps) => {
  if (productCount === 0) return <MutedText>{collectionTexts.matches.empty}</MutedText>
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboard users scroll a focused region. */}
      <section className={css["scroller"]} tabIndex={0} aria-label={collectionTexts.matches.title}>
        <ul>
          {items.map((product) => (
            <li key={product.id} className={css["row"]}>
              <ProductLine product={product}>
                <Button
                  kind="quiet"
                  aria-label={collectionTexts.matches.explainProduct(product.name)}
                  onClick={() => explain(product)}
                >
                  {collectionTexts.matches.explain}
                </Button>
              </ProductLine>
            </li>
          ))}
        </ul>
      </section>
      {productCount > items.length ? (
        <MutedText>{collectionTexts.matches.first(items.length, productCount)}</MutedText>
      ) : undefined}
    </>
  )
}
