import { lazy, Suspense } from "react"
import type { ConfirmProps, DialogProps } from "./Modals.tsx"

/* Dialogs of Base UI have 24 KiB. They load beside the page that opens them, which does not wait. */

const LoadedDialog = lazy(() => import("./Modals.tsx").then(({ Dialog }) => ({ default: Dialog })))
const LoadedConfirm = lazy(() => import("./Modals.tsx").then(({ Confirm }) => ({ default: Confirm })))

/** Modal dialog. Traps the focus and restores it on close. */
export const Dialog = (props: DialogProps) => (
  <Suspense>
    <LoadedDialog {...props} />
  </Suspense>
)

/** Asks for confirmation. Stays open until the action succeeds. */
export const Confirm = (props: ConfirmProps) => (
  <Suspense>
    <LoadedConfirm {...props} />
  </Suspense>
)
