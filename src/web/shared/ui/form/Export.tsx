import { type FormEvent, type ReactNode, useState } from "react"
import { type ExportContent, ExportFormat } from "../../../../domain/exports/Export.ts"
import { useExport } from "../../data/exportFile.ts"
import { useStoreId } from "../../data/store.ts"
import { ErrorNotice } from "../display/QueryBoundary.tsx"
import { Dialog } from "../layout/Dialog.tsx"
import { MutedText, Row, Stack } from "../layout/Page.tsx"
import { uiTexts } from "../uiTexts.ts"
import { Button } from "./Button.tsx"
import { Columns, SelectField } from "./Field.tsx"

const texts = uiTexts.export

/** Form that exports rows to a file. */
export const ExportForm = ({
  action,
  children,
  content
}: {
  /** Text of the button. */
  readonly action: string
  /** Further fields. */
  readonly children?: ReactNode
  readonly content: ExportContent
}) => {
  const { error, exported, isDone, isFailed, isRunning, start } = useExport(useStoreId())
  const [format, setFormat] = useState<ExportFormat>("csv")
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start({ ...content, format })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <MutedText>{texts.hint}</MutedText>
        <Columns>
          {children}
          <SelectField
            label={texts.format}
            value={format}
            onChange={({ target }) => setFormat(ExportFormat.literals.find((one) => one === target.value) ?? format)}
          >
            {ExportFormat.literals.toReversed().map((one) => (
              <option key={one} value={one}>
                {texts.formats[one]}
              </option>
            ))}
          </SelectField>
        </Columns>
        {error === null ? undefined : <ErrorNotice error={error} />}
        <output>
          {isRunning ? texts.running(exported) : undefined}
          {isFailed ? texts.failed : undefined}
          {isDone ? texts.done(exported) : undefined}
        </output>
        <Row>
          <Button kind="strong" type="submit" isBusy={isRunning}>
            {action}
          </Button>
        </Row>
      </Stack>
    </form>
  )
}

/** Rows of a list to export. */
export interface ExportedRows {
  readonly content: ExportContent
  /** Number of rows; null if they are too many to count, undefined until it is known. */
  readonly count: number | null | undefined
}

/** Button that exports the rows that a list shows. A list without rows has none. */
export const ExportButton = ({ content, count }: ExportedRows) => {
  const [isOpen, setOpen] = useState(false)
  const name = texts.rows(content.kind, count, Object.keys(content.where ?? {}).length > 0)
  return count === 0 ? undefined : (
    <>
      <Button onClick={() => setOpen(true)}>{name}</Button>
      <Dialog title={name} isOpen={isOpen} close={() => setOpen(false)}>
        <ExportForm content={content} action={texts.start} />
      </Dialog>
    </>
  )
}
