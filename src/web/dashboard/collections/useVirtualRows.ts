import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual"
import { type RefObject, useCallback } from "react"
import { ROW_HEIGHT } from "./ProductRow.tsx"

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
  // oxlint-disable-next-line react/incompatible-library -- No compiler memoizes what this gives.
  return useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    rangeExtractor
  })
}
