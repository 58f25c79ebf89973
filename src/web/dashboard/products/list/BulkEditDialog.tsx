import { Result } from "effect"
import { type FormEvent, useState } from "react"
import { Button } from "../../../ui/form/Button.tsx"
import { Dialog } from "../../../ui/layout/Dialog.tsx"
import { NumberField, SelectField, TextField } from "../../../ui/form/Field.tsx"
import { MutedText, Row as Line, Stack } from "../../../ui/layout/Page.tsx"
import { MAX_SELECTED_IDS } from "../../../../domain/changeSets/ChangeSet.ts"
import type { Edit } from "../../../../domain/changeSets/Edit.ts"
import { bulkEdits } from "./bulkEdits.ts"
import { BulkProgress } from "./BulkProgress.tsx"
import type { Row } from "./listView.ts"
import type { useBulkChange } from "./useBulkChange.ts"
import { productTexts } from "../productTexts.ts"

/** Selects the edit and its value. */
const BulkEditForm = ({
  onSubmit,
  productCount
}: {
  readonly productCount: number
  readonly onSubmit: (edit: Edit) => void
}) => {
  const [name, setName] = useState(bulkEdits[0]?.name ?? "")
  const [input, setInput] = useState("")
  const [problem, setProblem] = useState<string>()
  const edit = bulkEdits.find((one) => one.name === name)
  const isTooMany = productCount > MAX_SELECTED_IDS
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
          label={productTexts.bulkEdit.action}
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
        {isTooMany ? <MutedText>{productTexts.bulkEdit.tooMany(MAX_SELECTED_IDS)}</MutedText> : undefined}
        <Line>
          <Button type="submit" kind="strong" disabled={isTooMany}>
            {productTexts.bulkEdit.submit}
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
  rows,
  ...change
}: ReturnType<typeof useBulkChange> & {
  readonly rows: ReadonlyArray<Row>
  readonly isOpen: boolean
  readonly closeForm: () => void
}) => {
  const { bulk, close, preview } = change
  const isApplying = bulk?.step === "applying"
  return (
    <Dialog
      title={isApplying ? productTexts.bulkEdit.editing : productTexts.bulkEdit.title(rows.length)}
      isOpen={isOpen}
      close={bulk === undefined ? closeForm : isApplying ? () => undefined : close}
    >
      {bulk === undefined ? (
        <BulkEditForm productCount={rows.length} onSubmit={(edit) => preview(rows, edit)} />
      ) : (
        <BulkProgress {...change} bulk={bulk} />
      )}
    </Dialog>
  )
}
