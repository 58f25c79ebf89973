import { useEffect, useRef } from "react"
import { ProductId } from "../../../../rpc/Client.ts"
import { useStoreId } from "../../../shared/data/store.ts"
import { money, number } from "../../../shared/data/format.ts"
import { useProductSummary } from "../../../shared/data/useProductSummary.ts"
import { ErrorNotice } from "../../../shared/ui/display/QueryBoundary.tsx"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { MutedText, Row as Line, Stack } from "../../../shared/ui/layout/Page.tsx"
import { bulkEditTexts } from "./bulkEditTexts.ts"
import css from "./Products.module.css"
import type { BulkChange, useBulkChange } from "./useBulkChange.ts"

const texts = bulkEditTexts

/** Maximum number of refused products that are shown. */
const SHOWN = 100

const editedThing = ({ edit }: BulkChange) => {
  if (edit.delete === true) return "deletion"
  return edit.patch?.price === undefined ? "product" : "price"
}

/** Number of products of the edit: the one that the service found, as soon as it has. */
const countOf = ({ set, target }: BulkChange) => set?.counts.total || (target.count ?? 0)

const statusText = (bulk: BulkChange): string => {
  const { isCanceling, left, set, step } = bulk
  const products = countOf(bulk)
  if (step === "previewing" || set === undefined) return texts.previewing(set?.progress.done ?? 0, products)
  if (step === "ready") return texts.preview(editedThing(bulk), set.counts)
  if (step === "applying") {
    return isCanceling ? texts.stopping : texts.running(set.progress.done, products)
  }
  if (set.appliedAt === null) return texts.notApplied
  const { changed, unchanged } = set.counts
  if (set.state === "applied") return texts.doneWithRefusals(changed + unchanged, set.counts.refused)
  const unfinished = left?.size ?? 0
  return texts.stopped(products - unfinished, bulk.refused.length, unfinished - bulk.refused.length)
}

/** Lowest and highest new price. */
const Prices = ({ set, target: { count, rows } }: BulkChange) => {
  const { highestPrice = null, lowestPrice = null } = set?.preview ?? {}
  if (highestPrice === null || lowestPrice === null) return undefined
  const [currency, ...others] = new Set(rows.map(({ currencyCode }) => currencyCode))
  const isKnown = rows.length === count && others.length === 0
  const shown = (price: number) => (currency === undefined || !isKnown ? number(price) : money(price, currency))
  return <MutedText>{texts.newPrices(shown(lowestPrice), shown(highestPrice))}</MutedText>
}

/** Name of a product, which may not be loaded or be deleted. */
const ProductName = ({ id, target: { rows } }: Pick<BulkChange, "target"> & { readonly id: string }) => {
  const summary = useProductSummary(useStoreId(), ProductId.make(id))
  return rows.find((row) => row.id === id)?.name ?? summary.data?.name ?? id
}

/** Products that are refused, with the reasons. */
const Refused = ({ refused, set, target }: BulkChange) => {
  if (refused.length === 0) return undefined
  const hidden = Math.max(set?.counts.refused ?? 0, refused.length) - SHOWN
  return (
    <section aria-label={texts.refusedProducts}>
      <h3>{texts.refusedProducts}</h3>
      {/* Scrollable, so it takes the focus. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboards scroll the list. */}
      <ul className={css["failures"]} tabIndex={0} aria-label={texts.refusedProducts}>
        {refused.slice(0, SHOWN).map(({ error, id, index, issues }) => (
          <li key={index}>
            <strong>{id === null ? undefined : <ProductName id={id} target={target} />}</strong>
            <p>{[error, ...(issues ?? [])].join(" ")}</p>
          </li>
        ))}
      </ul>
      {hidden > 0 ? <MutedText>{texts.moreRefused(hidden)}</MutedText> : undefined}
    </section>
  )
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
      {step === "ready" ? <Prices {...bulk} /> : undefined}
      {step === "ready" && bulk.edit.delete === true ? <MutedText>{texts.deleteAdvice}</MutedText> : undefined}
      {isRunning ? undefined : <Refused {...bulk} />}
      <Line>
        {step === "ready" && set !== undefined && changed > 0 ? (
          <Button kind={bulk.edit.delete === true ? "danger" : "strong"} onClick={() => apply(set)}>
            {texts.apply(bulk.edit.delete === true, changed)}
          </Button>
        ) : undefined}
        {step === "applying" && set !== undefined ? (
          <Button onClick={() => cancel(set)} isBusy={isCanceling}>
            {texts.stop}
          </Button>
        ) : undefined}
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
