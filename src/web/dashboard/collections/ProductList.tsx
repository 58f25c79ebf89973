import { useVirtualizer } from "@tanstack/react-virtual"
import { useRef } from "react"
import type { ProductId } from "../../../rpc/Client.ts"
import css from "./ProductList.module.css"
import { KnownProduct, ROW } from "./ProductRow.tsx"

/** Products by their ids, however many: what is seen of them is drawn. */
export const ProductList = ({ ids, label }: { readonly ids: ReadonlyArray<ProductId>; readonly label: string }) => {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: ids.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8
  })
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- What scrolls is for the keyboard too.
    <div ref={scroller} className={css["scroller"]} role="region" tabIndex={0} aria-label={label}>
      <ul className={css["list"]} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const id = ids[index]
          return id === undefined ? undefined : (
            <li
              key={id}
              className={css["row"]}
              style={{ transform: `translateY(${start}px)`, height: ROW }}
              aria-setsize={ids.length}
              aria-posinset={index + 1}
            >
              <KnownProduct id={id} />
            </li>
          )
        })}
      </ul>
    </div>
  )
}
