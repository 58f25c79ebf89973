import type { ReactNode } from "react"
import type { usePagedQuery } from "../../shared/data/usePagedQuery.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Card, Page } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import type { Sorting } from "../../shared/ui/display/HeaderCell.tsx"
import { type Column, More, Table } from "../../shared/ui/display/Table.tsx"
import css from "./Records.module.css"
import { recordTexts } from "./recordTexts.ts"

/** Texts of a list of records. */
interface ListTexts {
  readonly title: string
  /** Number of matches, and of all records if a filter is set. */
  readonly count: (matches: number | null, all?: number | null) => string
  readonly empty: string
  readonly emptyAdvice: string
  /** Title of the filtered list without records. */
  readonly noMatches: string
}

interface RecordsPageProps<One, Cursor> {
  readonly texts: ListTexts
  readonly list: ReturnType<typeof usePagedQuery<One, Cursor, unknown>>
  readonly columns: ReadonlyArray<Column<One>>
  readonly sorting: Sorting
  /** Inputs of the filters. */
  readonly filters: ReactNode
  /** Number of records without a filter. Undefined until it is known. */
  readonly all: number | null | undefined
  /** Removes the filters. Undefined if none is set. */
  readonly clear: (() => void) | undefined
}

/** Page of imported records with filters, their count and a sorted table. */
export const RecordsPage = <One extends { readonly id: string }, Cursor>({
  all,
  clear,
  columns,
  filters,
  list: { items, more, query, total },
  sorting,
  texts
}: RecordsPageProps<One, Cursor>) => (
  <Page title={texts.title} isWide>
    <search className={css["filter"]}>
      {filters}
      {clear === undefined ? undefined : (
        <Button kind="quiet" onClick={clear}>
          {recordTexts.filter.clear}
        </Button>
      )}
    </search>
    <output className={css["count"]}>
      {total === undefined || query.isPlaceholderData
        ? recordTexts.filter.loading
        : texts.count(total, clear === undefined ? undefined : all)}
    </output>
    <QueryBoundary query={query} lines={12}>
      {() =>
        items !== undefined && items.length > 0 ? (
          <Card>
            <Table caption={texts.title} columns={columns} rows={items} keyOf={({ id }) => id} sorting={sorting} />
            <More {...more} />
          </Card>
        ) : clear === undefined ? (
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
