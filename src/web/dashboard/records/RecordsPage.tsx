import type { usePagedQuery } from "../../data/usePagedQuery.ts"
import { Card, Page } from "../../ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../ui/display/Table.tsx"
import type { DateSearch } from "./dateSearch.ts"
import { DateFilter } from "./DateFilter.tsx"
import { recordTexts } from "./recordTexts.ts"

/** Texts of a list of records. */
interface ListTexts {
  readonly title: string
  readonly caption: (records: number) => string
  readonly empty: string
  readonly emptyAdvice: string
  /** Title of the filtered list without records. */
  readonly noMatches: string
}

interface RecordsPageProps<One, Cursor> {
  readonly texts: ListTexts
  readonly list: ReturnType<typeof usePagedQuery<One, Cursor, unknown>>
  readonly columns: ReadonlyArray<Column<One>>
  readonly since: DateSearch
  readonly change: (since: DateSearch) => void
}

/** Page of imported records, with a date filter. */
export const RecordsPage = <One extends { readonly id: string }, Cursor>({
  change,
  columns,
  list: { query, items, more },
  since,
  texts
}: RecordsPageProps<One, Cursor>) => (
  <Page title={texts.title} isWide>
    <DateFilter since={since} change={change} />
    <QueryBoundary query={query} lines={12}>
      {() =>
        items !== undefined && items.length > 0 ? (
          <Card>
            <Table caption={texts.caption(items.length)} columns={columns} rows={items} keyOf={({ id }) => id} />
            <More {...more} />
          </Card>
        ) : since.since === undefined ? (
          <EmptyState title={texts.empty}>
            <p>{texts.emptyAdvice}</p>
          </EmptyState>
        ) : (
          <EmptyState title={texts.noMatches}>
            <p>{recordTexts.filter.noMatchesAdvice}</p>
          </EmptyState>
        )
      }
    </QueryBoundary>
  </Page>
)
