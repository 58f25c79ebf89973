import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual"
import { Fragment, type KeyboardEvent, memo, type ReactNode, useCallback, useEffect, useRef, useState } from "react"
import { flushSync } from "react-dom"
import { HeaderCell, type Sorting } from "./HeaderCell.tsx"
import css from "./VirtualTable.module.css"

export interface VirtualColumn<Row> {
  readonly name: string
  readonly cell: (row: Row, index: number) => ReactNode
  /** Header content instead of the name, such as a checkbox. */
  readonly head?: ReactNode
  /** In pixels. */
  readonly width: number
  readonly isNumber?: boolean
  /** Order after the first click on the header. Without it, the column does not sort. */
  readonly sort?: string
}

/** Keyboard actions on rows. */
export interface RowActions<Row> {
  readonly open: (row: Row) => void
  readonly select: (row: Row, index: number, isRange: boolean) => void
  readonly isSelected: (row: Row) => boolean
}

interface VirtualTableProps<Row> {
  readonly caption: string
  readonly columns: ReadonlyArray<VirtualColumn<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
  /** In pixels, equal for all rows. */
  readonly rowHeight: number
  /** Total number of rows, including those not loaded yet; -1 if unknown. */
  readonly rowCount?: number
  readonly keys?: RowActions<Row>
  /** Called when the range of rendered rows changes. */
  readonly onRangeChange?: (first: number, last: number) => void
  /** Content below the last row, such as a loading indicator. */
  readonly below?: ReactNode
  readonly sorting?: Sorting
  /** Identifies the list. When it changes, the table scrolls to the top. */
  readonly listKey?: string
}

const PAGE_ROWS = 10

const stepOf = (key: string, last: number) => {
  switch (key) {
    case "ArrowDown":
      return 1
    case "ArrowUp":
      return -1
    case "PageDown":
      return PAGE_ROWS
    case "PageUp":
      return -PAGE_ROWS
    case "Home":
      return -last
    case "End":
      return last
    default:
      return 0
  }
}

/**
 * Table that renders only the visible rows, below a sticky header. With `keys` it is a grid: arrow keys move between
 * rows, Space selects and Enter opens. The focused row stays rendered.
 */
export const VirtualTable = <Row,>({
  below,
  caption,
  columns,
  keyOf,
  keys,
  listKey,
  rowCount,
  rowHeight,
  rows,
  sorting,
  onRangeChange
}: VirtualTableProps<Row>) => {
  const scroller = useRef<HTMLElement>(null)
  const [active, setActive] = useState(0)
  useEffect(() => {
    setActive(0)
    scroller.current?.scrollTo({ top: 0 })
  }, [listKey])
  const last = rows.length - 1
  const current = Math.min(active, Math.max(last, 0))
  const rangeExtractor = useCallback(
    (range: Range) => [...new Set([...defaultRangeExtractor(range), current])].toSorted((a, b) => a - b),
    [current]
  )
  // oxlint-disable-next-line react/incompatible-library -- No memoized component receives its functions.
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    ...(keys === undefined ? {} : { rangeExtractor })
  })
  const rendered = virtual.getVirtualItems()
  const { endIndex = -1, startIndex = 0 } = virtual.range ?? {}
  useEffect(() => onRangeChange?.(startIndex, endIndex), [onRangeChange, startIndex, endIndex, rows])

  const onKeyDown = useCallback(
    (event: KeyboardEvent<HTMLTableRowElement>, row: Row, index: number) => {
      if (keys === undefined || event.target !== event.currentTarget) return
      const step = stepOf(event.key, last)
      if (step !== 0) {
        event.preventDefault()
        const next = Math.max(0, Math.min(index + step, last))
        // Renders the row synchronously. Otherwise the focus would be lost for a moment, and with it the next key.
        flushSync(() => setActive(next))
        scroller.current?.querySelector<HTMLElement>(`[aria-rowindex="${next + 2}"]`)?.focus({ preventScroll: true })
        virtual.scrollToIndex(next)
      } else if (event.key === " ") {
        event.preventDefault()
        keys.select(row, index, event.shiftKey)
      } else if (event.key === "Enter") keys.open(row)
    },
    [keys, last, virtual]
  )
  const [MemoizedRow] = useState(() => memo(VirtualRow<Row>))

  let end = 0
  return (
    <section
      ref={scroller}
      data-scroll-restoration-id={caption}
      className={css["scroller"]}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboard users scroll a focused region.
      tabIndex={0}
      aria-label={caption}
    >
      <table
        className={css["table"]}
        role={keys === undefined ? undefined : "grid"}
        aria-label={caption}
        aria-rowcount={rowCount === undefined ? rows.length + 1 : rowCount === -1 ? -1 : rowCount + 1}
        aria-multiselectable={keys === undefined ? undefined : true}
      >
        <colgroup>
          {columns.map(({ name, width }) => (
            <col key={name} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ head, isNumber = false, name, sort }) => (
              <HeaderCell key={name} className={isNumber ? css["number"] : undefined} sort={sort} sorting={sorting}>
                {head ?? name}
              </HeaderCell>
            ))}
          </tr>
        </thead>
        <tbody>
          {rendered.map(({ index, start }) => {
            const row = rows[index]
            if (row === undefined) return undefined
            const gap = start - end
            end = start + rowHeight
            return (
              <Fragment key={keyOf(row)}>
                {gap === 0 ? undefined : <SpacerRow height={gap} />}
                <MemoizedRow
                  row={row}
                  index={index}
                  columns={columns}
                  height={rowHeight}
                  isSelected={keys?.isSelected(row)}
                  tabIndex={keys === undefined ? undefined : index === current ? 0 : -1}
                  onKeyDown={onKeyDown}
                  onFocus={setActive}
                />
              </Fragment>
            )
          })}
          {virtual.getTotalSize() > end ? <SpacerRow height={virtual.getTotalSize() - end} /> : undefined}
        </tbody>
      </table>
      {below}
    </section>
  )
}

interface VirtualRowProps<Row> {
  readonly row: Row
  readonly index: number
  readonly columns: ReadonlyArray<VirtualColumn<Row>>
  readonly height: number
  readonly isSelected: boolean | undefined
  readonly tabIndex: number | undefined
  readonly onKeyDown: (event: KeyboardEvent<HTMLTableRowElement>, row: Row, index: number) => void
  readonly onFocus: (index: number) => void
}

/** Memoized row, so that scrolling does not render it again. */
const VirtualRow = <Row,>({
  columns,
  height,
  index,
  isSelected,
  onFocus,
  onKeyDown,
  row,
  tabIndex
}: VirtualRowProps<Row>) => (
  <tr
    style={{ height }}
    aria-rowindex={index + 2}
    aria-selected={isSelected}
    tabIndex={tabIndex}
    onKeyDown={(event) => onKeyDown(event, row, index)}
    onFocus={() => onFocus(index)}
  >
    {columns.map(({ cell, isNumber = false, name }) => (
      <td key={name} className={isNumber ? css["number"] : undefined}>
        {cell(row, index)}
      </td>
    ))}
  </tr>
)

/** Empty space of rows that are not rendered. */
const SpacerRow = ({ height }: { readonly height: number }) => <tr aria-hidden="true" style={{ height }} />
