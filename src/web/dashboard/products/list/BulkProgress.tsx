import { count, number } from "../../../data/format.ts"
import { Button } from "../../../ui/form/Button.tsx"
import { Row as Line, Stack } from "../../../ui/layout/Page.tsx"
import css from "./Products.module.css"
import type { Progress } from "./useBulkEdit.ts"

const progressText = ({ done, failed, isRunning, isStopping, rows, waitSeconds }: Progress) => {
  const left = rows.length - done.size - failed.length
  if (isStopping && isRunning) return "Stopping. Waiting for requests in progress."
  if (waitSeconds !== undefined) return `The service is busy. Editing continues in ${count(waitSeconds, "second")}.`
  if (isRunning) return `${number(done.size)} of ${count(rows.length, "product")} done`
  if (left > 0)
    return `Stopped: ${number(done.size)} done, ${number(failed.length)} failed, ${number(left)} not started.`
  return failed.length === 0
    ? `${count(done.size, "product")} done.`
    : `${number(done.size)} done, ${number(failed.length)} failed.`
}

/** Progress of a bulk edit, a stop button, and the failures. */
export const BulkProgress = ({
  close,
  progress,
  stop
}: {
  readonly progress: Progress
  readonly stop: () => void
  readonly close: () => void
}) => {
  const { done, failed, isRunning, isStopping, rows } = progress
  return (
    <Stack>
      <progress className={css["progress"]} aria-label="Progress" max={rows.length} value={done.size + failed.length} />
      <output>{progressText(progress)}</output>
      {failed.length === 0 ? undefined : (
        <section aria-label="Failed products">
          <h3>Failed products</h3>
          <ul className={css["failures"]}>
            {failed.map(({ row, why }) => (
              <li key={row.id}>
                <strong>{row.name}</strong>
                <p>{why}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Line>
        {isRunning ? (
          <Button onClick={stop} isBusy={isStopping}>
            {" "}
            Stop editing{" "}
          </Button>
        ) : (
          <Button kind="strong" onClick={close}>
            {failed.length === 0 ? "Close" : "Close and keep the rest selected"}
          </Button>
        )}
      </Line>
    </Stack>
  )
}
