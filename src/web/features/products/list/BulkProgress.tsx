import { useEffect, useRef } from "react"
import { headlineOf } from "../../changes/changeSummary.ts"
import { Consequences, RefusedRows } from "../../changes/SetDetails.tsx"
import { money, number } from "../../../shared/data/format.ts"
import { ErrorNotice } from "../../../shared/ui/display/QueryBoundary.tsx"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { MutedText, Row as Line, Stack } from "../../../shared/ui/layout/Page.tsx"
import { bulkEditTexts } from "./bulkEditTexts.ts"
import css from "./Products.module.css"
import { type BulkChange, nounOf, type useBulkChange } from "./useBulkChange.ts"

const texts = bulkEditTexts

/** Number of rows of the edit: the one that the service found, as soon as it has. */
const countOf = ({ edit, set, target }: BulkChange) =>
  set?.counts.total || (edit.collections === undefined ? (target.count ?? 0) : 1)

const statusText = (bulk: BulkChange): string => {
  const { isCanceling, left, set, step } = bulk
  const rows = countOf(bulk)
  const noun = nounOf(bulk.edit)
  if (step === "previewing" || set === undefined) return texts.previewing(set?.progress.done ?? 0, rows, noun)
  if (step === "ready") return headlineOf(set)
  if (step === "applying") {
    return isCanceling ? texts.stopping : texts.running(set.progress.done, rows, noun)
  }
  if (set.appliedAt === null) return texts.notApplied
  const { changed, unchanged } = set.counts
  if (set.state === "applied") return texts.doneWithRefusals(changed + unchanged, set.counts.refused)
  const unfinished = left?.size ?? 0
  return texts.stopped(rows - unfinished, bulk.refused.length, unfinished - bulk.refused.length)
}

/** Formats prices in the currency of the products, if all are known to have the same one. */
const priceFormat = ({ target: { count, rows } }: BulkChange) => {
  const [currency, ...others] = new Set(rows.map(({ currencyCode }) => currencyCode))
  const isKnown = rows.length === count && others.length === 0
  return (price: number) => (currency === undefined || !isKnown ? number(price) : money(price, currency))
}

/** Preview of a bulk edit, its progress and the refused products. */
export const BulkProgress = ({
  apply,
  bulk,
  cancel,
  close
}: Pick<ReturnType<typeof useBulkChange>, "apply" | "cancel" | "close"> & { readonly bulk: BulkChange }) => {
  const { error, isCanceling, set, step } = bulk
  const status = useRef<HTMLDivElement>(null)
  // The button that was pressed is gone.
  useEffect(() => status.current?.focus(), [step])
  const isRunning = step === "previewing" || step === "applying"
  const changed = set?.counts.changed ?? 0
  return (
    <Stack>
      <div ref={status} tabIndex={-1} className={css["bulkStatus"]}>
        {isRunning ? (
          <progress
            className={css["progress"]}
            aria-label={texts.progress}
            max={countOf(bulk)}
            value={set?.progress.done ?? 0}
          />
        ) : undefined}
        {error === undefined ? <output>{statusText(bulk)}</output> : <ErrorNotice error={error} />}
        {set?.failure ? <p>{set.failure}</p> : undefined}
      </div>
      {step === "ready" && set !== undefined ? <Consequences set={set} price={priceFormat(bulk)} /> : undefined}
      {step === "ready" && bulk.edit.delete === true ? <MutedText>{texts.deleteAdvice}</MutedText> : undefined}
      {isRunning || set === undefined || set.counts.refused === 0 ? undefined : (
        <section aria-label={texts.refusedProducts}>
          <h3>{texts.refusedProducts}</h3>
          <RefusedRows set={set} known={bulk.target.rows} />
        </section>
      )}
      <Line>
        {step === "ready" && set !== undefined && changed > 0 ? (
          <Button kind={bulk.edit.delete === true ? "danger" : "strong"} onClick={() => apply(set, bulk.edit)}>
            {texts.apply(bulk.edit.delete === true, changed, nounOf(bulk.edit))}
          </Button>
        ) : undefined}
        {step === "applying" && set !== undefined ? (
          <Button onClick={() => cancel(set)} isBusy={isCanceling}>
            {texts.stop}
          </Button>
        ) : undefined}
        {step === "applying" ? <Button onClick={close}>{texts.background}</Button> : undefined}
        {step === "previewing" || step === "ready" ? <Button onClick={close}>{texts.cancel}</Button> : undefined}
        {step === "ended" ? (
          <Button kind="strong" onClick={close}>
            {bulk.left?.size === 0 ? texts.close : texts.closeWithRefusals}
          </Button>
        ) : undefined}
      </Line>
    </Stack>
  )
}
