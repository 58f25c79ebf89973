import type { ComponentProps } from "react"
import css from "./Button.module.css"

/** `strong` for what a page is for, at most once; `danger` for what cannot be taken back. */
export type ButtonKind = "strong" | "plain" | "quiet" | "danger"

export interface ButtonProps extends ComponentProps<"button"> {
  readonly kind?: ButtonKind
  /** While what it began is under way: it takes no second press, and keeps the focus. */
  readonly isBusy?: boolean
}

/** The classes of a button, for a link that looks like one. */
export const buttonClass = (kind: ButtonKind = "plain"): string => `${css["button"]} ${css[kind]}`

/** A button, which submits no form unless its type says so. */
export const Button = ({
  className = "",
  disabled,
  isBusy = false,
  kind,
  onClick,
  type = "button",
  ...rest
}: ButtonProps) => (
  <button
    {...rest}
    type={isBusy ? "button" : type}
    className={`${buttonClass(kind)} ${className}`}
    disabled={disabled}
    aria-busy={isBusy || undefined}
    aria-disabled={isBusy || undefined}
    onClick={isBusy ? undefined : onClick}
  />
)
