import type { KeyboardEvent, PointerEvent } from "react"
import type { ProductId } from "../../../rpc/Client.ts"
import { number } from "../../shared/data/format.ts"
import { Menu } from "../../shared/ui/form/Menu.tsx"
import css from "./ManualProducts.module.css"
import list from "./VirtualProductList.module.css"
import { ProductById, ROW_HEIGHT } from "./ProductRow.tsx"
import { useProductSummary } from "../../shared/data/useProductSummary.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { collectionTexts } from "./collectionTexts.ts"

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
export const ManualProductRow = ({
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
      className={`${list["row"]} ${css["row"]} ${isDragged ? css["dragged"] : ""}`}
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
