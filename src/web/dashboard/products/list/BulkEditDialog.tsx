import { Result } from "effect"
import { type FormEvent, useState } from "react"
import { Button } from "../../../ui/form/Button.tsx"
import { Dialog } from "../../../ui/layout/Dialog.tsx"
import { NumberField, SelectField, TextField } from "../../../ui/form/Field.tsx"
import { MutedText, Row as Line, Stack } from "../../../ui/layout/Page.tsx"
import { bulkEdits, type Change } from "./bulkEdits.ts"
import { BulkProgress } from "./BulkProgress.tsx"
import type { Row } from "./listView.ts"
import type { Progress } from "./useBulkEdit.ts"
import { productTexts } from "../productTexts.ts"

interface BulkEditDialogProps {
  readonly rows: ReadonlyArray<Row>
  readonly progress: Progress | undefined
  readonly run: (rows: ReadonlyArray<Row>, change: Change) => void
  readonly stop: () => void
  readonly isOpen: boolean
  readonly close: () => void
}

/** Selects the edit and its value. */
const BulkEditForm = ({
  onSubmit,
  productCount
}: {
  readonly productCount: number
  readonly onSubmit: (change: Change) => void
}) => {
  const [name, setName] = useState(bulkEdits[0]?.name ?? "")
  const [input, setInput] = useState("")
  const [problem, setProblem] = useState<string>()
  const edit = bulkEdits.find((one) => one.name === name)
  const isDelete = name === productTexts.bulkEdit.delete
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
        {isDelete ? <MutedText>{productTexts.bulkEdit.deleteAdvice}</MutedText> : undefined}
        <Line>
          <Button type="submit" kind={isDelete ? "danger" : "strong"}>
            {productTexts.bulkEdit.submit(name, productCount)}
          </Button>
        </Line>
      </Stack>
    </form>
  )
}

/** Edits the selected products and shows the progress. */
export const BulkEditDialog = ({ close, isOpen, progress, rows, run, stop }: BulkEditDialogProps) => (
  <Dialog
    title={progress === undefined ? productTexts.bulkEdit.title(rows.length) : productTexts.bulkEdit.editing}
    isOpen={isOpen}
    close={progress?.isRunning === true ? () => undefined : close}
  >
    {progress === undefined ? (
      <BulkEditForm productCount={rows.length} onSubmit={(change) => run(rows, change)} />
    ) : (
      <BulkProgress progress={progress} stop={stop} close={close} />
    )}
  </Dialog>
)
