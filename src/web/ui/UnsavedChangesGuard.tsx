import { useBlocker } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Confirm } from "./Dialog.tsx"

interface UnsavedChangesGuardProps {
  readonly isUnsaved: boolean
  /** What would be lost. */
  readonly children: ReactNode
}

/** Asks before a page is left on which something would be lost. Where the browser itself leaves, it asks in its own words. */
export const UnsavedChangesGuard = ({ children, isUnsaved }: UnsavedChangesGuardProps) => {
  const blocker = useBlocker({
    shouldBlockFn: () => isUnsaved,
    enableBeforeUnload: () => isUnsaved,
    withResolver: true
  })
  return (
    <Confirm
      title="Leave this page?"
      action="Leave page"
      isOpen={blocker.status === "blocked"}
      close={() => blocker.reset?.()}
      confirm={() => blocker.proceed?.()}
      isBusy={false}
    >
      {children}
    </Confirm>
  )
}
