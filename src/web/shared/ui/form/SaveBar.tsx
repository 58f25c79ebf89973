import { type ReactNode, useEffect, useEffectEvent, useRef } from "react"
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

/**
 * Bar with Save and Discard. Stays visible while there are unsaved changes. Ctrl+S or ⌘S saves. When the bar disappears,
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
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    const isInDialog = event.target instanceof Element && event.target.closest("[role=dialog], [role=alertdialog]")
    if (!event.repeat && !isBusy && !isBlocked && !isInDialog) save()
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
    const listener = (event: KeyboardEvent) => onKeyDown(event)
    keepOrigin()
    addEventListener("focusin", keepOrigin)
    addEventListener("keydown", listener)
    return () => {
      removeEventListener("focusin", keepOrigin)
      removeEventListener("keydown", listener)
    }
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
