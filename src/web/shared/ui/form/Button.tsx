import type { ComponentProps } from "react"
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

/** Button with `type="button"` by default, so that it submits no form. */
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
