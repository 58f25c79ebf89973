import type { ReactNode } from "react"
import type { QueryCursor } from "../../../../domain/Query.ts"
import type { StoreId } from "../../../../rpc/Client.ts"
import { useRpcQuery, type ListPage as Rows, usePagedQuery } from "../../data/queries.ts"
import type { Call } from "../../data/service.ts"
import { Button } from "../form/Button.tsx"
import { ExportButton, type ExportedRows } from "../form/Export.tsx"
import { SearchField } from "../form/Field.tsx"
import { Card, Page } from "../layout/Page.tsx"
import { uiTexts } from "../../sharedTexts.ts"
import { EmptyState, QueryBoundary } from "./QueryBoundary.tsx"
import { type Column, More, type Sorting, Table } from "./Table.tsx"
import css from "./Display.module.css"

/** Texts of a list. */
interface ListTexts {
  readonly title: string
  /** Number of matches, and of all rows if a filter is set. */
  readonly count: (matches: number | null, all?: number | null) => string
  readonly empty: string
  readonly emptyAdvice: string
  /** Title of the filtered list without rows. */
  readonly noMatches: string
}

interface ListPageProps<One, Cursor> {
  readonly texts: ListTexts
  readonly list: ReturnType<typeof usePagedQuery<One, Cursor, unknown>>
  readonly columns: ReadonlyArray<Column<One>>
  readonly sorting: Sorting
  /** Buttons of the page, which an empty list also shows. */
  readonly actions?: ReactNode
  /** Rows that the list shows, for their export. */
  readonly content: ExportedRows["content"]
  /** Inputs of the filters. */
  readonly filters: ReactNode
  /** Number of rows without a filter. Undefined until it is known. */
  readonly all: number | null | undefined
  /** Removes the filters. Undefined if none is set. */
  readonly clear: (() => void) | undefined
}

/** Page of a list with filters, the number of matches and a sorted table. */
export const ListPage = <One extends { readonly id: string }, Cursor>({
  actions,
  all,
  clear,
  columns,
  content,
  filters,
  list: { items, more, query, total },
  sorting,
  texts
}: ListPageProps<One, Cursor>) => (
  <Page
    title={texts.title}
    isWide
    actions={
      <>
        <ExportButton content={content} count={query.isPlaceholderData ? undefined : total} />
        {actions}
      </>
    }
  >
    <search className={css["listFilter"]}>
      {filters}
      {clear === undefined ? undefined : (
        <Button kind="quiet" onClick={clear}>
          {uiTexts.list.clear}
        </Button>
      )}
    </search>
    <output className={css["count"]}>
      {total === undefined || query.isPlaceholderData
        ? uiTexts.list.loading
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
            {actions}
          </EmptyState>
        ) : (
          <EmptyState title={texts.noMatches}>
            <p>{uiTexts.list.noMatchesAdvice}</p>
          </EmptyState>
        )
      }
    </QueryBoundary>
  </Page>
)

/** Search and sort order of a list. */
interface ListSearch {
  readonly search?: string
  readonly sort?: string
}

interface SearchedListPageProps<One> extends Pick<ListPageProps<One, QueryCursor>, "actions" | "columns" | "content"> {
  readonly texts: ListTexts & { readonly search: string; readonly searchPlaceholder: string }
  readonly storeId: StoreId
  /** First part of the query keys after the store. */
  readonly name: string
  readonly search: ListSearch
  readonly change: (part: { readonly [K in keyof ListSearch]: string | undefined }, replace?: boolean) => void
  readonly read: (page: {
    readonly limit: number
    readonly cursor?: QueryCursor
  }) => Call<Rows<One, QueryCursor>, unknown>
  /** Reads one row without the search, for the number of all rows. */
  readonly readAll: Call<Rows<One, QueryCursor>, unknown>
}

const NEWEST_FIRST = "-createdAt"

/** Page of a list with a search and a sort order in the URL, newest first. */
export const SearchedListPage = <One extends { readonly id: string }>({
  change,
  name,
  read,
  readAll,
  search,
  storeId,
  texts,
  ...page
}: SearchedListPageProps<One>) => {
  const isFiltered = search.search !== undefined
  const list = usePagedQuery(
    [storeId, name, search],
    (from: { readonly cursor?: QueryCursor }) => read({ limit: 50, ...from }),
    { keepPrevious: true }
  )
  const all = useRpcQuery([storeId, name, "count"], readAll, { enabled: isFiltered })
  return (
    <ListPage
      {...page}
      texts={texts}
      list={list}
      sorting={{
        sort: search.sort ?? NEWEST_FIRST,
        change: (sort) => change({ sort: sort === NEWEST_FIRST ? undefined : sort })
      }}
      all={all.data?.total}
      clear={isFiltered ? () => change({ search: undefined }) : undefined}
      filters={
        <SearchField
          label={texts.search}
          placeholder={texts.searchPlaceholder}
          value={search.search ?? ""}
          change={(text) => change({ search: text }, isFiltered)}
        />
      }
    />
  )
}
