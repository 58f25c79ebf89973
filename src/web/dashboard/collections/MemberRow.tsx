import type { KeyboardEvent, PointerEvent } from "react"
import type { ProductId } from "../../../rpc/Client.ts"
import { number } from "../../data/Format.ts"
import { Menu } from "../../ui/Menu.tsx"
import css from "./Members.module.css"
import list from "./ProductList.module.css"
import { KnownProduct, ROW } from "./ProductRow.tsx"
import { useProductSummary } from "../../data/useProductSummary.ts"
import { useStoreId } from "../Store.ts"

interface MemberRowProps {
  readonly id: ProductId
  /** Where it stands, and where it would if what is dragged were dropped now. */
  readonly index: number
  readonly place: number
  readonly count: number
  readonly isDragged: boolean
  readonly grip: (index: number, name: string) => { readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void }
  readonly onKeyDown: (event: KeyboardEvent, index: number, name: string) => void
  readonly onFocus: (index: number) => void
  readonly move: (from: number, to: number, name: string) => void
  readonly remove: (index: number, name: string) => void
}

/** A product of a manual collection, with what moves it. */
export const MemberRow = ({
  count,
  grip,
  id,
  index,
  isDragged,
  move,
  onFocus,
  onKeyDown,
  place,
  remove
}: MemberRowProps) => {
  const { data } = useProductSummary(useStoreId(), id)
  const name = data?.name ?? "Product"
  return (
    <li
      className={`${list["row"]} ${css["row"]} ${isDragged ? css["dragged"] : ""}`}
      style={{ transform: `translateY(${place * ROW}px)`, height: ROW }}
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
        {...grip(index, name)}
      >
        ⠿
      </button>
      <span className={css["place"]}>{number(place + 1)}</span>
      <KnownProduct id={id} />
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
