import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useMemo, useState } from "react"
import { useDebouncedValue } from "../../../data/useDebouncedValue.ts"
import { Button, buttonClass } from "../../../ui/form/Button.tsx"
import { CheckField, Fieldset, SelectField, TextField } from "../../../ui/form/Field.tsx"
import { Page, Row as Line } from "../../../ui/layout/Page.tsx"
import { EmptyState, QueryBoundary } from "../../../ui/display/QueryBoundary.tsx"
import { useStore, useStoreId } from "../../store.ts"
import { BulkEditDialog } from "./BulkEditDialog.tsx"
import {
  type ColumnName,
  COLUMNS,
  isFiltered,
  loadColumns,
  LOW_STOCK,
  matches,
  type Row,
  saveColumns,
  STATUSES,
  STOCKS,
  type View
} from "./listView.ts"
import css from "./Products.module.css"
import { ProductTable } from "./ProductTable.tsx"
import { useBulkChange } from "./useBulkChange.ts"
import { Dialog } from "../../../ui/layout/Dialog.tsx"
import { productColumns } from "./productColumns.tsx"
import { useProductList } from "./useProducts.ts"
import { productTexts } from "../productTexts.ts"

const STATUS_NAMES = {
  any: productTexts.list.statuses.any,
  active: productTexts.list.statuses.active,
  inactive: productTexts.list.statuses.inactive
}
const STOCK_NAMES = {
  any: productTexts.list.stocks.any,
  out: productTexts.list.stocks.none,
  low: productTexts.list.stocks.low(LOW_STOCK),
  in: productTexts.list.stocks.some
}

/** Product list with search, filters and bulk edits. */
export const ProductsPage = () => {
  const storeId = useStoreId()
  const view = useSearch({ from: "/dashboard/member/$storeId/products" })
  const navigate = useNavigate()
  const show = (next: View) =>
    void navigate({ to: "/dashboard/$storeId/products", params: { storeId }, search: next, replace: true })
  const [searchText, setSearchText] = useState(view.q ?? "")
  const query = useDebouncedValue(searchText).trim()
  useEffect(() => {
    if (query !== (view.q ?? "")) show({ ...view, q: query })
  })

  const store = useStore()
  const { listQuery, created, loadCreated, more, rows: loaded, onRowsVisible } = useProductList(storeId, query)
  const rows = useMemo(() => loaded?.filter(matches(view)) ?? [], [loaded, view])
  const [selection, setSelection] = useState<ReadonlyMap<Row["id"], Row>>(new Map())
  const [columns, setColumns] = useState(() => loadColumns(storeId))
  const [open, setOpen] = useState<"columns" | "edit">()
  const bulkChange = useBulkChange(storeId, (left) => {
    setSelection((before) => new Map([...before].filter(([id]) => left.has(id))))
    setOpen(undefined)
  })

  return (
    <Page
      title={productTexts.list.title}
      isWide
      actions={
        <Link to="/dashboard/$storeId/products/new" params={{ storeId }} className={buttonClass("strong")}>
          {productTexts.create.title}
        </Link>
      }
    >
      <search className={css["tools"]}>
        <TextField
          label={productTexts.list.search}
          type="search"
          placeholder={productTexts.list.searchPlaceholder}
          maxLength={255}
          value={searchText}
          onChange={({ target }) => setSearchText(target.value)}
        />
        <SelectField
          label={productTexts.list.status}
          value={view.status ?? "any"}
          onChange={({ target }) => show({ ...view, status: STATUSES.find((one) => one === target.value) ?? "any" })}
        >
          {STATUSES.map((one) => (
            <option key={one} value={one}>
              {STATUS_NAMES[one]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={productTexts.list.stock}
          value={view.stock ?? "any"}
          onChange={({ target }) => show({ ...view, stock: STOCKS.find((one) => one === target.value) ?? "any" })}
        >
          {STOCKS.map((one) => (
            <option key={one} value={one}>
              {STOCK_NAMES[one]}
            </option>
          ))}
        </SelectField>
        <Button onClick={() => setOpen("columns")}>{productTexts.list.editColumns}</Button>
      </search>
      <div className={css["status"]}>
        <output>
          {loaded === undefined
            ? productTexts.list.loading
            : summaryText(view, query, rows.length, loaded.length, more.hasMore, store.data?.productCount)}
        </output>
        {created === 0 ? undefined : (
          <Button kind="quiet" onClick={loadCreated}>
            {productTexts.list.showNew(created)}
          </Button>
        )}
        {selection.size === 0 ? undefined : (
          <Line>
            <span>{productTexts.list.selected(selection.size)}</span>
            <Button onClick={() => setOpen("edit")}>{productTexts.list.editSelected}</Button>
            <Button kind="quiet" onClick={() => setSelection(new Map())}>
              {productTexts.list.clearSelection}
            </Button>
          </Line>
        )}
      </div>
      <QueryBoundary query={listQuery} lines={10}>
        {() =>
          rows.length === 0 && !more.hasMore ? (
            <NoProducts isNarrowed={query !== "" || isFiltered(view)} />
          ) : (
            <ProductTable
              rows={rows}
              rowCount={query === "" && !isFiltered(view) ? store.data?.productCount : undefined}
              columns={columns}
              isSearch={query !== ""}
              selection={selection}
              setSelection={setSelection}
              more={more}
              onRowsVisible={onRowsVisible}
            />
          )
        }
      </QueryBoundary>
      <ColumnsDialog
        chosen={columns}
        choose={(next) => {
          saveColumns(storeId, next)
          setColumns(next)
        }}
        isOpen={open === "columns"}
        close={() => setOpen(undefined)}
      />
      <BulkEditDialog
        {...bulkChange}
        rows={[...selection.values()]}
        isOpen={open === "edit"}
        closeForm={() => setOpen(undefined)}
      />
    </Page>
  )
}

/** Summary of the list. Filters apply only to loaded products. */
const summaryText = (
  view: View,
  query: string,
  shown: number,
  loaded: number,
  hasMore: boolean,
  all: number | undefined
) => {
  const isSearch = query !== ""
  if (isFiltered(view)) return productTexts.list.filtered(shown, loaded, isSearch, hasMore)
  if (isSearch) return productTexts.list.found(loaded, hasMore)
  return hasMore ? productTexts.list.loaded(loaded, all ?? loaded) : productTexts.list.all(loaded)
}

const NoProducts = ({ isNarrowed }: { readonly isNarrowed: boolean }) => {
  const storeId = useStoreId()
  return isNarrowed ? (
    <EmptyState title={productTexts.list.noMatches}>
      <p>{productTexts.list.noMatchesAdvice}</p>
    </EmptyState>
  ) : (
    <EmptyState title={productTexts.list.empty}>
      <p>{productTexts.list.emptyAdvice}</p>{" "}
      <Link to="/dashboard/$storeId/products/new" params={{ storeId }} className={buttonClass("strong")}>
        {productTexts.create.title}
      </Link>{" "}
    </EmptyState>
  )
}

interface ColumnsDialogProps {
  readonly chosen: ReadonlyArray<ColumnName>
  readonly choose: (columns: ReadonlyArray<ColumnName>) => void
  readonly isOpen: boolean
  readonly close: () => void
}

/** Selects the columns of the product list. */
const ColumnsDialog = ({ choose, chosen, close, isOpen }: ColumnsDialogProps) => (
  <Dialog title={productTexts.list.editColumns} isOpen={isOpen} close={close}>
    <Fieldset legend={productTexts.list.columnsToShow} hint={productTexts.list.columnsHint}>
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
