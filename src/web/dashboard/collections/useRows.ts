import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual"
import { type RefObject, useCallback } from "react"
import { ROW } from "./ProductRow.tsx"

interface RowsOptions {
  readonly count: number
  readonly scroller: RefObject<HTMLElement | null>
  /** The row that stays drawn wherever the list is scrolled to. */
  readonly kept?: number
}

/** Rows of products, of which those are drawn that are seen. */
export const useRows = ({ count, kept, scroller }: RowsOptions) => {
  const rangeExtractor = useCallback(
    (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), ...(kept === undefined ? [] : [kept])])].toSorted((a, b) => a - b),
    [kept]
  )
  // oxlint-disable-next-line react/incompatible-library -- No compiler memoizes what this gives.
  return useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
    rangeExtractor
  })
}
