import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual"
import { Fragment, type KeyboardEvent, memo, type ReactNode, useCallback, useEffect, useRef, useState } from "react"
import { flushSync } from "react-dom"
import css from "./VirtualTable.module.css"

export interface VirtualColumn<Row> {
  readonly name: string
  readonly cell: (row: Row, index: number) => ReactNode
  /** What stands above it instead of its name, as a box that marks all. */
  readonly head?: ReactNode
  /** Pixels. */
  readonly width: number
  readonly isNumber?: boolean
}

/** What can be done with rows by keyboard, of a table that is gone through row by row. */
export interface RowActions<Row> {
  readonly open: (row: Row) => void
  readonly select: (row: Row, index: number, extend: boolean) => void
  readonly isSelected: (row: Row) => boolean
}

interface VirtualTableProps<Row> {
  readonly caption: string
  readonly columns: ReadonlyArray<VirtualColumn<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
  /** Of each, in pixels. */
  readonly rowHeight: number
  /** How many rows there are, those too that are not here yet; -1 where nobody knows. */
  readonly rowCount?: number
  readonly keys?: RowActions<Row>
  /** Told which rows are drawn, when these are others. */
  readonly onRangeChange?: (first: number, last: number) => void
  /** Under the last row, as what is on its way. */
  readonly below?: ReactNode
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
 * A table of any length, of which only what is seen is drawn: rows of one height, under a head that stays. With `keys` it is
 * a grid: the arrows lead from row to row, Space marks, Enter opens. The row that has the focus stays drawn.
 */
export const VirtualTable = <Row,>({
  below,
  caption,
  columns,
  keyOf,
  keys,
  rowCount,
  rowHeight,
  rows,
  onRangeChange
}: VirtualTableProps<Row>) => {
  const scroller = useRef<HTMLElement>(null)
  const [active, setActive] = useState(0)
  const last = rows.length - 1
  const current = Math.min(active, Math.max(last, 0))
  const rangeExtractor = useCallback(
    (range: Range) => [...new Set([...defaultRangeExtractor(range), current])].toSorted((a, b) => a - b),
    [current]
  )
  // oxlint-disable-next-line react/incompatible-library -- Its functions go to no component that is memoized.
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    ...(keys === undefined ? {} : { rangeExtractor })
  })
  const drawn = virtual.getVirtualItems()
  const { endIndex = -1, startIndex = 0 } = virtual.range ?? {}
  useEffect(() => onRangeChange?.(startIndex, endIndex), [onRangeChange, startIndex, endIndex, rows])

  const onKeyDown = useCallback(
    (event: KeyboardEvent<HTMLTableRowElement>, row: Row, index: number) => {
      if (keys === undefined || event.target !== event.currentTarget) return
      const step = stepOf(event.key, last)
      if (step !== 0) {
        event.preventDefault()
        const next = Math.max(0, Math.min(index + step, last))
        // The row is drawn at once, and the focus never left to a row that is no more: a key pressed meanwhile would be lost.
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
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- What scrolls is for the keyboard too.
    <section ref={scroller} className={css["scroller"]} tabIndex={0} aria-label={caption}>
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
            {columns.map(({ head, isNumber = false, name }) => (
              <th key={name} scope="col" className={isNumber ? css["number"] : undefined}>
                {head ?? name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {drawn.map(({ index, start }) => {
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

/** A row, which is drawn anew when something of it has changed, and not while others are scrolled into sight. */
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

/** The room of rows that are not drawn. */
const SpacerRow = ({ height }: { readonly height: number }) => <tr aria-hidden="true" style={{ height }} />
