import { AlertDialog } from "@base-ui/react/alert-dialog"
import { Dialog as Base } from "@base-ui/react/dialog"
import { type ReactNode, useRef } from "react"
import { Button, type ButtonKind } from "../form/Button.tsx"
import css from "./Popups.module.css"
import { ErrorNotice } from "../display/QueryBoundary.tsx"
import { uiTexts } from "../../sharedTexts.ts"

export interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly close: () => void
  readonly children: ReactNode
  /** For tables and side-by-side columns. */
  readonly isWide?: boolean
}

const CONTROL = ":is(input, select, textarea, button, a[href]):not(:disabled)"

/** Control of a dialog that gets the focus: the marked one, or the first below the title. */
const firstControlIn = (popup: HTMLElement | null) =>
  popup?.querySelector<HTMLElement>("[data-initial-focus]") ??
  popup?.querySelector<HTMLElement>(`header ~ ${CONTROL}, header ~ * ${CONTROL}`) ??
  true

/** Modal dialog. Traps the focus and restores it on close. */
export const Dialog = ({ children, close, isOpen, isWide = false, title }: DialogProps) => {
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : close())}>
      <Base.Portal>
        <Base.Backdrop className={css["backdrop"]} />
        <Base.Popup
          ref={popup}
          // Touch would open the keyboard of the screen.
          initialFocus={(openedBy) => openedBy === "touch" || firstControlIn(popup.current)}
          className={`${css["dialog"]} ${isWide ? css["wideDialog"] : ""}`}
        >
          <header className={css["dialogHeader"]}>
            <Base.Title>{title}</Base.Title>
            <Base.Close className={css["close"]} aria-label={uiTexts.dialog.close}>
              ✕
            </Base.Close>
          </header>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

export interface ConfirmProps {
  readonly title: string
  /** Consequences of the action, and whether it can be undone. */
  readonly children: ReactNode
  /** Label of the confirm button. */
  readonly action: string
  /** Style of the confirm button. Use another kind than `danger` for actions that destroy nothing. */
  readonly kind?: ButtonKind
  readonly isOpen: boolean
  readonly close: () => void
  readonly confirm: () => void
  readonly isBusy: boolean
  readonly error?: unknown
}

/** Asks for confirmation. Stays open until the action succeeds. */
export const Confirm = ({
  action,
  children,
  close,
  confirm,
  error = null,
  isBusy,
  isOpen,
  kind = "danger",
  title
}: ConfirmProps) => (
  <AlertDialog.Root open={isOpen} onOpenChange={(open) => (open ? undefined : close())}>
    <AlertDialog.Portal>
      <AlertDialog.Backdrop className={css["backdrop"]} />
      <AlertDialog.Popup className={css["dialog"]}>
        <AlertDialog.Title>{title}</AlertDialog.Title>
        <AlertDialog.Description render={<div />}>{children}</AlertDialog.Description>
        {error === null ? undefined : <ErrorNotice error={error} />}
        <div className={css["dialogActions"]}>
          <AlertDialog.Close render={<Button>{uiTexts.dialog.cancel}</Button>} />
          <Button kind={kind} onClick={confirm} isBusy={isBusy}>
            {action}
          </Button>
        </div>
      </AlertDialog.Popup>
    </AlertDialog.Portal>
  </AlertDialog.Root>
)
