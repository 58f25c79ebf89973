import { Button } from "../../../ui/form/Button.tsx"
import { Row as Line, Stack } from "../../../ui/layout/Page.tsx"
import css from "./Products.module.css"
import type { Progress } from "./useBulkEdit.ts"
import { productTexts } from "../productTexts.ts"

const progressText = ({ done, failed, isRunning, isStopping, rows, waitSeconds }: Progress) => {
  const remaining = rows.length - done.size - failed.length
  if (isStopping && isRunning) return productTexts.bulkEdit.stopping
  if (waitSeconds !== undefined) return productTexts.bulkEdit.waiting(waitSeconds)
  if (isRunning) return productTexts.bulkEdit.running(done.size, rows.length)
  if (remaining > 0) return productTexts.bulkEdit.stopped(done.size, failed.length, remaining)
  return failed.length === 0
    ? productTexts.bulkEdit.done(done.size)
    : productTexts.bulkEdit.doneWithFailures(done.size, failed.length)
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
      <progress
        className={css["progress"]}
        aria-label={productTexts.bulkEdit.progress}
        max={rows.length}
        value={done.size + failed.length}
      />
      <output>{progressText(progress)}</output>
      {failed.length === 0 ? undefined : (
        <section aria-label={productTexts.bulkEdit.failedProducts}>
          <h3>{productTexts.bulkEdit.failedProducts}</h3>
          <ul className={css["failures"]}>
            {failed.map(({ reason, row }) => (
              <li key={row.id}>
                <strong>{row.name}</strong>
                <p>{reason}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Line>
        {isRunning ? (
          <Button onClick={stop} isBusy={isStopping}>
            {productTexts.bulkEdit.stop}
          </Button>
        ) : (
          <Button kind="strong" onClick={close}>
            {failed.length === 0 ? productTexts.bulkEdit.close : productTexts.bulkEdit.closeWithFailures}
          </Button>
        )}
      </Line>
    </Stack>
  )
}
