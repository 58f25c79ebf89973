import { useMutation } from "@tanstack/react-query"
import { Effect, Option, Schedule, Stream } from "effect"
import { type FormEvent, type ReactNode, useState } from "react"
import { type ExportContent, ExportFormat } from "../../../../domain/exports/Export.ts"
import type { StoreId } from "../../../../rpc/Client.ts"
import { newIdempotencyKey } from "../../data/queries.ts"
import { callService } from "../../data/service.ts"
import { useStoreId } from "../../data/store.ts"
import { uiTexts } from "../../sharedTexts.ts"
import { ErrorNotice } from "../display/QueryBoundary.tsx"
import { Dialog } from "../layout/Dialog.tsx"
import { MutedText, Row, Stack } from "../layout/Page.tsx"
import { Button } from "./Button.tsx"
import { Columns, SelectField } from "./Field.tsx"
import css from "./Form.module.css"

const POLL = "1 second"

const TYPES: Record<ExportFormat, string> = { csv: "text/csv", jsonl: "application/x-ndjson" }

/** Lets the browser save a file. */
export const saveFile = (name: string, parts: ReadonlyArray<string>, type: string): void => {
  const url = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Exports rows, reads the file part by part and deletes the export. Returns the parts, or none if it failed. */
const readExport = (storeId: StoreId, content: ExportContent, onExported: (rows: number) => void) =>
  callService((client) =>
    Effect.acquireUseRelease(
      client.exports.create({ storeId, idempotencyKey: newIdempotencyKey(), ...content }),
      Effect.fnUntraced(function* ({ id }) {
        const { state } = yield* client.exports.get({ storeId, id }).pipe(
          Effect.tap(({ exported }) => Effect.sync(() => onExported(exported))),
          Effect.repeat({ until: ({ state }) => state !== "running", schedule: Schedule.spaced(POLL) })
        )
        if (state !== "finished") return Option.none()
        const parts = yield* Stream.runCollect(
          Stream.paginate(0, (part: number) =>
            Effect.map(client.exports.read({ storeId, id, part }), ({ lines, nextPart }) => [
              [lines],
              Option.fromNullishOr(nextPart)
            ])
          )
        )
        return Option.some(parts)
      }),
      ({ id }) => Effect.ignore(client.exports.delete({ storeId, id }))
    )
  )

/** Export that the browser saves as a file. */
const useExport = (storeId: StoreId) => {
  const [exported, setExported] = useState(0)
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: (content: ExportContent) => readExport(storeId, content, setExported),
    onSuccess: (file, { format = "jsonl", kind }) => {
      if (Option.isSome(file)) saveFile(`${kind}.${format}`, file.value, TYPES[format])
    }
  })
  return {
    start: (content: ExportContent) => {
      setExported(0)
      mutate(content)
    },
    reset,
    error,
    exported,
    isRunning: isPending,
    isDone: data !== undefined && Option.isSome(data),
    isFailed: data !== undefined && Option.isNone(data)
  }
}

const texts = uiTexts.export

const PERSONAL: ReadonlySet<ExportContent["kind"]> = new Set(["orders", "customers"])

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
        <MutedText>
          {texts.hint} {PERSONAL.has(content.kind) ? texts.personalData : undefined}
        </MutedText>
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

/** Button that exports the rows that a list shows. A list without rows has none, but keeps its space. */
export const ExportButton = ({ content, count }: ExportedRows) => {
  const [isOpen, setOpen] = useState(false)
  const name = texts.rows(content.kind, count, Object.keys(content.where ?? {}).length > 0)
  return (
    <>
      <Button className={`${css["export"]} ${count === 0 ? css["hidden"] : ""}`} onClick={() => setOpen(true)}>
        {texts.open}
      </Button>
      <Dialog title={name} isOpen={isOpen} close={() => setOpen(false)}>
        <ExportForm content={content} action={texts.start} />
      </Dialog>
    </>
  )
}
