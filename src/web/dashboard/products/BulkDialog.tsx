import { Result } from "effect"
import { type FormEvent, useState } from "react"
import { count } from "../../data/Format.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { SelectField, TextField } from "../../ui/Field.tsx"
import { MutedText, Row as Line, Stack } from "../../ui/Page.tsx"
import { BULK_EDITS, type Change } from "./BulkEdits.ts"
import { BulkProgress } from "./BulkProgress.tsx"
import type { Row } from "./ListView.ts"
import type { Progress } from "./useBulk.ts"

interface BulkDialogProps {
  readonly rows: ReadonlyArray<Row>
  readonly progress: Progress | undefined
  readonly run: (rows: ReadonlyArray<Row>, change: Change) => void
  readonly stop: () => void
  readonly isOpen: boolean
  readonly close: () => void
}

/** Asks what is done to the products that are marked. */
const Choice = ({ begin, many }: { readonly many: number; readonly begin: (change: Change) => void }) => {
  const [name, setName] = useState(BULK_EDITS[0]?.name ?? "")
  const [typed, setTyped] = useState("")
  const [problem, setProblem] = useState<string>()
  const edit = BULK_EDITS.find((one) => one.name === name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (edit === undefined) return
    Result.match(edit.read(typed), { onFailure: setProblem, onSuccess: begin })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <SelectField
          label="Action"
          value={name}
          onChange={({ target }) => {
            setName(target.value)
            setTyped("")
            setProblem(undefined)
          }}
        >
          {BULK_EDITS.map((one) => (
            <option key={one.name}>{one.name}</option>
          ))}
        </SelectField>
        {edit?.asks === undefined ? undefined : (
          <TextField
            {...edit.asks}
            value={typed}
            problem={problem}
            onChange={({ target }) => {
              setTyped(target.value)
              setProblem(undefined)
            }}
          />
        )}
        {name === "Delete" ? (
          <MutedText>
            Deleted products are also removed from their collections. You can restore them from Activity.
          </MutedText>
        ) : undefined}
        <Line>
          <Button type="submit" kind={name === "Delete" ? "danger" : "strong"}>
            {name}: {count(many, "product")}
          </Button>
        </Line>
      </Stack>
    </form>
  )
}

/** Does one thing to many products, tells how far it is, and what failed. */
export const BulkDialog = ({ close, isOpen, progress, rows, run, stop }: BulkDialogProps) => (
  <Dialog
    title={progress === undefined ? `Edit ${count(rows.length, "product")}` : "Editing products"}
    isOpen={isOpen}
    close={progress?.isRunning === true ? () => undefined : close}
  >
    {progress === undefined ? (
      <Choice many={rows.length} begin={(change) => run(rows, change)} />
    ) : (
      <BulkProgress progress={progress} stop={stop} close={close} />
    )}
  </Dialog>
)
