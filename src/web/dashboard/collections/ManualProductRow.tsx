import type { KeyboardEvent, PointerEvent } from "react"
import type { ProductId } from "../../../rpc/Client.ts"
import { number } from "../../data/format.ts"
import { Menu } from "../../ui/form/Menu.tsx"
import css from "./ManualProducts.module.css"
import list from "./VirtualProductList.module.css"
import { ProductById, ROW_HEIGHT } from "./ProductRow.tsx"
import { useProductSummary } from "../../data/useProductSummary.ts"
import { useStoreId } from "../store.ts"

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
  const name = data?.name ?? "Product"
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
        aria-label={`Move ${name}, ${number(index + 1)} of ${number(count)}`}
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
        name={`Actions for ${name}`}
        kind="quiet"
        items={[
          { name: "Move to top", choose: () => move(index, 0, name), isDisabled: index === 0 },
          { name: "Move up", choose: () => move(index, index - 1, name), isDisabled: index === 0 },
          { name: "Move down", choose: () => move(index, index + 1, name), isDisabled: index === count - 1 },
          { name: "Move to end", choose: () => move(index, count - 1, name), isDisabled: index === count - 1 },
          { name: "Remove", choose: () => remove(index, name) }
        ]}
      />
    </li>
  )
}
