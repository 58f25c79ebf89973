import { useEffect, type ReactNode } from "react"
import { Button } from "../../ui/Button.tsx"
import { Row } from "../../ui/Page.tsx"
import css from "./Editor.module.css"

interface SaveBarProps {
  /** What is not saved yet, or is wrong. */
  readonly children: ReactNode
  readonly action: string
  readonly save: () => void
  readonly discard: () => void
  readonly isBusy: boolean
}

/** Stays in sight while something is not saved. Ctrl+S saves too. */
export const SaveBar = ({ action, children, discard, isBusy, save }: SaveBarProps) => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      if (!isBusy) save()
    }
    addEventListener("keydown", onKeyDown)
    return () => removeEventListener("keydown", onKeyDown)
  }, [isBusy, save])
  return (
    <section className={css["bar"]} aria-label="What is not saved">
      <output>{children}</output>
      <Row>
        <Button onClick={discard} disabled={isBusy}>
          Discard
        </Button>
        <Button kind="strong" onClick={save} isBusy={isBusy}>
          {action}
        </Button>
      </Row>
    </section>
  )
}
