import { Struct } from "effect"
import { useState } from "react"
import type { FileColumns } from "../../../domain/imports/ImportFiles.ts"
import { type ColumnMapping, CUSTOM_FIELD } from "../../../domain/imports/ColumnMapping.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { MutedText, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { type Column, Table } from "../../shared/ui/display/Table.tsx"
import css from "./Imports.module.css"
import { importTexts } from "./importTexts.ts"

const texts = importTexts.mapping

/** Values of the choices that are no field. */
const BY_NAME = "byName"
const IGNORE = "ignore"

const FIELDS = Struct.keys(texts.fields)

type FileColumn = FileColumns["columns"][number] & {
  readonly index: number
  /** True if a person must decide: no field has the name, or another column has the same field. */
  readonly isOpen: boolean
}

interface MappingProps {
  readonly mapping: ColumnMapping
  readonly onChange: (mapping: ColumnMapping) => void
}

/** Choice of the field of a column. */
const FieldChoice = ({
  field,
  ignored,
  mapping,
  name,
  onChange,
  taken
}: MappingProps & Pick<FileColumn, "field" | "ignored" | "name"> & { readonly taken: ReadonlySet<string | null> }) => {
  const { [name]: chosen, ...others } = mapping
  const choose = (value: string) => {
    const field = value === CUSTOM_FIELD ? value : (FIELDS.find((one) => one === value) ?? null)
    onChange(value === BY_NAME ? others : { ...others, [name]: field })
  }
  const byName = ignored ? texts.ignore : field === null ? texts.keep : texts.fields[field]
  return (
    <select
      className={css["field"]}
      aria-label={texts.fieldOf(name)}
      value={chosen === undefined ? BY_NAME : (chosen ?? IGNORE)}
      onChange={({ target }) => choose(target.value)}
    >
      <option value={BY_NAME}>{byName}</option>
      {ignored ? <option value={CUSTOM_FIELD}>{texts.keep}</option> : <option value={IGNORE}>{texts.ignore}</option>}
      {FIELDS.filter((one) => one === chosen || !taken.has(one)).map((one) => (
        <option key={one} value={one}>
          {texts.fields[one]}
        </option>
      ))}
    </select>
  )
}

const tableColumns = (
  { records }: FileColumns,
  { mapping, onChange }: MappingProps
): ReadonlyArray<Column<FileColumn>> => {
  const taken = new Set(Object.values(mapping))
  /** A mapped column replaces the one that has the field by its name. */
  const isReplaced = (field: FileColumn["field"], name: string) =>
    field !== null && taken.has(field) && mapping[name.trim()] === undefined
  return [
    { name: texts.column, cell: ({ name }) => name },
    {
      name: texts.example,
      cell: ({ index }) => (
        <span className={css["example"]}>{records.map((record) => record[index]).find(Boolean)}</span>
      )
    },
    {
      name: texts.field,
      cell: ({ field, ignored, isOpen, name }) =>
        isReplaced(field, name) ? (
          texts.ignore
        ) : field === null || isOpen ? (
          <FieldChoice
            field={field}
            ignored={ignored}
            name={name.trim()}
            mapping={mapping}
            onChange={onChange}
            taken={taken}
          />
        ) : (
          texts.fields[field]
        )
    }
  ]
}

const columnsOf = ({ columns }: FileColumns): ReadonlyArray<FileColumn> => {
  const isShared = (field: string) => columns.filter((column) => column.field === field).length > 1
  return columns.flatMap(({ field, ignored, name }, index) =>
    name.trim() === "" ? [] : [{ field, ignored, name, index, isOpen: !ignored && (field === null || isShared(field)) }]
  )
}

/**
 * Columns of a CSV file that need a decision: those without a field, and those that share one. They can be mapped to a field,
 * or ignored. A button shows the recognized ones.
 */
export const ColumnsTable = ({ file, ...mapping }: MappingProps & { readonly file: FileColumns }) => {
  const [isAll, setAll] = useState(false)
  const columns = columnsOf(file)
  const open = columns.filter(({ isOpen }) => isOpen)
  const rows = isAll ? columns : open
  const recognized = columns.length - open.length
  return (
    <Stack>
      {rows.length === 0 ? undefined : (
        <Table
          caption={texts.caption}
          rows={rows}
          keyOf={({ index }) => String(index)}
          columns={tableColumns(file, mapping)}
        />
      )}
      {recognized === 0 ? undefined : (
        <Row>
          <MutedText>{texts.recognized(recognized)}</MutedText>
          <Button kind="quiet" onClick={() => setAll(!isAll)}>
            {isAll ? texts.showOpen : texts.showAll}
          </Button>
        </Row>
      )}
    </Stack>
  )
}
