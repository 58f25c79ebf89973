import { ago, type Dates, useDates } from "../../shared/data/format.ts"
import { useLocation, useNavigate } from "@tanstack/react-router"
import { Effect } from "effect"
import type { FieldsEntry } from "../../../domain/journal/Activity.ts"
import type { JsonObject } from "../../../domain/json/Json.ts"
import type { Client, ProductId, StoreId } from "../../../rpc/Client.ts"
import { differencesOf, fieldName } from "../../shared/data/differences.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { EmptyState, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../shared/ui/display/Table.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Card } from "../../shared/ui/layout/Page.tsx"
import { Tabs } from "../../shared/ui/layout/Tabs.tsx"
import css from "./Activity.module.css"
import { activityTexts } from "./activityTexts.ts"
import { actorNameOf, shortText, surfaceLabels } from "./entries.ts"
import { Timeline } from "./Timeline.tsx"
import { useEntries } from "./activityQueries.ts"

/** Fragment of the URL with which the history is open, and id of its section. */
const HISTORY = "history"

interface ProductHistoryProps {
  readonly id: ProductId
}

const NoChanges = () => (
  <EmptyState title={activityTexts.history.empty}>
    <p>{activityTexts.history.emptyAdvice}</p>
  </EmptyState>
)

const Changes = ({ id }: ProductHistoryProps) => {
  const { query, items = [], more } = useEntries({ resource: "product", resourceId: id })
  return (
    <QueryBoundary query={query} lines={4}>
      {() =>
        items.length === 0 && !more.hasMore ? (
          <NoChanges />
        ) : (
          <>
            <Timeline entries={items} />
            <More {...more} />
          </>
        )
      }
    </QueryBoundary>
  )
}

/** Field of a product, with the entry that last set it. */
interface FieldRow {
  readonly field: string
  readonly value: string
  readonly actorName: string
  readonly entry: FieldsEntry
}

/** Loads the fields with a value, the last set first. */
const listFields = Effect.fnUntraced(function* (client: Client, storeId: StoreId, id: ProductId, dates: Dates) {
  const [product, { items }] = yield* Effect.all(
    [client.products.get({ storeId, id }), client.activity.fields({ storeId, resource: "product", resourceId: id })],
    { concurrency: "unbounded" }
  )
  const ids = [...new Set(items.map(({ actor }) => actor.id))]
  const names = new Map((yield* client.activity.names({ storeId, ids })).map(({ id, name }) => [id, name]))
  const values: JsonObject = { ...product }
  return items.flatMap((entry) =>
    entry.fields.flatMap((field): ReadonlyArray<FieldRow> => {
      const value = differencesOf(null, { [field]: values[field] }, { currency: product.currencyCode, dates })
        .map(({ after }) => after)
        .join(", ")
      return value === "" ? [] : [{ field, value: shortText(value), actorName: actorNameOf(entry, names), entry }]
    })
  )
})

const COLUMNS: ReadonlyArray<Column<FieldRow>> = [
  { name: activityTexts.history.field, cell: ({ field }) => fieldName(field) },
  {
    name: activityTexts.history.setBy,
    cell: ({ actorName, entry: { at, reason, surface } }) => (
      <>
        <strong>{actorName}</strong>
        <p className={css["at"]}>{activityTexts.history.fieldSource(ago(at), surfaceLabels[surface], reason)}</p>
      </>
    )
  },
  { name: activityTexts.history.value, cell: ({ value }) => value }
]

const Fields = ({ id }: ProductHistoryProps) => {
  const storeId = useStoreId()
  const dates = useDates()
  const query = useRpcQuery([storeId, "product", id, "fields"], (client) => listFields(client, storeId, id, dates))
  return (
    <QueryBoundary query={query} lines={8}>
      {(rows) =>
        rows.length === 0 ? (
          <NoChanges />
        ) : (
          <Table
            caption={activityTexts.history.fieldsCaption}
            columns={COLUMNS}
            rows={rows}
            keyOf={({ field }) => field}
          />
        )
      }
    </QueryBoundary>
  )
}

/** Changes of a product with undo, and the author of each field. Loads when it is opened. */
export const ProductHistory = ({ id }: ProductHistoryProps) => {
  const navigate = useNavigate()
  const isOpen = useLocation({ select: ({ hash }) => hash === HISTORY })
  const toggle = () =>
    void navigate({
      to: ".",
      search: true,
      hash: isOpen ? "" : HISTORY,
      replace: true,
      resetScroll: false,
      // Unsaved input of the form stays.
      ignoreBlocker: true
    })
  return (
    <div id={HISTORY} className={css["history"]}>
      <Card
        title={activityTexts.history.title}
        actions={
          <Button aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? activityTexts.history.hide : activityTexts.history.show}
          </Button>
        }
      >
        {isOpen ? (
          <Tabs
            label={activityTexts.history.title}
            tabs={[
              { name: activityTexts.history.changes, panel: <Changes id={id} /> },
              { name: activityTexts.history.fields, panel: <Fields id={id} /> }
            ]}
          />
        ) : undefined}
      </Card>
    </div>
  )
}
