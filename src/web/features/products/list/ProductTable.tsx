import { Link, useNavigate } from "@tanstack/react-router"
import { useCallback, useMemo, useState } from "react"
import type { StoreId } from "../../../../rpc/Client.ts"
import { money, number, shownStock } from "../../../shared/data/format.ts"
import { useStoreId } from "../../../shared/data/store.ts"
import { Badge, Picture, Time } from "../../../shared/ui/display/Values.tsx"
import { Loading } from "../../../shared/ui/display/QueryBoundary.tsx"
import type { Sorting } from "../../../shared/ui/display/Table.tsx"
import { type VirtualColumn, VirtualTable } from "../../../shared/ui/display/VirtualTable.tsx"
import css from "../Products.module.css"
import { productTexts } from "../productTexts.ts"
import { type ColumnName, LOW_STOCK, type Row, toggleSelection } from "./listView.ts"
import { productListTexts } from "./productListTexts.ts"

const Stock = ({ row }: { readonly row: Row }) => {
  const stock = shownStock(row)
  if (stock === undefined) return productListTexts.list.untracked
  if (stock <= 0) return <Badge tone="alert">{productListTexts.list.stocks.none}</Badge>
  return stock > LOW_STOCK ? number(stock) : <Badge tone="warn">{productListTexts.list.left(number(stock))}</Badge>
}

export const productColumns: Readonly<Record<ColumnName, VirtualColumn<Row>>> = {
  isActive: {
    name: productListTexts.list.status,
    width: 110,
    cell: ({ isActive }) => (
      <Badge tone={isActive ? "good" : "plain"}>
        {isActive ? productTexts.states.active : productTexts.states.inactive}
      </Badge>
    )
  },
  stock: {
    name: productTexts.fields.stock,
    width: 130,
    isNumber: true,
    cell: (row) => <Stock row={row} />,
    sort: "stock"
  },
  price: {
    name: productTexts.fields.price,
    width: 120,
    isNumber: true,
    cell: ({ currencyCode, price }) => money(price, currencyCode),
    sort: "price"
  },
  sku: { name: productTexts.fields.sku, width: 150, cell: ({ sku }) => sku },
  discountedPrice: {
    name: productTexts.fields.discountedPrice,
    width: 120,
    isNumber: true,
    cell: ({ currencyCode, discountedPrice }) => (discountedPrice === null ? "" : money(discountedPrice, currencyCode))
  },
  costPrice: {
    name: productTexts.fields.costPrice,
    width: 120,
    isNumber: true,
    cell: ({ costPrice, currencyCode }) => (costPrice === null ? "" : money(costPrice, currencyCode))
  },
  vendorName: { name: productTexts.fields.vendorName, width: 160, cell: ({ vendorName }) => vendorName },
  category: { name: productTexts.fields.category, width: 160, cell: ({ category }) => category },
  productType: { name: productTexts.fields.productType, width: 140, cell: ({ productType }) => productType },
  tags: { name: productTexts.fields.tags, width: 200, cell: ({ tags }) => tags.join(", ") },
  variants: {
    name: productTexts.fields.variants,
    width: 100,
    isNumber: true,
    cell: ({ variants }) => number(variants.length)
  },
  updatedAt: {
    name: productListTexts.list.updated,
    width: 190,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
    sort: "-updatedAt"
  },
  createdAt: {
    name: productListTexts.list.created,
    width: 190,
    cell: ({ createdAt }) => <Time at={createdAt} />,
    sort: "-createdAt"
  }
}

/** Link with image and name. It is not in the tab order, because the grid navigates by row. */
const nameColumn = (storeId: StoreId): VirtualColumn<Row> => ({
  name: productListTexts.list.product,
  width: 260,
  sort: "name",
  cell: ({ id, imageUrl, media, name }) => (
    <span className={css["productCell"]}>
      <Picture url={imageUrl ?? media[0]?.url} alt="" />
      <Link
        to="/dashboard/$storeId/products/$productId"
        params={{ storeId, productId: id }}
        tabIndex={-1}
        className={css["name"]}
      >
        {name}
      </Link>
    </span>
  )
})

const ROW_HEIGHT = 44

/** Rows before the end at which the next page is loaded. */
const LOAD_AHEAD_ROWS = 25

/** Selected products. Rows that are not loaded are undefined. */
export type Selection = ReadonlyMap<Row["id"], Row | undefined>

interface ProductTableProps {
  readonly rows: ReadonlyArray<Row>
  readonly rowCount: number | undefined
  readonly columns: ReadonlyArray<ColumnName>
  readonly selection: Selection
  readonly setSelection: (selection: Selection) => void
  readonly more: { readonly hasMore: boolean; readonly isLoading: boolean; readonly load: () => void }
  readonly onRowsVisible: (ids: ReadonlyArray<Row["id"]>) => void
  readonly sorting: Sorting
  readonly listKey: string
}

interface SelectionColumnOptions {
  readonly selection: Selection
  readonly select: (index: number, isRange: boolean) => void
  readonly isAllSelected: boolean
  readonly selectAll: () => void
}

/** Selection checkboxes. The keyboard selects by row instead. */
const selectionColumn = ({
  isAllSelected,
  select,
  selectAll,
  selection
}: SelectionColumnOptions): VirtualColumn<Row> => ({
  name: productListTexts.list.select,
  width: 44,
  head: (
    <input
      type="checkbox"
      className={css["box"]}
      aria-label={productListTexts.list.selectAll}
      checked={isAllSelected}
      onChange={selectAll}
    />
  ),
  cell: ({ id, name }, index) => (
    <input
      type="checkbox"
      className={css["box"]}
      tabIndex={-1}
      aria-label={productListTexts.list.selectProduct(name)}
      checked={selection.has(id)}
      onChange={({ nativeEvent }) => select(index, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
    />
  )
})

/** Product grid that loads pages while scrolling. */
export const ProductTable = ({
  columns,
  listKey,
  selection,
  more,
  rowCount,
  rows,
  onRowsVisible,
  setSelection,
  sorting
}: ProductTableProps) => {
  const storeId = useStoreId()
  const navigate = useNavigate()
  const [last, setLast] = useState(0)

  const select = (to: number, isRange: boolean) => {
    const byId: Selection = new Map([...selection, ...rows.map((row) => [row.id, row] as const)])
    const ids = toggleSelection(
      new Set(selection.keys()),
      rows.map(({ id }) => id),
      last,
      to,
      isRange
    )
    setLast(to)
    setSelection(new Map([...byId].filter(([id]) => ids.has(id))))
  }
  const isAllSelected = rows.length > 0 && rows.every(({ id }) => selection.has(id))
  const selectAll = () => {
    if (!isAllSelected) return setSelection(new Map([...selection, ...rows.map((row) => [row.id, row] as const)]))
    const shown = new Set(rows.map(({ id }) => id))
    setSelection(new Map([...selection].filter(([id]) => !shown.has(id))))
  }

  const shown: ReadonlyArray<VirtualColumn<Row>> = useMemo(
    () => [nameColumn(storeId), ...columns.map((column) => productColumns[column])],
    [storeId, columns]
  )
  const { hasMore, isLoading, load } = more
  const handleRange = useCallback(
    (first: number, last: number) => {
      onRowsVisible(rows.slice(first, last + 1).map(({ id }) => id))
      if (hasMore && !isLoading && last >= rows.length - LOAD_AHEAD_ROWS) load()
    },
    [onRowsVisible, rows, hasMore, isLoading, load]
  )

  return (
    <VirtualTable
      caption={productTexts.title}
      columns={[selectionColumn({ selection, select, isAllSelected, selectAll }), ...shown]}
      rows={rows}
      keyOf={({ id }) => id}
      rowHeight={ROW_HEIGHT}
      rowCount={rowCount ?? (hasMore ? -1 : rows.length)}
      keys={{
        open: ({ id }) =>
          void navigate({ to: "/dashboard/$storeId/products/$productId", params: { storeId, productId: id } }),
        select: (_, index, isRange) => select(index, isRange),
        isSelected: ({ id }) => selection.has(id)
      }}
      sorting={sorting}
      listKey={listKey}
      onRangeChange={handleRange}
      below={
        hasMore ? (
          <div className={css["loadingMore"]}>
            <Loading lines={1} />
          </div>
        ) : undefined
      }
    />
  )
}
