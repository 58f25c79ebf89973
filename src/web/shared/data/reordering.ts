/* Reordering of lists. */

/** Moves an item to another index, within the list. */
export const moveItem = <A>(items: ReadonlyArray<A>, from: number, to: number): ReadonlyArray<A> => {
  const item = items[from]
  const target = Math.max(0, Math.min(to, items.length - 1))
  if (item === undefined || target === from) return items
  const others = items.toSpliced(from, 1)
  return others.toSpliced(target, 0, item)
}

/** Rows that Page Up and Page Down move by. */
const PAGE_ROWS = 10

/** Target index of a key press. Undefined for other keys. Left and right are for items side by side. */
export const indexAfterKey = (key: string, index: number, count: number): number | undefined => {
  switch (key) {
    case "ArrowUp":
    case "ArrowLeft":
      return Math.max(0, index - 1)
    case "ArrowDown":
    case "ArrowRight":
      return Math.min(count - 1, index + 1)
    case "PageUp":
      return Math.max(0, index - PAGE_ROWS)
    case "PageDown":
      return Math.min(count - 1, index + PAGE_ROWS)
    case "Home":
      return 0
    case "End":
      return count - 1
    default:
      return undefined
  }
}

/** Index of a row while another one is dragged. */
export const indexWhileDragging = (
  { from, to }: { readonly from: number; readonly to: number },
  index: number
): number => {
  if (index === from) return to
  if (from < index && index <= to) return index - 1
  return to <= index && index < from ? index + 1 : index
}
