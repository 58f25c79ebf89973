import { Menu as Base } from "@base-ui/react/menu"
import type { ReactNode } from "react"
import { buttonClass, type ButtonKind } from "./Button.tsx"
import css from "../layout/Popups.module.css"

export interface MenuItem {
  readonly name: string
  readonly choose: () => void
  readonly isDisabled?: boolean
}

export interface MenuProps {
  readonly label: ReactNode
  /** Accessible name, if the label is no text. */
  readonly name?: string
  readonly kind?: ButtonKind
  readonly items: ReadonlyArray<MenuItem>
}

/** The menu of Base UI behind `Menu`. */
export const LoadedMenu = ({ items, kind = "plain", label, name }: MenuProps) => (
  <Base.Root>
    <Base.Trigger className={buttonClass(kind)} aria-label={name}>
      {label}
    </Base.Trigger>
    <Base.Portal>
      <Base.Positioner sideOffset={4} align="end" className={css["menuPositioner"]}>
        <Base.Popup className={css["menu"]}>
          {items.map((item) => (
            <Base.Item key={item.name} className={css["menuItem"]} disabled={item.isDisabled} onClick={item.choose}>
              {item.name}
            </Base.Item>
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
