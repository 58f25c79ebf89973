import type { ReactNode } from "react"
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

/** Bar with Save and Discard. Stays visible while there are unsaved changes. */
export const SaveBar = ({
  action = uiTexts.saveBar.save,
  children,
  discard,
  isBusy,
  isBlocked = false,
  isShown,
  save
}: SaveBarProps) =>
  isShown ? (
    <section className={css["bar"]} aria-label={uiTexts.saveBar.unsavedChanges}>
      <p className={css["status"]}>{children}</p>
      <Button onClick={discard} disabled={isBusy}>
        {uiTexts.saveBar.discard}
      </Button>
      <Button kind="strong" onClick={save} isBusy={isBusy} disabled={isBlocked}>
        {action}
      </Button>
    </section>
  ) : undefined
