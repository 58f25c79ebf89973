import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual"
import {
  Fragment,
  type KeyboardEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore
} from "react"
import { flushSync } from "react-dom"
import { Cells, type Column, type Sorting, TableHeader } from "./Table.tsx"
import css from "./Table.module.css"

export interface VirtualColumn<Row> extends Column<Row> {
  /** In pixels. */
  readonly width: number
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
  /** In pixels, equal for all rows of a wide table. Cards are measured. */
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

/** Screens on which a row is a card, as in Table.module.css. */
const narrow = window.matchMedia("(max-width: 640px)")

const useNarrow = () =>
  useSyncExternalStore(
    (listener) => {
      narrow.addEventListener("change", listener)
      return () => narrow.removeEventListener("change", listener)
    },
    () => narrow.matches
  )

/** Height of a card in rows, until it is measured. */
const CARD_ROWS = 2.5

/**
 * Table that renders only the visible rows, below a sticky header. On narrow screens its rows are cards. With `keys` it is a grid: arrow keys move between
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
  const isCards = useNarrow()
  const rangeExtractor = useCallback(
    (range: Range) => [...new Set([...defaultRangeExtractor(range), current])].toSorted((a, b) => a - b),
    [current]
  )
  // oxlint-disable-next-line react/incompatible-library -- No memoized component receives its functions.
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isCards ? rowHeight * CARD_ROWS : rowHeight),
    overscan: 8,
    ...(keys === undefined ? {} : { rangeExtractor })
  })
  // Heights of cards are not those of rows.
  useEffect(() => virtual.measure(), [virtual, isCards])
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
      className={`${css["scroller"]} ${css["virtualScroller"]}`}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboard users scroll a focused region.
      tabIndex={0}
      aria-label={caption}
    >
      <table
        className={`${css["table"]} ${css["virtual"]} ${keys === undefined ? "" : css["selectable"]}`}
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
        <TableHeader columns={columns} sorting={sorting} rowIndex={1} />
        <tbody>
          {rendered.map(({ end: rowEnd, index, start }) => {
            const row = rows[index]
            if (row === undefined) return undefined
            const gap = start - end
            end = rowEnd
            return (
              <Fragment key={keyOf(row)}>
                {gap === 0 ? undefined : <SpacerRow height={gap} />}
                <MemoizedRow
                  row={row}
                  index={index}
                  columns={columns}
                  height={isCards ? undefined : rowHeight}
                  measure={isCards ? virtual.measureElement : undefined}
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
  /** In pixels. Undefined for a card, which is measured. */
  readonly height: number | undefined
  readonly measure: ((row: HTMLTableRowElement | null) => void) | undefined
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
  measure,
  onFocus,
  onKeyDown,
  row,
  tabIndex
}: VirtualRowProps<Row>) => (
  <tr
    ref={measure}
    data-index={index}
    style={{ height }}
    aria-rowindex={index + 2}
    aria-selected={isSelected}
    tabIndex={tabIndex}
    onKeyDown={(event) => onKeyDown(event, row, index)}
    onFocus={() => onFocus(index)}
  >
    <Cells columns={columns} row={row} index={index} />
  </tr>
)

/** Empty space of rows that are not rendered. */
const SpacerRow = ({ height }: { readonly height: number }) => <tr aria-hidden="true" style={{ height }} />
