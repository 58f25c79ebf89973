import { useNavigate } from "@tanstack/react-router"
import { useCallback, useMemo, useState } from "react"
import { VirtualTable, type VirtualColumn } from "../../ui/VirtualTable.tsx"
import { Loading } from "../../ui/QueryBoundary.tsx"
import { useStoreId } from "../Store.ts"
import { columnsBy, nameColumn } from "./Columns.tsx"
import { type ColumnName, FOUND_COLUMNS, marked as markedAfter, type Row } from "./ListView.ts"
import css from "./Products.module.css"

const ROW_HEIGHT = 52

/** Rows before the end at which the next page is asked for. */
const AHEAD = 25

const isFoundColumn = (column: ColumnName) => FOUND_COLUMNS.some((one) => one === column)

type Marked = ReadonlyMap<Row["id"], Row>

interface ProductTableProps {
  readonly rows: ReadonlyArray<Row>
  readonly rowCount: number | undefined
  readonly columns: ReadonlyArray<ColumnName>
  /** Whether these are what a search found, of which less is known. */
  readonly isFound: boolean
  readonly marked: Marked
  readonly setMarked: (marked: Marked) => void
  readonly more: { readonly hasMore: boolean; readonly isLoading: boolean; readonly load: () => void }
  readonly see: (ids: ReadonlyArray<Row["id"]>) => void
}

interface Marking {
  readonly marked: Marked
  readonly mark: (index: number, reach: boolean) => void
  readonly isAllMarked: boolean
  readonly markAll: () => void
}

/** A box for each product, and one for all that are shown. By keyboard it is the row that is marked. */
const boxColumn = ({ isAllMarked, mark, markAll, marked }: Marking): VirtualColumn<Row> => ({
  name: "Select",
  width: 44,
  head: (
    <input
      type="checkbox"
      className={css["box"]}
      aria-label="Select all loaded products"
      checked={isAllMarked}
      onChange={markAll}
    />
  ),
  cell: ({ id, name }, index) => (
    <input
      type="checkbox"
      className={css["box"]}
      tabIndex={-1}
      aria-label={`Select ${name}`}
      checked={marked.has(id)}
      onChange={({ nativeEvent }) => mark(index, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
    />
  )
})

/** Products in a grid, which is read on as it is scrolled. */
export const ProductTable = ({ columns, isFound, marked, more, rowCount, rows, see, setMarked }: ProductTableProps) => {
  const storeId = useStoreId()
  const navigate = useNavigate()
  const [last, setLast] = useState(0)

  const mark = (to: number, reach: boolean) => {
    const byId = new Map([...marked, ...rows.map((row) => [row.id, row] as const)])
    const ids = markedAfter(
      new Set(marked.keys()),
      rows.map(({ id }) => id),
      last,
      to,
      reach
    )
    setLast(to)
    setMarked(new Map([...byId].filter(([id]) => ids.has(id))))
  }
  const isAllMarked = rows.length > 0 && rows.every(({ id }) => marked.has(id))
  const markAll = () => {
    if (!isAllMarked) return setMarked(new Map([...marked, ...rows.map((row) => [row.id, row] as const)]))
    const shown = new Set(rows.map(({ id }) => id))
    setMarked(new Map([...marked].filter(([id]) => !shown.has(id))))
  }

  const shown: ReadonlyArray<VirtualColumn<Row>> = useMemo(
    () => [
      nameColumn(storeId),
      ...columns.filter((column) => !isFound || isFoundColumn(column)).map((column) => columnsBy[column])
    ],
    [storeId, columns, isFound]
  )
  const { hasMore, isLoading, load } = more
  const seen = useCallback(
    (first: number, last: number) => {
      see(rows.slice(first, last + 1).map(({ id }) => id))
      if (hasMore && !isLoading && last >= rows.length - AHEAD) load()
    },
    [see, rows, hasMore, isLoading, load]
  )

  return (
    <VirtualTable
      caption="Products"
      columns={[boxColumn({ marked, mark, isAllMarked, markAll }), ...shown]}
      rows={rows}
      keyOf={({ id }) => id}
      rowHeight={ROW_HEIGHT}
      rowCount={rowCount ?? (hasMore ? -1 : rows.length)}
      keys={{
        open: ({ id }) =>
          void navigate({ to: "/dashboard/$storeId/products/$productId", params: { storeId, productId: id } }),
        select: (_, index, reach) => mark(index, reach),
        isSelected: ({ id }) => marked.has(id)
      }}
      onRangeChange={seen}
      below={
        hasMore ? (
          <div className={css["coming"]}>
            <Loading lines={1} />
          </div>
        ) : undefined
      }
    />
  )
}
