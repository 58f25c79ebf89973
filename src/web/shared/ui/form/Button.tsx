import { type ComponentProps, useLayoutEffect, useRef } from "react"
import css from "./Form.module.css"

/** `strong` is the primary action, at most one per page. `danger` is for actions that cannot be undone. */
export type ButtonKind = "strong" | "plain" | "quiet" | "danger"

export interface ButtonProps extends ComponentProps<"button"> {
  readonly kind?: ButtonKind
  /** While its action is in progress: ignores clicks, but keeps the focus. */
  readonly isBusy?: boolean
}

/** Class names of a button, for links that look like one. */
export const buttonClass = (kind: ButtonKind = "plain"): string => `${css["button"]} ${css[kind]}`

const CONTROL = ":is(input, select, textarea, button, a[href]):not(:disabled)"

/** Moves the focus of a button that disappears, such as "Select all", to a control beside it. */
const useFocusBeside = () => {
  const focused = useRef<HTMLButtonElement>(undefined)
  useLayoutEffect(
    () => () => {
      const { current: button } = focused
      if (button === undefined || document.activeElement !== button) return
      const parents = [button.parentElement, button.parentElement?.parentElement]
      queueMicrotask(() => {
        if (document.activeElement !== document.body) return
        // A page that is left disappears with the parents, and keeps the focus where the browser puts it.
        const parent = parents.find((one) => one?.isConnected === true)
        parent?.querySelector<HTMLElement>(CONTROL)?.focus({ preventScroll: true })
      })
    },
    []
  )
  return (button: HTMLButtonElement) => {
    focused.current = button
  }
}

/** Button with `type="button"` by default, so that it submits no form. */
export const Button = ({
  className = "",
  disabled,
  isBusy = false,
  kind,
  onClick,
  onFocus,
  type = "button",
  ...rest
}: ButtonProps) => {
  const keepFocused = useFocusBeside()
  return (
    <button
      {...rest}
      onFocus={(event) => {
        keepFocused(event.currentTarget)
        onFocus?.(event)
      }}
      type={isBusy ? "button" : type}
      className={`${buttonClass(kind)} ${className}`}
      disabled={disabled}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? undefined : onClick}
    />
  )
}
