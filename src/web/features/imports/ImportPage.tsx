import { type DragEvent, type FormEvent, useRef, useState } from "react"
import { DataKind } from "../../../domain/imports/DataKind.ts"
import { type FileColumns, FileFormat, type FileSettings } from "../../../domain/imports/ImportFiles.ts"
import type { Delimiter } from "../../../domain/imports/Layout.ts"
import type { Decimal } from "../../../domain/imports/Numerals.ts"
import type { ColumnMapping } from "../../../domain/imports/ColumnMapping.ts"
import type { StoreId } from "../../../rpc/Client.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { ExportForm } from "../../shared/ui/form/Export.tsx"
import { CheckField, Columns, SelectField, TextField } from "../../shared/ui/form/Field.tsx"
import { Card, MutedText, Page, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { ColumnsTable } from "./ColumnsTable.tsx"
import { ImportProgress } from "./ImportProgress.tsx"
import css from "./Imports.module.css"
import { LayoutFields } from "./LayoutFields.tsx"
import { detectFile, MAX_FILE, readColumns, useImport } from "./importFile.ts"
import { importTexts } from "./importTexts.ts"

const texts = importTexts.choose

/** Bytes that contain the names of the columns. */
const HEADER = 4096

/** File that a member chose, with its settings. */
interface Chosen {
  readonly file: File
  readonly format: FileFormat
  readonly kind: DataKind
  readonly encoding: string
  /** Choices of the member. Undefined: as detected. */
  readonly delimiter?: Delimiter
  readonly decimal?: Decimal
  readonly replaceVariants: boolean
  readonly copyImages: boolean
  readonly mapping: ColumnMapping
  /** Columns of a CSV. Undefined until they are read. */
  readonly columns?: FileColumns
}

const hasProducts = ({ format, kind }: Chosen) => format === "shopify" || kind === "products"

const settingsOf = (chosen: Chosen): FileSettings => {
  const { columns, copyImages, encoding, format, kind, mapping, replaceVariants } = chosen
  const delimiter = chosen.delimiter ?? columns?.delimiter
  const decimal = chosen.decimal ?? columns?.decimal
  return {
    kind: format === "shopify" ? "products" : kind,
    format,
    encoding,
    replaceVariants,
    ...(format !== "jsonl" && delimiter ? { delimiter } : {}),
    ...(format !== "jsonl" && decimal ? { decimal } : {}),
    ...(hasProducts(chosen) && copyImages ? { copyImages } : {}),
    ...(format === "shopify" ? { mapping } : {})
  }
}

/** Chooses a file, checks it and imports it. */
const ImportCard = ({ storeId }: { readonly storeId: StoreId }) => {
  const { reset, run, start, stop, undo } = useImport(storeId)
  const [chosen, setChosen] = useState<Chosen>()
  const [problem, setProblem] = useState<string>()
  const [error, setError] = useState<unknown>()
  const newest = useRef<Chosen>(undefined)
  const isRunning = run?.isRunning === true

  const show = (next: Chosen | undefined) => {
    newest.current = next
    setChosen(next)
  }
  const read = async (next: Chosen) => {
    try {
      const columns = await readColumns(next.file, {
        encoding: next.encoding,
        ...(next.delimiter && { delimiter: next.delimiter })
      })
      if (newest.current === next) show({ ...next, columns })
    } catch (error) {
      if (newest.current === next) setError(error)
    }
  }
  /** Changes the settings. The result of a check is then outdated. */
  const change = (next: Chosen) => {
    reset()
    setError(undefined)
    show(next)
    if (next.format === "jsonl" || next.columns !== undefined) return
    void read(next)
  }
  const choose = async (file: File | undefined) => {
    if (file === undefined) return
    const isTooLarge = file.size > MAX_FILE
    setProblem(isTooLarge ? texts.tooLarge : undefined)
    if (isTooLarge) {
      reset()
      return show(undefined)
    }
    const { format, kind = "products" } = detectFile(file.name, await file.slice(0, HEADER).text())
    change({ file, format, kind, encoding: "utf-8", replaceVariants: false, copyImages: false, mapping: {} })
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    if (!isRunning) void choose(event.dataTransfer.files[0])
  }
  const check = (event: FormEvent) => {
    event.preventDefault()
    if (chosen !== undefined && !isRunning) void start("check", settingsOf(chosen), chosen.file)
  }
  const isReady = chosen !== undefined && (chosen.format === "jsonl" || chosen.columns !== undefined)
  return (
    <Card title={texts.title}>
      <Stack>
        <form onSubmit={check} noValidate>
          <Stack>
            <div className={css["drop"]} onDragOver={(event) => event.preventDefault()} onDrop={drop}>
              <TextField
                label={texts.file}
                hint={texts.hint}
                problem={problem}
                type="file"
                accept=".csv,.jsonl,.ndjson,.json,text/csv"
                disabled={isRunning}
                onChange={({ target }) => void choose(target.files?.[0])}
              />
              <MutedText>{chosen === undefined ? texts.drop : chosen.file.name}</MutedText>
            </div>
            {chosen === undefined ? undefined : (
              <fieldset className={css["settings"]} disabled={isRunning}>
                <Columns>
                  <SelectField
                    label={texts.format}
                    value={chosen.format}
                    onChange={({ target }) =>
                      change({
                        ...chosen,
                        format: FileFormat.literals.find((one) => one === target.value) ?? chosen.format
                      })
                    }
                  >
                    {FileFormat.literals.toReversed().map((one) => (
                      <option key={one} value={one}>
                        {texts.formats[one]}
                      </option>
                    ))}
                  </SelectField>
                  {chosen.format === "shopify" ? undefined : (
                    <SelectField
                      label={texts.kind}
                      value={chosen.kind}
                      onChange={({ target }) =>
                        change({
                          ...chosen,
                          kind: DataKind.literals.find((one) => one === target.value) ?? chosen.kind
                        })
                      }
                    >
                      {DataKind.literals.map((one) => (
                        <option key={one} value={one}>
                          {importTexts.kinds[one]}
                        </option>
                      ))}
                    </SelectField>
                  )}
                  <SelectField
                    label={texts.encoding}
                    value={chosen.encoding}
                    onChange={({ target }) => {
                      const { columns: _, ...rest } = chosen
                      change({ ...rest, encoding: target.value, mapping: {} })
                    }}
                  >
                    {texts.encodings.map(([value, name]) => (
                      <option key={value} value={value}>
                        {name}
                      </option>
                    ))}
                  </SelectField>
                  {chosen.format === "jsonl" || chosen.columns === undefined ? undefined : (
                    <LayoutFields
                      detected={chosen.columns}
                      delimiter={chosen.delimiter}
                      decimal={chosen.decimal}
                      onDelimiter={(delimiter) => {
                        const { columns: _, ...rest } = chosen
                        change({ ...rest, delimiter, mapping: {} })
                      }}
                      onDecimal={(decimal) => change({ ...chosen, decimal })}
                    />
                  )}
                </Columns>
                {hasProducts(chosen) ? (
                  <>
                    <CheckField
                      label={texts.replaceVariants}
                      checked={chosen.replaceVariants}
                      onChange={({ target }) => change({ ...chosen, replaceVariants: target.checked })}
                    />
                    <CheckField
                      label={texts.copyImages}
                      checked={chosen.copyImages}
                      onChange={({ target }) => change({ ...chosen, copyImages: target.checked })}
                    />
                  </>
                ) : undefined}
                {chosen.format === "shopify" && chosen.columns?.platform ? (
                  <MutedText>{importTexts.mapping.foreign(chosen.columns.platform)}</MutedText>
                ) : undefined}
                {chosen.format === "shopify" && chosen.columns !== undefined ? (
                  <ColumnsTable
                    file={chosen.columns}
                    mapping={chosen.mapping}
                    onChange={(mapping) => change({ ...chosen, mapping })}
                  />
                ) : undefined}
              </fieldset>
            )}
            {error === undefined ? undefined : <ErrorNotice error={error} />}
            {isReady && (run === undefined || run.error !== undefined) ? (
              <Row>
                <Button kind="strong" type="submit">
                  {texts.check}
                </Button>
              </Row>
            ) : undefined}
          </Stack>
        </form>
        {run === undefined || chosen === undefined ? undefined : (
          <ImportProgress
            storeId={storeId}
            kind={settingsOf(chosen).kind}
            run={run}
            start={() => void start("import", settingsOf(chosen), chosen.file)}
            stop={(set) => void stop(set)}
            undo={(set) => void undo(set)}
          />
        )}
      </Stack>
    </Card>
  )
}

const exportTexts = importTexts.export

/** Exports all data of a kind to a file. */
const ExportCard = () => {
  const [kind, setKind] = useState<DataKind>("products")
  return (
    <Card title={exportTexts.title}>
      <ExportForm content={{ kind }} action={exportTexts.start}>
        <SelectField
          label={exportTexts.kind}
          value={kind}
          onChange={({ target }) => setKind(DataKind.literals.find((one) => one === target.value) ?? kind)}
        >
          {DataKind.literals.map((one) => (
            <option key={one} value={one}>
              {importTexts.kinds[one]}
            </option>
          ))}
        </SelectField>
      </ExportForm>
    </Card>
  )
}

/** Import of a file, and export of a kind of data. */
export const ImportPage = () => {
  const storeId = useStoreId()
  return (
    <Page title={importTexts.title}>
      <Stack>
        <ImportCard storeId={storeId} />
        <ExportCard />
      </Stack>
    </Page>
  )
}
