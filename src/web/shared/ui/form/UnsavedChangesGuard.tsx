import { useBlocker } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Confirm } from "../layout/Dialog.tsx"
import { uiTexts } from "../uiTexts.ts"

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
