import type { ReactNode } from "react"
import { count } from "../../data/format.ts"
import type { usePagedQuery } from "../../data/usePagedQuery.ts"
import { Card, Page } from "../../ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../ui/display/Table.tsx"
import type { DateSearch } from "./dateSearch.ts"
import { DateFilter } from "./DateFilter.tsx"

interface RecordsPageProps<One, Cursor> {
  readonly title: string
  /** Singular noun. */
  readonly noun: string
  /** Description of the order. */
  readonly order: string
  readonly list: ReturnType<typeof usePagedQuery<One, Cursor, unknown>>
  readonly columns: ReadonlyArray<Column<One>>
  readonly since: DateSearch
  readonly change: (since: DateSearch) => void
  /** Text of the empty list. */
  readonly emptyText: ReactNode
}

/** Page of imported records, with a date filter. */
export const RecordsPage = <One extends { readonly id: string }, Cursor>({
  change,
  columns,
  list: { query, items, more },
  emptyText,
  noun,
  order,
  since,
  title
}: RecordsPageProps<One, Cursor>) => (
  <Page title={title} isWide>
    <DateFilter since={since} change={change} />
    <QueryBoundary query={query} lines={12}>
      {() =>
        items !== undefined && items.length > 0 ? (
          <Card>
            <Table
              caption={`${count(items.length, noun)}, ${order}`}
              columns={columns}
              rows={items}
              keyOf={({ id }) => id}
            />
            <More {...more} />
          </Card>
        ) : since.since === undefined ? (
          <EmptyState title={`No ${noun}s yet`}>
            <p>{emptyText}</p>
          </EmptyState>
        ) : (
          <EmptyState title={`No ${noun}s created or updated since this date`}>
            <p>Choose an earlier date or show all.</p>
          </EmptyState>
        )
      }
    </QueryBoundary>
  </Page>
)
