import { Result } from "effect"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { MAX_SELECTED_IDS } from "../../../../domain/changeSets/ChangeSet.ts"
import type { Edit } from "../../../../domain/changeSets/Edit.ts"
import { money, number } from "../../../shared/data/format.ts"
import { useRpcQuery, useDebouncedValue } from "../../../shared/data/queries.ts"
import { useStoreId } from "../../../shared/data/store.ts"
import { ErrorNotice } from "../../../shared/ui/display/QueryBoundary.tsx"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { CheckField, type FieldTexts, NumberField, SelectField, TextField } from "../../../shared/ui/form/Field.tsx"
import { Dialog } from "../../../shared/ui/layout/Dialog.tsx"
import { MutedText, Row as Line, Stack } from "../../../shared/ui/layout/Page.tsx"
import { Consequences, RefusedRows } from "../../changes/SetDetails.tsx"
import { headlineOf } from "../../changes/changeSummary.ts"
import css from "../Products.module.css"
import { bulkEdits } from "./bulkEdits.ts"
import { BulkSamples } from "./BulkSamples.tsx"
import { productListTexts } from "./productListTexts.ts"
import { type BulkChange, type BulkTarget, nounOf, type useBulkChange } from "./useBulkChange.ts"

const texts = productListTexts.bulk

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

/** Currency of the loaded products. Empty if they have several ones. */
const currencyOf = ({ rows }: BulkTarget) => {
  const [currency = "", ...others] = new Set(rows.map(({ currencyCode }) => currencyCode))
  return others.length === 0 ? currency : ""
}

/** Formats prices in the currency of the products, if all are known to have the same one. */
const priceFormat = ({ target }: BulkChange) => {
  const currency = target.rows.length === target.count ? currencyOf(target) : ""
  return (price: number) => (currency === "" ? number(price) : money(price, currency))
}

/** Preview of a bulk edit, its progress and the refused products. */
const BulkProgress = ({
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
      {step === "ready" ? <BulkSamples {...bulk} /> : undefined}
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

/** Maximum number of collections that are offered. More are found by the search. */
const MAX_OFFERED = 200

/** Selects a manual collection. */
const CollectionField = ({
  choose,
  value,
  ...texts
}: FieldTexts & { readonly value: string; readonly choose: (id: string) => void }) => {
  const storeId = useStoreId()
  const [search, setSearch] = useState("")
  const searched = useDebouncedValue(search.trim())
  const { data, error } = useRpcQuery(
    [storeId, "collections", "offered", searched],
    (client) =>
      client.collections.query({
        storeId,
        sort: "title",
        limit: MAX_OFFERED,
        ...(searched === "" ? {} : { search: searched })
      }),
    { keepPrevious: true }
  )
  const offered = data?.items.filter(({ type }) => type === "manual") ?? []
  return (
    <>
      {search !== "" || (data?.nextCursor ?? null) !== null ? (
        <TextField
          label={productListTexts.bulk.searchCollections}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      ) : undefined}
      <SelectField {...texts} value={value} onChange={({ target }) => choose(target.value)}>
        <option value="">{productListTexts.bulk.chooseCollection}</option>
        {offered.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </SelectField>
      {error === null ? undefined : <ErrorNotice error={error} />}
      {data !== undefined && offered.length === 0 ? (
        <MutedText>{productListTexts.bulk.noCollections}</MutedText>
      ) : undefined}
    </>
  )
}

/** Selects the edit and its value. */
const BulkEditForm = ({
  onSubmit,
  target
}: {
  readonly target: BulkTarget
  readonly onSubmit: (edit: Edit) => void
}) => {
  const [name, setName] = useState(bulkEdits[0]?.name ?? "")
  const [input, setInput] = useState("")
  const [problem, setProblem] = useState<string>()
  const edit = bulkEdits.find((one) => one.name === name)
  const isTooMany = (target.ids?.length ?? 0) > MAX_SELECTED_IDS
  const [step, setStep] = useState<number>()
  const [variants, setVariants] = useState(true)
  const currency = currencyOf(target)
  const ValueField = edit?.inputMode === undefined ? TextField : NumberField
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (edit === undefined) return
    Result.match(edit.parse(input, { round: step, variants, currency }), { onFailure: setProblem, onSuccess: onSubmit })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <SelectField
          label={productListTexts.bulk.action}
          value={name}
          onChange={({ target }) => {
            setName(target.value)
            setInput("")
            setStep(bulkEdits.find((one) => one.name === target.value)?.steps?.[0])
            setProblem(undefined)
          }}
        >
          {bulkEdits.map((one) => (
            <option key={one.name}>{one.name}</option>
          ))}
        </SelectField>
        {edit?.field === undefined ? undefined : edit.isCollection === true ? (
          <CollectionField
            {...edit.field}
            value={input}
            problem={problem}
            choose={(id) => {
              setInput(id)
              setProblem(undefined)
            }}
          />
        ) : (
          <ValueField
            {...edit.field}
            hint={
              edit.field.hint === texts.newPriceHint && currency !== "" ? texts.newPriceIn(currency) : edit.field.hint
            }
            inputMode={edit.inputMode}
            value={input}
            problem={problem}
            onChange={({ target }) => {
              setInput(target.value)
              setProblem(undefined)
            }}
          />
        )}
        {edit?.steps === undefined ? undefined : (
          <SelectField
            label={productListTexts.bulk.rounding}
            value={step ?? ""}
            onChange={({ target }) => setStep(target.value === "" ? undefined : Number(target.value))}
          >
            {edit.steps.map((one) => (
              <option key={one ?? ""} value={one ?? ""}>
                {one === undefined ? productListTexts.bulk.noRounding : productListTexts.bulk.roundTo(one)}
              </option>
            ))}
          </SelectField>
        )}
        {edit?.isOfVariants === true ? (
          <CheckField
            label={texts.variants}
            hint={texts.variantsHint}
            checked={variants}
            onChange={({ target }) => setVariants(target.checked)}
          />
        ) : undefined}
        {isTooMany ? <MutedText>{productListTexts.bulk.tooMany(MAX_SELECTED_IDS)}</MutedText> : undefined}
        {target.all?.search !== undefined && target.count === MAX_SELECTED_IDS ? (
          <MutedText>{productListTexts.bulk.onlyFirst(MAX_SELECTED_IDS)}</MutedText>
        ) : undefined}
        <Line>
          <Button type="submit" kind="strong" disabled={isTooMany}>
            {productListTexts.bulk.submit}
          </Button>
        </Line>
      </Stack>
    </form>
  )
}

/** Edits the selected products: the form, the preview and the progress. */
export const BulkEditDialog = ({
  closeForm,
  isOpen,
  target,
  ...change
}: ReturnType<typeof useBulkChange> & {
  readonly target: BulkTarget
  readonly isOpen: boolean
  readonly closeForm: () => void
}) => {
  const { bulk, close, preview } = change
  const isApplying = bulk?.step === "applying"
  return (
    <Dialog
      title={isApplying ? productListTexts.bulk.editing : productListTexts.bulk.title(target.count)}
      isOpen={isOpen}
      close={bulk === undefined ? closeForm : isApplying ? () => undefined : close}
    >
      {bulk === undefined ? (
        <BulkEditForm target={target} onSubmit={(edit) => preview(target, edit)} />
      ) : (
        <BulkProgress {...change} bulk={bulk} />
      )}
    </Dialog>
  )
}
