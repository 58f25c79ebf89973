import { type KeyboardEvent, useRef, useState } from "react"
import { MAX_MEMBERS } from "../../../domain/catalog/Collection.ts"
import type { ProductId } from "../../../rpc/Client.ts"
import { count, number } from "../../data/Format.ts"
import { Card, MutedText } from "../../ui/Page.tsx"
import { ProductSearch } from "../../ui/ProductSearch.tsx"
import { useStoreId } from "../Store.ts"
import { moved, placeOf } from "./Arrange.ts"
import css from "./Members.module.css"
import { MemberRow } from "./MemberRow.tsx"
import list from "./ProductList.module.css"
import { ROW } from "./ProductRow.tsx"
import { useDragging } from "./useDragging.ts"
import { useRows } from "./useRows.ts"

interface MembersProps {
  readonly ids: ReadonlyArray<ProductId>
  readonly change: (ids: ReadonlyArray<ProductId>) => void
}

/** The products of a manual collection in their order, which is changed by dragging, by keys and by a menu. */
export const Members = ({ change, ids }: MembersProps) => {
  const storeId = useStoreId()
  const scroller = useRef<HTMLElement>(null)
  const [active, setActive] = useState(0)
  const [said, setSaid] = useState("")
  const held = new Set<string>(ids)

  const move = (from: number, to: number, name: string) => {
    change(moved(ids, from, to))
    setSaid(`${name} moved to position ${number(to + 1)} of ${number(ids.length)}`)
  }
  const { dragging, grip, placeNow } = useDragging({ count: ids.length, rowHeight: ROW, scroller, drop: move })
  // What has the focus, or is dragged, stays drawn.
  const virtual = useRows({ count: ids.length, scroller, kept: dragging?.from ?? active })

  const focus = (place: number) => {
    setActive(place)
    virtual.scrollToIndex(place)
    // The row is drawn by the time of the next frame.
    requestAnimationFrame(() =>
      scroller.current
        ?.querySelector<HTMLElement>(`[aria-posinset="${place + 1}"] button`)
        ?.focus({ preventScroll: true })
    )
  }
  const moveByKey = (event: KeyboardEvent, index: number, name: string) => {
    const to = placeOf(event.key, index, ids.length)
    if (to === undefined) return
    event.preventDefault()
    move(index, to, name)
    focus(to)
  }
  const remove = (index: number, name: string) => {
    change(ids.toSpliced(index, 1))
    setSaid(`${name} removed`)
    if (ids.length > 1) focus(Math.min(index, ids.length - 2))
  }

  return (
    <Card title="Products" actions={<span className={css["count"]}>{count(ids.length, "product")}</span>}>
      <ProductSearch
        label="Add a product"
        storeId={storeId}
        disabledReason={({ id }) => (held.has(id) ? "Already added" : undefined)}
        problem={
          ids.length > MAX_MEMBERS
            ? `A collection can have up to ${number(MAX_MEMBERS)} products. Remove some products.`
            : undefined
        }
        choose={({ id, name }) => {
          change([...ids, id])
          setSaid(`${name} added at position ${number(ids.length + 1)}`)
        }}
      />
      {ids.length === 0 ? (
        <MutedText>No products yet. Search for products to add them.</MutedText>
      ) : (
        <section
          ref={scroller}
          className={list["scroller"]}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- What scrolls is for the keyboard too.
          tabIndex={0}
          aria-label="Products in order"
        >
          <ol className={list["list"]} style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index }) => {
              const id = ids[index]
              return id === undefined ? undefined : (
                <MemberRow
                  key={id}
                  id={id}
                  index={index}
                  place={placeNow(index)}
                  count={ids.length}
                  isDragged={dragging?.from === index}
                  grip={grip}
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
      <output className={css["said"]}>
        {said === "" ? "To reorder products, drag the handles or use the arrow keys." : said}
      </output>
    </Card>
  )
}
