import { Result } from "effect"
import { type FormEvent, useState } from "react"
import { useRpcQuery } from "../../../shared/data/queries.ts"
import { useStoreId } from "../../../shared/data/store.ts"
import { useDebouncedValue } from "../../../shared/data/useDebouncedValue.ts"
import { ErrorNotice } from "../../../shared/ui/display/QueryBoundary.tsx"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { Dialog } from "../../../shared/ui/layout/Dialog.tsx"
import { type FieldTexts, NumberField, SelectField, TextField } from "../../../shared/ui/form/Field.tsx"
import { MutedText, Row as Line, Stack } from "../../../shared/ui/layout/Page.tsx"
import { MAX_SELECTED_IDS } from "../../../../domain/changeSets/ChangeSet.ts"
import type { Edit } from "../../../../domain/changeSets/Edit.ts"
import { bulkEdits } from "./bulkEdits.ts"
import { BulkProgress } from "./BulkProgress.tsx"
import type { BulkTarget, useBulkChange } from "./useBulkChange.ts"
import { bulkEditTexts } from "./bulkEditTexts.ts"

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
          label={bulkEditTexts.searchCollections}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      ) : undefined}
      <SelectField {...texts} value={value} onChange={({ target }) => choose(target.value)}>
        <option value="">{bulkEditTexts.chooseCollection}</option>
        {offered.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </SelectField>
      {error === null ? undefined : <ErrorNotice error={error} />}
      {data !== undefined && offered.length === 0 ? <MutedText>{bulkEditTexts.noCollections}</MutedText> : undefined}
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
  const ValueField = edit?.inputMode === undefined ? TextField : NumberField
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (edit === undefined) return
    Result.match(edit.parse(input, step), { onFailure: setProblem, onSuccess: onSubmit })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <SelectField
          label={bulkEditTexts.action}
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
            label={bulkEditTexts.rounding}
            value={step ?? ""}
            onChange={({ target }) => setStep(target.value === "" ? undefined : Number(target.value))}
          >
            {edit.steps.map((one) => (
              <option key={one ?? ""} value={one ?? ""}>
                {one === undefined ? bulkEditTexts.noRounding : bulkEditTexts.roundTo(one)}
              </option>
            ))}
          </SelectField>
        )}
        {isTooMany ? <MutedText>{bulkEditTexts.tooMany(MAX_SELECTED_IDS)}</MutedText> : undefined}
        {target.all?.search !== undefined && target.count === MAX_SELECTED_IDS ? (
          <MutedText>{bulkEditTexts.onlyFirst(MAX_SELECTED_IDS)}</MutedText>
        ) : undefined}
        <Line>
          <Button type="submit" kind="strong" disabled={isTooMany}>
            {bulkEditTexts.submit}
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
      title={isApplying ? bulkEditTexts.editing : bulkEditTexts.title(target.count)}
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
