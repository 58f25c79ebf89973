import { type ReactNode, useEffect, useRef } from "react"
import { useSaveKeys } from "./SaveForm.tsx"
import { Button } from "./Button.tsx"
import css from "./SaveBar.module.css"
import { uiTexts } from "../uiTexts.ts"

interface SaveBarProps {
  readonly isShown: boolean
  /** Short description of the unsaved changes. */
  readonly children: ReactNode
  readonly discard: () => void
  readonly save: () => void
  readonly isBusy: boolean
  /** Label of the save button. */
  readonly action?: string
  /** Disables saving until a conflict is resolved. */
  readonly isBlocked?: boolean
}

/** Single-line fields outside of a form, which do not use Enter themselves. */
const SINGLE_LINE = "input:not([type=checkbox], [type=radio], [type=search], [role=combobox])"

const isEnter = ({ defaultPrevented, isComposing, key, target }: KeyboardEvent) =>
  key === "Enter" &&
  !defaultPrevented &&
  !isComposing &&
  target instanceof HTMLInputElement &&
  target.form === null &&
  target.matches(SINGLE_LINE)

/**
 * Bar with Save and Discard. Stays visible while there are unsaved changes. Ctrl+S, ⌘S or Enter saves. When the bar disappears,
 * the focus returns to the control from which it came.
 */
export const SaveBar = ({
  action = uiTexts.saveBar.save,
  children,
  discard,
  isBusy,
  isBlocked = false,
  isShown,
  save
}: SaveBarProps) => {
  const bar = useRef<HTMLElement>(null)
  const origin = useRef<HTMLElement>(undefined)
  useSaveKeys({
    element: bar,
    isActive: isShown,
    isKey: isEnter,
    save: () => (isBusy || isBlocked ? undefined : save())
  })
  useEffect(() => {
    if (!isShown) {
      if (document.activeElement === document.body) origin.current?.focus({ preventScroll: true })
      return
    }
    const keepOrigin = () => {
      const { activeElement } = document
      if (activeElement instanceof HTMLElement && !bar.current?.contains(activeElement)) origin.current = activeElement
    }
    keepOrigin()
    addEventListener("focusin", keepOrigin)
    return () => removeEventListener("focusin", keepOrigin)
  }, [isShown])
  return isShown ? (
    <section ref={bar} className={css["bar"]} aria-label={uiTexts.saveBar.unsavedChanges}>
      <p className={css["status"]}>{children}</p>
      <Button onClick={discard} disabled={isBusy}>
        {uiTexts.saveBar.discard}
      </Button>
      <Button kind="strong" onClick={save} isBusy={isBusy} disabled={isBlocked}>
        {action}
      </Button>
    </section>
  ) : undefined
}
