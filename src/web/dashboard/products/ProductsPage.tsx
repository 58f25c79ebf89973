import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useMemo, useState } from "react"
import { count, number } from "../../data/Format.ts"
import { useDebouncedValue } from "../../data/useDebouncedValue.ts"
import { Button, buttonClass } from "../../ui/Button.tsx"
import { SelectField, TextField } from "../../ui/Field.tsx"
import { Page, Row as Line } from "../../ui/Page.tsx"
import { QueryBoundary, EmptyState } from "../../ui/QueryBoundary.tsx"
import { UnsavedChangesGuard } from "../../ui/UnsavedChangesGuard.tsx"
import { useStore, useStoreId } from "../Store.ts"
import { BulkDialog } from "./BulkDialog.tsx"
import { ColumnsDialog } from "./ColumnsDialog.tsx"
import {
  chosenColumns,
  FEW,
  isFiltered,
  keepColumns,
  matches,
  type Row,
  STATUSES,
  STOCKS,
  type View
} from "./ListView.ts"
import css from "./Products.module.css"
import { ProductTable } from "./ProductTable.tsx"
import { useBulk } from "./useBulk.ts"
import { useListed } from "./useListed.ts"

const STATUS_NAMES = { any: "Any status", active: "Active", inactive: "Inactive" }
const STOCK_NAMES = { any: "Any stock", out: "Out of stock", low: `Low stock (${FEW} or fewer)`, in: "In stock" }

/** What the store sells. */
export const ProductsPage = () => {
  const storeId = useStoreId()
  const view = useSearch({ from: "/dashboard/member/$storeId/products" })
  const navigate = useNavigate()
  const show = (next: View) =>
    void navigate({ to: "/dashboard/$storeId/products", params: { storeId }, search: next, replace: true })
  const [typed, setTyped] = useState(view.q ?? "")
  const query = useDebouncedValue(typed).trim()
  useEffect(() => {
    if (query !== (view.q ?? "")) show({ ...view, q: query })
  })

  const store = useStore()
  const { listQuery, created, loadCreated, more, rows: loaded, see } = useListed(storeId, query)
  const rows = useMemo(() => loaded?.filter(matches(view)) ?? [], [loaded, view])
  const [marked, setMarked] = useState<ReadonlyMap<Row["id"], Row>>(new Map())
  const [columns, setColumns] = useState(() => chosenColumns(storeId))
  const [open, setOpen] = useState<"columns" | "edit">()
  const bulk = useBulk(storeId)

  const endEdit = () => {
    // What failed stays marked, and so does what was not begun.
    if (bulk.progress !== undefined) {
      const { done } = bulk.progress
      setMarked(new Map([...marked].filter(([id]) => !done.has(id))))
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
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
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
      <div className={css["said"]}>
        <output>
          {loaded === undefined
            ? "Loading"
            : said(view, query, rows.length, loaded.length, more.hasMore, store.data?.productCount)}
        </output>
        {created === 0 ? undefined : (
          <Button kind="quiet" onClick={loadCreated}>
            Show {count(created, "new product")}
          </Button>
        )}
        {marked.size === 0 ? undefined : (
          <Line>
            <span>{number(marked.size)} selected</span>
            <Button onClick={() => setOpen("edit")}>Edit selected products</Button>
            <Button kind="quiet" onClick={() => setMarked(new Map())}>
              {" "}
              Clear selection{" "}
            </Button>
          </Line>
        )}
      </div>
      <QueryBoundary query={listQuery} lines={10}>
        {() =>
          rows.length === 0 && !more.hasMore ? (
            <Nothing isNarrowed={query !== "" || isFiltered(view)} />
          ) : (
            <ProductTable
              rows={rows}
              rowCount={query === "" && !isFiltered(view) ? store.data?.productCount : undefined}
              columns={columns}
              isFound={query !== ""}
              marked={marked}
              setMarked={setMarked}
              more={more}
              see={see}
            />
          )
        }
      </QueryBoundary>
      <ColumnsDialog
        chosen={columns}
        choose={(next) => {
          keepColumns(storeId, next)
          setColumns(next)
        }}
        isOpen={open === "columns"}
        close={() => setOpen(undefined)}
      />
      <BulkDialog
        rows={[...marked.values()]}
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

/** What of how many is shown: a filter only sees what is loaded. */
const said = (view: View, query: string, shown: number, loaded: number, hasMore: boolean, all: number | undefined) => {
  const of = query === "" ? "loaded" : "found"
  if (isFiltered(view)) {
    return `The filters match ${count(shown, "product")} of ${number(loaded)} ${of}.${hasMore ? " Scroll to load more." : ""}`
  }
  if (query !== "") return `${count(loaded, "product")}${hasMore ? " or more" : ""} found, best matches first`
  return hasMore ? `${number(loaded)} of ${count(all ?? loaded, "product")} loaded` : count(loaded, "product")
}

const Nothing = ({ isNarrowed }: { readonly isNarrowed: boolean }) => {
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
