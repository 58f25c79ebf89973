import { Result } from "effect"
import { type FormEvent, useState } from "react"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { Dialog } from "../../../shared/ui/layout/Dialog.tsx"
import { NumberField, SelectField, TextField } from "../../../shared/ui/form/Field.tsx"
import { MutedText, Row as Line, Stack } from "../../../shared/ui/layout/Page.tsx"
import { MAX_SELECTED_IDS } from "../../../../domain/changeSets/ChangeSet.ts"
import type { Edit } from "../../../../domain/changeSets/Edit.ts"
import { bulkEdits } from "./bulkEdits.ts"
import { BulkProgress } from "./BulkProgress.tsx"
import type { BulkTarget, useBulkChange } from "./useBulkChange.ts"
import { bulkEditTexts } from "./bulkEditTexts.ts"

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
  const ValueField = edit?.inputMode === undefined ? TextField : NumberField
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (edit === undefined) return
    Result.match(edit.parse(input), { onFailure: setProblem, onSuccess: onSubmit })
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
            setProblem(undefined)
          }}
        >
          {bulkEdits.map((one) => (
            <option key={one.name}>{one.name}</option>
          ))}
        </SelectField>
        {edit?.field === undefined ? undefined : (
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
