import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useMemo, useState } from "react"
import { count, number } from "../../../data/format.ts"
import { useDebouncedValue } from "../../../data/useDebouncedValue.ts"
import { Button, buttonClass } from "../../../ui/form/Button.tsx"
import { CheckField, Fieldset, SelectField, TextField } from "../../../ui/form/Field.tsx"
import { Page, Row as Line } from "../../../ui/layout/Page.tsx"
import { EmptyState, QueryBoundary } from "../../../ui/display/QueryBoundary.tsx"
import { UnsavedChangesGuard } from "../../../ui/form/UnsavedChangesGuard.tsx"
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
import { useBulkEdit } from "./useBulkEdit.ts"
import { Dialog } from "../../../ui/layout/Dialog.tsx"
import { productColumns } from "./productColumns.tsx"
import { useProductList } from "./useProducts.ts"

const STATUS_NAMES = { any: "Any status", active: "Active", inactive: "Inactive" }
const STOCK_NAMES = { any: "Any stock", out: "Out of stock", low: `Low stock (${LOW_STOCK} or fewer)`, in: "In stock" }

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
  const bulk = useBulkEdit(storeId)

  const endEdit = () => {
    // Failed and remaining products stay selected.
    if (bulk.progress !== undefined) {
      const { done } = bulk.progress
      setSelection(new Map([...selection].filter(([id]) => !done.has(id))))
    }
    bulk.close()
    setOpen(undefined)
  }

  return (
    <Page
      title="Products"
      isWide
      actions={
        <Link to="/dashboard/$storeId/products/new" params={{ storeId }} className={buttonClass("strong")}>
          Create product
        </Link>
      }
    >
      <search className={css["tools"]}>
        <TextField
          label="Search"
          type="search"
          placeholder="Name, SKU, vendor, tag"
          maxLength={255}
          value={searchText}
          onChange={({ target }) => setSearchText(target.value)}
        />
        <SelectField
          label="Status"
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
          label="Stock"
          value={view.stock ?? "any"}
          onChange={({ target }) => show({ ...view, stock: STOCKS.find((one) => one === target.value) ?? "any" })}
        >
          {STOCKS.map((one) => (
            <option key={one} value={one}>
              {STOCK_NAMES[one]}
            </option>
          ))}
        </SelectField>
        <Button onClick={() => setOpen("columns")}>Edit columns</Button>
      </search>
      <div className={css["status"]}>
        <output>
          {loaded === undefined
            ? "Loading"
            : summaryText(view, query, rows.length, loaded.length, more.hasMore, store.data?.productCount)}
        </output>
        {created === 0 ? undefined : (
          <Button kind="quiet" onClick={loadCreated}>
            Show {count(created, "new product")}
          </Button>
        )}
        {selection.size === 0 ? undefined : (
          <Line>
            <span>{number(selection.size)} selected</span>
            <Button onClick={() => setOpen("edit")}>Edit selected products</Button>
            <Button kind="quiet" onClick={() => setSelection(new Map())}>
              {" "}
              Clear selection{" "}
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
        rows={[...selection.values()]}
        progress={bulk.progress}
        run={(many, change) => void bulk.run(many, change)}
        stop={bulk.stop}
        isOpen={open === "edit"}
        close={endEdit}
      />
      <UnsavedChangesGuard isUnsaved={bulk.progress?.isRunning === true}>
        Products are being edited. If you leave, finished changes are kept and the remaining products stay unchanged.
      </UnsavedChangesGuard>
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
  const scope = query === "" ? "loaded" : "found"
  if (isFiltered(view)) {
    return `The filters match ${count(shown, "product")} of ${number(loaded)} ${scope}.${hasMore ? " Scroll to load more." : ""}`
  }
  if (query !== "") return `${count(loaded, "product")}${hasMore ? " or more" : ""} found, best matches first`
  return hasMore ? `${number(loaded)} of ${count(all ?? loaded, "product")} loaded` : count(loaded, "product")
}

const NoProducts = ({ isNarrowed }: { readonly isNarrowed: boolean }) => {
  const storeId = useStoreId()
  return isNarrowed ? (
    <EmptyState title="No products found">
      <p>Try a shorter search or remove a filter.</p>
    </EmptyState>
  ) : (
    <EmptyState title="No products yet">
      <p>Products that you sell in this store appear here.</p>{" "}
      <Link to="/dashboard/$storeId/products/new" params={{ storeId }} className={buttonClass("strong")}>
        Create product
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
  <Dialog title="Edit columns" isOpen={isOpen} close={close}>
    <Fieldset legend="Columns to show" hint="Saved for this store in this browser.">
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
