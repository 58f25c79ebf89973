import { type PointerEvent, type RefObject, useEffect, useRef, useState } from "react"

interface Dragging {
  readonly from: number
  readonly to: number
  readonly name: string
}

interface DragReorderOptions {
  readonly count: number
  readonly rowHeight: number
  readonly scroller: RefObject<HTMLElement | null>
  readonly drop: (from: number, to: number, name: string) => void
}

/** Pixels from the edge of the list at which it scrolls while dragging, and pixels per frame. */
const SCROLL_EDGE = 48
const SCROLL_STEP = 14

/** Index of a row while another one is dragged. */
export const indexWhileDragging = ({ from, to }: Pick<Dragging, "from" | "to">, index: number): number => {
  if (index === from) return to
  if (from < index && index <= to) return index - 1
  return to <= index && index < from ? index + 1 : index
}

/** Reorders rows of equal height by mouse, pen or touch. Escape cancels. */
export const useDragReorder = ({ count, drop, rowHeight, scroller }: DragReorderOptions) => {
  const [dragging, setDragging] = useState<Dragging>()
  const pointer = useRef(0)
  const isDragging = dragging !== undefined

  useEffect(() => {
    if (!isDragging) return undefined
    let frame = 0
    const follow = () => {
      const box = scroller.current?.getBoundingClientRect()
      if (scroller.current !== null && box !== undefined) {
        const y = pointer.current
        if (y < box.top + SCROLL_EDGE) scroller.current.scrollTop -= SCROLL_STEP
        else if (y > box.bottom - SCROLL_EDGE) scroller.current.scrollTop += SCROLL_STEP
        const row = Math.floor((y - box.top + scroller.current.scrollTop) / rowHeight)
        const to = Math.max(0, Math.min(row, count - 1))
        setDragging((before) => (before === undefined || before.to === to ? before : { ...before, to }))
      }
      frame = requestAnimationFrame(follow)
    }
    const cancel = (event: KeyboardEvent) => (event.key === "Escape" ? setDragging(undefined) : undefined)
    follow()
    addEventListener("keydown", cancel)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener("keydown", cancel)
    }
  }, [isDragging, count, rowHeight, scroller])

  return {
    dragging,
    currentIndex: (index: number) => (dragging === undefined ? index : indexWhileDragging(dragging, index)),
    /** Event handlers of the drag handle of a row. */
    handleProps: (index: number, name: string) => ({
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        pointer.current = event.clientY
        setDragging({ from: index, to: index, name })
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        pointer.current = event.clientY
      },
      onPointerUp: () => {
        if (dragging !== undefined && dragging.to !== dragging.from) drop(dragging.from, dragging.to, dragging.name)
        setDragging(undefined)
      },
      onPointerCancel: () => setDragging(undefined)
    })
  }
}
