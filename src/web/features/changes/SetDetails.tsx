import { Link } from "@tanstack/react-router"
import type { ChangeSet, OperationResult } from "../../../domain/changeSets/ChangeSet.ts"
import { CollectionId, ProductId } from "../../../rpc/Client.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { usePagedQuery } from "../../shared/data/queries.ts"
import { useProductSummary } from "../../shared/data/useProductSummary.ts"
import { More } from "../../shared/ui/display/Table.tsx"
import { MutedText } from "../../shared/ui/layout/Page.tsx"
import css from "./Changes.module.css"
import { consequencesOf } from "./changeSummary.ts"
import { changeTexts } from "./changeTexts.ts"

const texts = changeTexts.page

/** Names of products that were loaded before the set ran. */
type KnownNames = ReadonlyArray<{ readonly id: ProductId; readonly name: string }>

const NO_NAMES: KnownNames = []

const ProductLink = ({ id, known }: { readonly id: ProductId; readonly known: KnownNames }) => {
  const storeId = useStoreId()
  const { data } = useProductSummary(storeId, id)
  if (data === null) return known.find((product) => product.id === id)?.name ?? texts.deletedProduct
  return (
    <Link to="/dashboard/$storeId/products/$productId" params={{ storeId, productId: id }}>
      {data?.name ?? id}
    </Link>
  )
}

/** Resource of a result, as a link. A row that creates one has none. */
const ResultName = ({
  known,
  result: { externalId, id, resource }
}: {
  readonly result: OperationResult
  readonly known: KnownNames
}) => {
  const storeId = useStoreId()
  if (id !== null && resource === "product") return <ProductLink id={ProductId.make(id)} known={known} />
  if (id !== null && resource === "collection") {
    return (
      <Link
        to="/dashboard/$storeId/collections/$collectionId"
        params={{ storeId, collectionId: CollectionId.make(id) }}
      >
        {texts.collection}
      </Link>
    )
  }
  return externalId ?? undefined
}

/** Refused rows of a change set, with the reasons. */
export const RefusedRows = ({
  known = NO_NAMES,
  set: { counts, id, state }
}: {
  readonly set: ChangeSet
  readonly known?: KnownNames
}) => {
  const storeId = useStoreId()
  const { items = [], more } = usePagedQuery(
    [storeId, "changeSets", id, "refused", state],
    (cursor: { readonly cursor?: string }) => (client) =>
      client.changeSets.results({ storeId, id, outcome: "refused", ...cursor }),
    { enabled: counts.refused > 0 }
  )
  if (items.length === 0) return undefined
  return (
    <>
      {/* Scrollable, so it takes the focus. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboards scroll the list. */}
      <ul className={css["refused"]} tabIndex={0} aria-label={texts.refused}>
        {items.map((result) => (
          <li key={result.index}>
            <strong>
              <ResultName result={result} known={known} />
            </strong>
            <p>{[result.error, ...(result.issues ?? [])].join(" ")}</p>
          </li>
        ))}
      </ul>
      <More {...more} />
    </>
  )
}

/** Consequences of a preview: prices, collections and apps. */
export const Consequences = ({
  price,
  set
}: {
  readonly set: ChangeSet
  readonly price?: (amount: number) => string
}) => (
  <div className={css["sentences"]}>
    {consequencesOf(set, price).map((sentence) => (
      <MutedText key={sentence}>{sentence}</MutedText>
    ))}
  </div>
)
