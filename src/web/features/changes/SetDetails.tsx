import { Link } from "@tanstack/react-router"
import { Schema } from "effect"
import { useState } from "react"
import type { ChangeSet, OperationResult } from "../../../domain/changeSets/ChangeSet.ts"
import { MAX_DISPLAY_NAMES } from "../../../domain/journal/Activity.ts"
import { CustomerId } from "../../../domain/records/Customer.ts"
import { OrderId } from "../../../domain/records/Order.ts"
import { CollectionId, ProductId } from "../../../rpc/Client.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { usePagedQuery, useRpcQuery } from "../../shared/data/queries.ts"
import { useProductSummary } from "../../shared/data/useProductSummary.ts"
import { QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../shared/ui/display/Table.tsx"
import { SelectField } from "../../shared/ui/form/Field.tsx"
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

/** Names of the collections of results, by id, with one request. */
const useCollectionNames = (results: ReadonlyArray<OperationResult>): ReadonlyMap<string, string> => {
  const storeId = useStoreId()
  const ids = results
    .flatMap(({ id, resource }) => (id !== null && resource === "collection" ? [id] : []))
    .slice(0, MAX_DISPLAY_NAMES)
  const { data = [] } = useRpcQuery(
    [storeId, "names", ids.join()],
    (client) => client.activity.names({ storeId, ids }),
    { enabled: ids.length > 0, keepPrevious: true }
  )
  return new Map(data.map(({ id, name }) => [id, name]))
}

/** Resource of a result, as a link. A row that creates one has none. */
const ResultName = ({
  known,
  names,
  result: { externalId, id, resource }
}: {
  readonly result: OperationResult
  readonly known: KnownNames
  readonly names: ReadonlyMap<string, string>
}) => {
  const storeId = useStoreId()
  if (id === null || resource === null) return externalId ?? texts.noResource
  switch (resource) {
    case "product":
      return <ProductLink id={ProductId.make(id)} known={known} />
    case "collection":
      return (
        <Link
          to="/dashboard/$storeId/collections/$collectionId"
          params={{ storeId, collectionId: CollectionId.make(id) }}
        >
          {names.get(id) ?? texts.collection}
        </Link>
      )
    case "order":
      return (
        <Link to="/dashboard/$storeId/orders/$orderId" params={{ storeId, orderId: OrderId.make(id) }}>
          {externalId ?? texts.order}
        </Link>
      )
    case "customer":
      return (
        <Link to="/dashboard/$storeId/customers/$customerId" params={{ storeId, customerId: CustomerId.make(id) }}>
          {externalId ?? texts.customer}
        </Link>
      )
  }
}

/** Outcomes of rows that are not refused. Refused rows have a list of their own. */
const OUTCOMES = ["created", "updated", "deleted", "unchanged"] as const
const isOutcome = Schema.is(Schema.Literals(OUTCOMES))

const columnsOf = (names: ReadonlyMap<string, string>): ReadonlyArray<Column<OperationResult>> => [
  { name: texts.row, cell: (result) => <ResultName result={result} known={NO_NAMES} names={names} /> },
  { name: texts.outcome, cell: ({ outcome }) => texts.outcomes[outcome] }
]

/** Rows of a change set with their outcomes, as links. */
export const ChangedRows = ({ set: { id, state } }: { readonly set: ChangeSet }) => {
  const storeId = useStoreId()
  const [outcome, setOutcome] = useState<(typeof OUTCOMES)[number]>()
  const {
    items = [],
    more,
    query
  } = usePagedQuery(
    [storeId, "changeSets", id, "rows", state, outcome],
    (cursor: { readonly cursor?: string }) => (client) =>
      client.changeSets.results({ storeId, id, ...(outcome === undefined ? {} : { outcome }), ...cursor }),
    { keepPrevious: true }
  )
  const names = useCollectionNames(items)
  return (
    <>
      <SelectField
        label={texts.outcome}
        value={outcome ?? ""}
        onChange={({ target: { value } }) => setOutcome(isOutcome(value) ? value : undefined)}
      >
        <option value="">{texts.allRows}</option>
        {OUTCOMES.map((one) => (
          <option key={one} value={one}>
            {texts.outcomes[one]}
          </option>
        ))}
      </SelectField>
      <QueryBoundary query={query} lines={6}>
        {() => (
          <Table caption={texts.rows} columns={columnsOf(names)} rows={items} keyOf={({ index }) => String(index)} />
        )}
      </QueryBoundary>
      <More {...more} />
    </>
  )
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
  const names = useCollectionNames(items)
  if (items.length === 0) return undefined
  return (
    <>
      {/* Scrollable, so it takes the focus. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboards scroll the list. */}
      <ul className={css["refused"]} tabIndex={0} aria-label={texts.refused}>
        {items.map((result) => (
          <li key={result.index}>
            <strong>
              <ResultName result={result} known={known} names={names} />
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
