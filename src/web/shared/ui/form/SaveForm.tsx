import { useBlocker } from "@tanstack/react-router"
import { type ComponentProps, type ReactNode, type RefObject, useEffect, useEffectEvent, useRef } from "react"
import { uiTexts } from "../../sharedTexts.ts"
import { Confirm } from "../layout/Dialog.tsx"
import { Button } from "./Button.tsx"
import css from "./Form.module.css"

const dialogOf = (target: EventTarget | null | undefined) =>
  target instanceof Element ? target.closest("[role=dialog], [role=alertdialog]") : null

const isSaveKey = ({ altKey, ctrlKey, key, metaKey, shiftKey }: KeyboardEvent) =>
  key.toLowerCase() === "s" && (ctrlKey || metaKey) && !altKey && !shiftKey

interface SaveKeys {
  readonly save: () => void
  /** Element of the form. A dialog saves only what it contains. */
  readonly element: RefObject<HTMLElement | null>
  readonly isActive?: boolean
  /** Another key that saves. */
  readonly isKey?: (event: KeyboardEvent) => boolean
}

/** Saves with Ctrl+S or ⌘S. */
const useSaveKeys = ({ element, isActive = true, isKey = () => false, save }: SaveKeys): void => {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (!isSaveKey(event) && !isKey(event)) return
    event.preventDefault()
    if (!event.repeat && dialogOf(event.target) === dialogOf(element.current)) save()
  })
  useEffect(() => {
    if (!isActive) return
    const listener = (event: KeyboardEvent) => onKeyDown(event)
    addEventListener("keydown", listener)
    return () => removeEventListener("keydown", listener)
  }, [isActive])
}

interface SaveFormProps extends Omit<ComponentProps<"form">, "ref"> {
  readonly form?: RefObject<HTMLFormElement | null>
}

/** Form with a save button, which Ctrl+S or ⌘S presses. */
export const SaveForm = ({ children, form, ...props }: SaveFormProps) => {
  const own = useRef<HTMLFormElement>(null)
  const element = form ?? own
  useSaveKeys({
    element,
    save: () => element.current?.querySelector<HTMLButtonElement>("button[type=submit]")?.click()
  })
  return (
    <form {...props} ref={element} noValidate>
      {children}
    </form>
  )
}

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
      <p className={css["unsaved"]}>{children}</p>
      <Button onClick={discard} disabled={isBusy}>
        {uiTexts.saveBar.discard}
      </Button>
      <Button kind="strong" onClick={save} isBusy={isBusy} disabled={isBlocked}>
        {action}
      </Button>
    </section>
  ) : undefined
}

interface UnsavedChangesGuardProps {
  readonly isUnsaved: boolean
  /** Path of the page whose tabs keep the changes. */
  readonly keptBelow?: string
  /** Description of what would be lost. */
  readonly children: ReactNode
}

/** Asks before navigation discards unsaved changes. On leaving the site, the browser shows its own prompt. */
export const UnsavedChangesGuard = ({ children, isUnsaved, keptBelow }: UnsavedChangesGuardProps) => {
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) =>
      isUnsaved && (keptBelow === undefined || !`${next.pathname}/`.startsWith(`${keptBelow}/`)),
    enableBeforeUnload: () => isUnsaved,
    withResolver: true
  })
  return (
    <Confirm
      title={uiTexts.unsavedChanges.title}
      action={uiTexts.unsavedChanges.leave}
      isOpen={blocker.status === "blocked"}
      close={() => blocker.reset?.()}
      confirm={() => blocker.proceed?.()}
      isBusy={false}
    >
      {children}
    </Confirm>
  )
}
