import type { ReactNode } from "react"
import { Button } from "../form/Button.tsx"
import css from "./Table.module.css"
import { uiTexts } from "../../sharedTexts.ts"

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row, index: number) => ReactNode
  /** Header content instead of the name, such as a checkbox. */
  readonly head?: ReactNode
  /** Aligns the column right. */
  readonly isNumber?: boolean
  /** Hides the column name visually, for columns of buttons. */
  readonly isNameHidden?: boolean
  /** Order after the first click on the header. Without it, the column does not sort. */
  readonly sort?: string
}

/** Order of the rows of a table: the name of a field, with `-` for descending. */
export interface Sorting {
  readonly sort: string
  readonly change: (sort: string) => void
}

const fieldOf = (sort: string) => sort.replace(/^-/, "")
const opposite = (sort: string) => (sort.startsWith("-") ? fieldOf(sort) : `-${sort}`)

/** Header of a column, with a button that sorts by it. */
const HeaderCell = <Row,>({
  column: { head, isNameHidden = false, isNumber = false, name, sort },
  sorting
}: {
  readonly column: Column<Row>
  readonly sorting: Sorting | undefined
}) => {
  const className = isNumber ? css["number"] : undefined
  const content = head ?? (isNameHidden ? <span className={css["visuallyHidden"]}>{name}</span> : name)
  if (sort === undefined || sorting === undefined) {
    return (
      <th scope="col" className={className}>
        {content}
      </th>
    )
  }
  const isSorted = fieldOf(sort) === fieldOf(sorting.sort)
  const isDescending = isSorted && sorting.sort.startsWith("-")
  return (
    <th
      scope="col"
      className={className}
      aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : undefined}
    >
      <button
        type="button"
        className={css["sort"]}
        onClick={() => sorting.change(isSorted ? opposite(sorting.sort) : sort)}
      >
        {content}
        <span aria-hidden="true">{isSorted ? (isDescending ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  )
}

interface HeaderProps<Row> {
  readonly columns: ReadonlyArray<Column<Row>>
  readonly sorting: Sorting | undefined
  /** Index of the header row, if the table renders only some rows. */
  readonly rowIndex?: number
}

export const TableHeader = <Row,>({ columns, rowIndex, sorting }: HeaderProps<Row>) => (
  <thead>
    <tr aria-rowindex={rowIndex}>
      {columns.map((column) => (
        <HeaderCell key={column.name} column={column} sorting={sorting} />
      ))}
    </tr>
  </thead>
)

interface CellsProps<Row> {
  readonly columns: ReadonlyArray<Column<Row>>
  readonly row: Row
  readonly index: number
}

/** Cells of a row. On a card, their labels are the names of the columns. */
export const Cells = <Row,>({ columns, index, row }: CellsProps<Row>) =>
  columns.map(({ cell, isNameHidden = false, isNumber = false, name }) => (
    <td key={name} className={isNumber ? css["number"] : undefined} data-label={isNameHidden ? undefined : name}>
      {cell(row, index)}
    </td>
  ))

interface TableProps<Row> {
  readonly caption: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
  readonly sorting?: Sorting
}

/** Table whose rows become cards on narrow screens. */
export const Table = <Row,>({ caption, columns, keyOf, rows, sorting }: TableProps<Row>) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- Keyboard users scroll a focused region.
  <section className={css["scroller"]} tabIndex={0} aria-label={caption}>
    <table className={`${css["table"]} ${css["plain"]}`}>
      <caption className={css["visuallyHidden"]}>{caption}</caption>
      <TableHeader columns={columns} sorting={sorting} />
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf(row)}>
            <Cells columns={columns} row={row} index={index} />
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

interface MoreProps {
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly load: () => void
}

/** Loads the next page of a list. */
export const More = ({ hasMore, isLoading, load }: MoreProps) =>
  hasMore ? (
    <div className={css["more"]}>
      <Button onClick={load} isBusy={isLoading}>
        {isLoading ? uiTexts.table.loading : uiTexts.table.showMore}
      </Button>
    </div>
  ) : undefined
