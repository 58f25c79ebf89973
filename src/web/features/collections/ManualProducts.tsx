import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from "react"
import { MAX_MEMBERS } from "../../../domain/catalog/Collection.ts"
import type { ProductId } from "../../../rpc/Client.ts"
import { number } from "../../shared/data/format.ts"
import { indexAfterKey, indexWhileDragging, moveItem } from "../../shared/data/reordering.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { useProductSummary } from "../../shared/data/useProductSummary.ts"
import { Menu } from "../../shared/ui/form/Menu.tsx"
import { ProductSearch } from "../../shared/ui/form/ProductSearch.tsx"
import { Card, MutedText } from "../../shared/ui/layout/Page.tsx"
import css from "./Collections.module.css"
import { ProductById, ROW_HEIGHT, useVirtualRows } from "./ProductList.tsx"
import { collectionTexts } from "./collectionTexts.ts"

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

/** Reorders rows of equal height by mouse, pen or touch. Escape cancels. */
const useDragReorder = ({ count, drop, rowHeight, scroller }: DragReorderOptions) => {
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
    const cancel = ({ key }: { readonly key: string }) => (key === "Escape" ? setDragging(undefined) : undefined)
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

interface ManualProductRowProps {
  readonly id: ProductId
  /** Index in the list, and the position at which it is rendered during a drag. */
  readonly index: number
  readonly position: number
  readonly count: number
  readonly isDragged: boolean
  readonly handleProps: (
    index: number,
    name: string
  ) => { readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void }
  readonly onKeyDown: (event: KeyboardEvent, index: number, name: string) => void
  readonly onFocus: (index: number) => void
  readonly move: (from: number, to: number, name: string) => void
  readonly remove: (index: number, name: string) => void
}

/** Row of a manual collection, with drag handle and menu. */
const ManualProductRow = ({
  count,
  handleProps,
  id,
  index,
  isDragged,
  move,
  onFocus,
  onKeyDown,
  position,
  remove
}: ManualProductRowProps) => {
  const { data } = useProductSummary(useStoreId(), id)
  const name = data?.name ?? collectionTexts.products.product
  return (
    <li
      className={`${css["virtualRow"]} ${css["manualRow"]} ${isDragged ? css["dragged"] : ""}`}
      style={{ transform: `translateY(${position * ROW_HEIGHT}px)`, height: ROW_HEIGHT }}
      aria-setsize={count}
      aria-posinset={index + 1}
    >
      <button
        type="button"
        className={css["handle"]}
        aria-label={collectionTexts.products.move(name, index + 1, count)}
        aria-keyshortcuts="ArrowUp ArrowDown PageUp PageDown Home End"
        onFocus={() => onFocus(index)}
        onKeyDown={(event) => onKeyDown(event, index, name)}
        {...handleProps(index, name)}
      >
        ⠿
      </button>
      <span className={css["place"]}>{number(position + 1)}</span>
      <ProductById id={id} />
      <Menu
        label="⋯"
        name={collectionTexts.products.actions(name)}
        kind="quiet"
        items={[
          { name: collectionTexts.products.moveToTop, choose: () => move(index, 0, name), isDisabled: index === 0 },
          {
            name: collectionTexts.products.moveUp,
            choose: () => move(index, index - 1, name),
            isDisabled: index === 0
          },
          {
            name: collectionTexts.products.moveDown,
            choose: () => move(index, index + 1, name),
            isDisabled: index === count - 1
          },
          {
            name: collectionTexts.products.moveToEnd,
            choose: () => move(index, count - 1, name),
            isDisabled: index === count - 1
          },
          { name: collectionTexts.products.remove, choose: () => remove(index, name) }
        ]}
      />
    </li>
  )
}

interface ManualProductsProps {
  readonly ids: ReadonlyArray<ProductId>
  readonly change: (ids: ReadonlyArray<ProductId>) => void
}

/** Ordered products of a manual collection. Reorders by drag, keyboard or menu. */
export const ManualProducts = ({ change, ids }: ManualProductsProps) => {
  const storeId = useStoreId()
  const scroller = useRef<HTMLElement>(null)
  const [active, setActive] = useState(0)
  const [announcement, setAnnouncement] = useState("")
  const memberIds = new Set<string>(ids)

  const move = (from: number, to: number, name: string) => {
    change(moveItem(ids, from, to))
    setAnnouncement(collectionTexts.products.moved(name, to + 1, ids.length))
  }
  const { dragging, handleProps, currentIndex } = useDragReorder({
    count: ids.length,
    rowHeight: ROW_HEIGHT,
    scroller,
    drop: move
  })
  // The focused or dragged row stays rendered.
  const virtual = useVirtualRows({ count: ids.length, scroller, pinnedRow: dragging?.from ?? active })

  const focus = (index: number) => {
    setActive(index)
    virtual.scrollToIndex(index)
    // The row is rendered in the next frame.
    requestAnimationFrame(() =>
      scroller.current
        ?.querySelector<HTMLElement>(`[aria-posinset="${index + 1}"] button`)
        ?.focus({ preventScroll: true })
    )
  }
  const moveByKey = (event: KeyboardEvent, index: number, name: string) => {
    const to = indexAfterKey(event.key, index, ids.length)
    if (to === undefined) return
    event.preventDefault()
    move(index, to, name)
    focus(to)
  }
  const remove = (index: number, name: string) => {
    change(ids.toSpliced(index, 1))
    setAnnouncement(collectionTexts.products.removed(name))
    if (ids.length > 1) focus(Math.min(index, ids.length - 2))
  }

  return (
    <Card
      title={collectionTexts.products.title}
      actions={<span className={css["count"]}>{collectionTexts.products.count(ids.length)}</span>}
    >
      <ProductSearch
        label={collectionTexts.products.add}
        storeId={storeId}
        disabledReason={({ id }) => (memberIds.has(id) ? collectionTexts.products.alreadyAdded : undefined)}
        problem={ids.length > MAX_MEMBERS ? collectionTexts.products.limitReached(MAX_MEMBERS) : undefined}
        choose={({ id, name }) => {
          change([...ids, id])
          setAnnouncement(collectionTexts.products.added(name, ids.length + 1))
        }}
      />
      {ids.length === 0 ? (
        <MutedText>{collectionTexts.products.empty}</MutedText>
      ) : (
        <section
          ref={scroller}
          className={css["virtualScroller"]}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboard users scroll a focused region.
          tabIndex={0}
          aria-label={collectionTexts.products.list}
        >
          <ol className={css["virtualList"]} style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index }) => {
              const id = ids[index]
              return id === undefined ? undefined : (
                <ManualProductRow
                  key={id}
                  id={id}
                  index={index}
                  position={currentIndex(index)}
                  count={ids.length}
                  isDragged={dragging?.from === index}
                  handleProps={handleProps}
                  onKeyDown={moveByKey}
                  onFocus={setActive}
                  move={move}
                  remove={remove}
                />
              )
            })}
          </ol>
        </section>
      )}
      <output className={css["status"]}>
        {announcement === "" ? collectionTexts.products.reorderAdvice : announcement}
      </output>
    </Card>
  )
}
