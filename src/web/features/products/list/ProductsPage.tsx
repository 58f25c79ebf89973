import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { canonical } from "../../../../domain/json/Json.ts"
import { MAX_SELECTED_IDS } from "../../../../domain/changeSets/ChangeSet.ts"
import { Button, buttonClass } from "../../../shared/ui/form/Button.tsx"
import { ExportButton } from "../../../shared/ui/form/Export.tsx"
import { CheckField, Fieldset } from "../../../shared/ui/form/Field.tsx"
import { Page, Row as Line } from "../../../shared/ui/layout/Page.tsx"
import { EmptyState, QueryBoundary } from "../../../shared/ui/display/QueryBoundary.tsx"
import { useStore, useStoreId } from "../../../shared/data/store.ts"
import { BulkEditDialog } from "./BulkEditDialog.tsx"
import {
  type ColumnName,
  COLUMNS,
  DEFAULT_SORT,
  filterOf,
  isFiltered,
  columnsOf,
  parseView,
  saveColumns,
  type View,
  withView
} from "./listView.ts"
import css from "../Products.module.css"
import { FilterChips, ProductFilters } from "./ProductFilters.tsx"
import { ProductTable, type Selection, productColumns } from "./ProductTable.tsx"
import { ProductViews, useProductViews } from "./ProductViews.tsx"
import { type BulkTarget, useBulkChange } from "./useBulkChange.ts"
import { Dialog } from "../../../shared/ui/layout/Dialog.tsx"
import { useProducts } from "./useProducts.ts"
import { productListTexts } from "./productListTexts.ts"
import { productTexts } from "../productTexts.ts"

const NO_COLUMNS: ReadonlyArray<string> = []

/** Product list with views, filters and bulk edits. */
export const ProductsPage = () => {
  const storeId = useStoreId()
  const view = useSearch({ from: "/dashboard/member/$storeId/products" })
  const navigate = useNavigate()
  const show = (next: View, replace = false) =>
    void navigate({ to: "/dashboard/$storeId/products", params: { storeId }, search: next, replace })
  const filter = canonical(filterOf(view))

  const store = useStore()
  const { hasNew, listQuery, more, onRowsVisible, reload, rows = [], total } = useProducts(storeId, view)
  const [selection, setSelection] = useState<Selection>(new Map())
  // Filter of which all matches are selected. Another filter ends that selection.
  const [selectedFilter, setSelectedFilter] = useState<string>()
  const isAllSelected = selectedFilter === filter
  const select = (next: Selection) => {
    setSelectedFilter(undefined)
    setSelection(next)
  }
  const saved = useProductViews(storeId, view)
  const { columns: viewColumns = NO_COLUMNS, id: viewId } = saved.active ?? {}
  // Columns that were chosen for a view. Another view has its own.
  const [edited, setEdited] = useState<{ readonly of: typeof viewId; readonly columns: ReadonlyArray<ColumnName> }>()
  const columns = useMemo(
    () => (edited !== undefined && edited.of === viewId ? edited.columns : columnsOf(storeId, viewColumns)),
    [edited, storeId, viewColumns, viewId]
  )
  const [reloads, setReloads] = useState(0)
  const [open, setOpen] = useState<"columns" | "edit">()
  const bulkChange = useBulkChange(storeId, (left) => {
    if (left !== undefined) {
      const known = new Map([...selection, ...rows.map((row) => [row.id, row] as const)])
      select(new Map([...left].map((id) => [id, known.get(id)])))
    }
    setOpen(undefined)
  })

  const isNarrowed = isFiltered(view)
  const storeTotal = store.data?.productCount
  const matches = isNarrowed ? total : (storeTotal ?? total)
  // Ids of a search are collected, and a change set takes so many.
  const isCut = view.search !== undefined && (total ?? Infinity) > MAX_SELECTED_IDS
  const selectable = isCut ? MAX_SELECTED_IDS : (matches ?? undefined)
  const target: BulkTarget = isAllSelected
    ? { count: selectable, rows, all: view }
    : {
        count: selection.size,
        rows: [...selection.values()].flatMap((row) => row ?? []),
        ids: [...selection.keys()]
      }
  const canSelectAll = more.hasMore && !isAllSelected && rows.length > 0 && rows.every(({ id }) => selection.has(id))

  return (
    <Page
      title={productTexts.title}
      isWide
      actions={
        <>
          {target.ids === undefined || selection.size === 0 ? (
            <ExportButton content={{ kind: "products", where: filterOf(view) }} count={matches} />
          ) : (
            <ExportButton content={{ kind: "products", where: { ids: target.ids } }} count={selection.size} />
          )}
          <Link to="/dashboard/$storeId/products/new" params={{ storeId }} className={buttonClass("strong")}>
            {productTexts.create.title}
          </Link>
        </>
      }
    >
      <ProductViews view={view} columns={columns} saved={saved} />
      <ProductFilters view={view} show={show} editColumns={() => setOpen("columns")} />
      <FilterChips view={view} show={show} />
      <div className={css["status"]}>
        <output>
          {matches === undefined
            ? productListTexts.list.loading
            : productListTexts.list.count(matches, isNarrowed ? storeTotal : undefined)}
        </output>
        {hasNew ? (
          <Button
            kind="quiet"
            onClick={() => {
              reload()
              setReloads(reloads + 1)
            }}
          >
            {productListTexts.list.showNew}
          </Button>
        ) : undefined}
        {selection.size === 0 && !isAllSelected ? undefined : (
          <Line>
            <span>{productListTexts.list.selected(target.count)}</span>
            {canSelectAll ? (
              <Button kind="quiet" onClick={() => setSelectedFilter(filter)}>
                {productListTexts.list.selectMatching(selectable, isNarrowed, isCut)}
              </Button>
            ) : undefined}
            <Button onClick={() => setOpen("edit")}>{productListTexts.list.editSelected}</Button>
            <Button kind="quiet" onClick={() => select(new Map())}>
              {productListTexts.list.clearSelection}
            </Button>
          </Line>
        )}
      </div>
      <QueryBoundary query={listQuery} lines={10}>
        {() =>
          rows.length === 0 && !more.hasMore ? (
            <NoProducts isNarrowed={isNarrowed} />
          ) : (
            <ProductTable
              rows={rows}
              rowCount={matches ?? undefined}
              columns={columns}
              listKey={`${reloads} ${canonical(view)}`}
              selection={isAllSelected ? new Map(rows.map((row) => [row.id, row])) : selection}
              setSelection={select}
              // The end of a list that is being replaced needs no next page.
              more={{ ...more, isLoading: listQuery.isFetching }}
              onRowsVisible={onRowsVisible}
              sorting={{
                sort: view.sort ?? DEFAULT_SORT,
                change: (sort) => show(withView(view, parseView({ sort })))
              }}
            />
          )
        }
      </QueryBoundary>
      <ColumnsDialog
        chosen={columns}
        hint={viewId === undefined ? productListTexts.list.columnsHint : productListTexts.list.viewColumnsHint}
        choose={(next) => {
          if (viewId === undefined) saveColumns(storeId, next)
          setEdited({ of: viewId, columns: next })
        }}
        isOpen={open === "columns"}
        close={() => setOpen(undefined)}
      />
      <BulkEditDialog {...bulkChange} target={target} isOpen={open === "edit"} closeForm={() => setOpen(undefined)} />
    </Page>
  )
}

const NoProducts = ({ isNarrowed }: { readonly isNarrowed: boolean }) => {
  const storeId = useStoreId()
  return isNarrowed ? (
    <EmptyState title={productListTexts.list.noMatches}>
      <p>{productListTexts.list.noMatchesAdvice}</p>
    </EmptyState>
  ) : (
    <EmptyState title={productListTexts.list.empty}>
      <p>{productListTexts.list.emptyAdvice}</p>{" "}
      <Link to="/dashboard/$storeId/products/new" params={{ storeId }} className={buttonClass("strong")}>
        {productTexts.create.title}
      </Link>{" "}
    </EmptyState>
  )
}

interface ColumnsDialogProps {
  readonly chosen: ReadonlyArray<ColumnName>
  /** Place where the choice is saved. */
  readonly hint: string
  readonly choose: (columns: ReadonlyArray<ColumnName>) => void
  readonly isOpen: boolean
  readonly close: () => void
}

/** Selects the columns of the product list. */
const ColumnsDialog = ({ choose, chosen, close, hint, isOpen }: ColumnsDialogProps) => (
  <Dialog title={productListTexts.list.editColumns} isOpen={isOpen} close={close}>
    <Fieldset legend={productListTexts.list.columnsToShow} hint={hint}>
      {COLUMNS.map((column) => (
        <CheckField
          key={column}
          label={productColumns[column].name}
          checked={chosen.includes(column)}
          onChange={({ target }) =>
            choose(COLUMNS.filter((one) => (one === column ? target.checked : chosen.includes(one))))
          }
        />
      ))}
    </Fieldset>
  </Dialog>
)
