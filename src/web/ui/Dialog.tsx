import { AlertDialog } from "@base-ui/react/alert-dialog"
import { Dialog as Base } from "@base-ui/react/dialog"
import type { ReactNode } from "react"
import { Button, type ButtonKind } from "./Button.tsx"
import css from "./Dialog.module.css"
import { ErrorNotice } from "./QueryBoundary.tsx"

interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly close: () => void
  readonly children: ReactNode
  /** For tables and pairs of columns. */
  readonly isWide?: boolean
}

/** Something to do beside the page: the focus stays in it, and goes back to where it came from. */
export const Dialog = ({ children, close, isOpen, isWide = false, title }: DialogProps) => (
  <Base.Root open={isOpen} onOpenChange={(open) => (open ? undefined : close())}>
    <Base.Portal>
      <Base.Backdrop className={css["backdrop"]} />
      <Base.Popup className={`${css["popup"]} ${isWide ? css["wide"] : ""}`}>
        <header className={css["header"]}>
          <Base.Title>{title}</Base.Title>
          <Base.Close className={css["close"]} aria-label="Close">
            ✕
          </Base.Close>
        </header>
        {children}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)

interface ConfirmProps {
  readonly title: string
  /** What will happen, and what of it cannot be taken back. */
  readonly children: ReactNode
  /** What is done, in one or two words. */
  readonly action: string
  /** How the button looks that does it: `danger`, but for what costs nothing that was there. */
  readonly kind?: ButtonKind
  readonly isOpen: boolean
  readonly close: () => void
  readonly confirm: () => void
  readonly isBusy: boolean
  readonly error?: unknown
}

/** Asks once more before something is done that is hard to take back. It stays open until it is done. */
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
      <AlertDialog.Popup className={css["popup"]}>
        <AlertDialog.Title>{title}</AlertDialog.Title>
        <AlertDialog.Description render={<div />}>{children}</AlertDialog.Description>
        {error === null ? undefined : <ErrorNotice error={error} />}
        <div className={css["actions"]}>
          <AlertDialog.Close render={<Button>Cancel</Button>} />
          <Button kind={kind} onClick={confirm} isBusy={isBusy}>
            {action}
          </Button>
        </div>
      </AlertDialog.Popup>
    </AlertDialog.Portal>
  </AlertDialog.Root>
)
