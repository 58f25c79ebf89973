import type { ReactNode } from "react"
import { Button } from "./Button.tsx"
import css from "./SaveBar.module.css"

interface SaveBarProps {
  readonly isShown: boolean
  /** What is not saved yet, in a few words. */
  readonly children: ReactNode
  readonly discard: () => void
  readonly save: () => void
  readonly isBusy: boolean
  /** What saving does, where it has another name. */
  readonly action?: string
  /** Something has to be decided first, which the bar says. */
  readonly isBlocked?: boolean
}

/** What became of the page is saved or discarded here: it stays in sight for as long as there is something to save. */
export const SaveBar = ({
  action = "Save",
  children,
  discard,
  isBusy,
  isBlocked = false,
  isShown,
  save
}: SaveBarProps) =>
  isShown ? (
    <section className={css["bar"]} aria-label="Unsaved changes">
      <p className={css["status"]}>{children}</p>
      <Button onClick={discard} disabled={isBusy}>
        Discard
      </Button>
      <Button kind="strong" onClick={save} isBusy={isBusy} disabled={isBlocked}>
        {action}
      </Button>
    </section>
  ) : undefined
