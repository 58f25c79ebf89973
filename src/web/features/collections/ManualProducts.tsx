import { type KeyboardEvent, useRef, useState } from "react"
import { MAX_MEMBERS } from "../../../domain/catalog/Collection.ts"
import type { ProductId } from "../../../rpc/Client.ts"
import { Card, MutedText } from "../../shared/ui/layout/Page.tsx"
import { ProductSearch } from "../../shared/ui/form/ProductSearch.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { indexAfterKey, moveItem } from "./listOrder.ts"
import css from "./ManualProducts.module.css"
import { ManualProductRow } from "./ManualProductRow.tsx"
import list from "./VirtualProductList.module.css"
import { ROW_HEIGHT } from "./ProductRow.tsx"
import { useDragReorder } from "./useDragReorder.ts"
import { useVirtualRows } from "./VirtualProductList.tsx"
import { collectionTexts } from "./collectionTexts.ts"

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
          className={list["scroller"]}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboard users scroll a focused region.
          tabIndex={0}
          aria-label={collectionTexts.products.list}
        >
          <ol className={list["list"]} style={{ height: virtual.getTotalSize() }}>
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
