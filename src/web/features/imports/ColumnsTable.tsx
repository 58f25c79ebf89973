import { Struct } from "effect"
import type { FileColumns } from "../../../domain/imports/ImportFiles.ts"
import type { ColumnMapping } from "../../../domain/imports/ShopifyColumns.ts"
import { type Column, Table } from "../../shared/ui/display/Table.tsx"
import css from "./Imports.module.css"
import { importTexts } from "./importTexts.ts"

const texts = importTexts.mapping

/** Values of the choices that are no field. */
const KEEP = "keep"
const IGNORE = "ignore"

const FIELDS = Struct.keys(texts.fields)

type FileColumn = FileColumns["columns"][number] & { readonly index: number }

interface MappingProps {
  readonly mapping: ColumnMapping
  readonly onChange: (mapping: ColumnMapping) => void
}

/** Choice of the field of a column whose name has none. */
const FieldChoice = ({
  mapping,
  name,
  onChange,
  taken
}: MappingProps & { readonly name: string; readonly taken: ReadonlySet<string | null> }) => {
  const { [name]: chosen, ...others } = mapping
  const choose = (value: string) => {
    const field = FIELDS.find((one) => one === value) ?? null
    onChange(value === KEEP ? others : { ...others, [name]: field })
  }
  return (
    <select
      className={css["field"]}
      aria-label={texts.fieldOf(name)}
      value={chosen === undefined ? KEEP : (chosen ?? IGNORE)}
      onChange={({ target }) => choose(target.value)}
    >
      <option value={KEEP}>{texts.keep}</option>
      <option value={IGNORE}>{texts.ignore}</option>
      {FIELDS.filter((one) => one === chosen || !taken.has(one)).map((one) => (
        <option key={one} value={one}>
          {texts.fields[one]}
        </option>
      ))}
    </select>
  )
}

const tableColumns = (
  { columns, records }: FileColumns,
  { mapping, onChange }: MappingProps
): ReadonlyArray<Column<FileColumn>> => {
  const taken = new Set([...columns.map(({ field }) => field), ...Object.values(mapping)])
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
      cell: ({ field, name }) =>
        field === null ? (
          <FieldChoice name={name.trim()} mapping={mapping} onChange={onChange} taken={taken} />
        ) : (
          texts.fields[field]
        )
    }
  ]
}

/** Columns of a CSV file, with their fields. A column whose name has no field can be mapped to one, or ignored. */
export const ColumnsTable = ({ file, ...mapping }: MappingProps & { readonly file: FileColumns }) => (
  <Table
    caption={texts.caption}
    rows={file.columns.flatMap((column, index) => (column.name.trim() === "" ? [] : [{ ...column, index }]))}
    keyOf={({ index }) => String(index)}
    columns={tableColumns(file, mapping)}
  />
)
