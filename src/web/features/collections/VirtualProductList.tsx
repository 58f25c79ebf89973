import { type RefObject, useCallback, useRef } from "react"
import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual"
import type { ProductId } from "../../../rpc/Client.ts"
import css from "./VirtualProductList.module.css"
import { ProductById, ROW_HEIGHT } from "./ProductRow.tsx"

interface VirtualRowsOptions {
  readonly count: number
  readonly scroller: RefObject<HTMLElement | null>
  /** Row that stays rendered at any scroll position. */
  readonly pinnedRow?: number
}

/** Virtualizer of product rows. */
export const useVirtualRows = ({ count, pinnedRow, scroller }: VirtualRowsOptions) => {
  const rangeExtractor = useCallback(
    (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), ...(pinnedRow === undefined ? [] : [pinnedRow])])].toSorted(
        (a, b) => a - b
      ),
    [pinnedRow]
  )
  // oxlint-disable-next-line react/incompatible-library -- No memoized component receives its functions.
  return useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    rangeExtractor
  })
}

/** Products by id. Renders only visible rows. */
export const VirtualProductList = ({
  ids,
  label
}: {
  readonly ids: ReadonlyArray<ProductId>
  readonly label: string
}) => {
  const scroller = useRef<HTMLElement>(null)
  const virtual = useVirtualRows({ count: ids.length, scroller })
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboard users scroll a focused region.
    <section ref={scroller} className={css["scroller"]} tabIndex={0} aria-label={label}>
      <ul className={css["list"]} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const id = ids[index]
          return id === undefined ? undefined : (
            <li
              key={id}
              className={css["row"]}
              style={{ transform: `translateY(${start}px)`, height: ROW_HEIGHT }}
              aria-setsize={ids.length}
              aria-posinset={index + 1}
            >
              <ProductById id={id} />
            </li>
          )
        })}
      </ul>
    </section>
  )
}
