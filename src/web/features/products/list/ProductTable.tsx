import { useNavigate } from "@tanstack/react-router"
import { useCallback, useMemo, useState } from "react"
import { VirtualTable, type VirtualColumn } from "../../../shared/ui/display/VirtualTable.tsx"
import type { Sorting } from "../../../shared/ui/display/Table.tsx"
import { Loading } from "../../../shared/ui/display/QueryBoundary.tsx"
import { useStoreId } from "../../../shared/data/store.ts"
import { productColumns, nameColumn } from "./productColumns.tsx"
import { type ColumnName, toggleSelection, type Row } from "./listView.ts"
import css from "./Products.module.css"
import { productTexts } from "../productTexts.ts"

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
  name: productTexts.list.select,
  width: 44,
  head: (
    <input
      type="checkbox"
      className={css["box"]}
      aria-label={productTexts.list.selectAll}
      checked={isAllSelected}
      onChange={selectAll}
    />
  ),
  cell: ({ id, name }, index) => (
    <input
      type="checkbox"
      className={css["box"]}
      tabIndex={-1}
      aria-label={productTexts.list.selectProduct(name)}
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
      caption={productTexts.list.title}
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
