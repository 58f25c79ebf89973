import type { ReactNode } from "react"
import { Button } from "../form/Button.tsx"
import { HeaderCell, type Sorting } from "./HeaderCell.tsx"
import css from "./Table.module.css"
import { uiTexts } from "../uiTexts.ts"

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  /** Aligns the column right. */
  readonly isNumber?: boolean
  /** Hides the column name visually, for columns of buttons. */
  readonly isNameHidden?: boolean
  /** Order after the first click on the header. Without it, the column does not sort. */
  readonly sort?: string
}

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
    <table className={css["table"]}>
      <caption className={css["visuallyHidden"]}>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ isNameHidden = false, isNumber = false, name, sort }) => (
            <HeaderCell key={name} className={isNumber ? css["number"] : undefined} sort={sort} sorting={sorting}>
              {isNameHidden ? <span className={css["visuallyHidden"]}>{name}</span> : name}
            </HeaderCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ cell, isNameHidden = false, isNumber = false, name }) => (
              <td
                key={name}
                className={isNumber ? css["number"] : undefined}
                data-label={isNameHidden ? undefined : name}
              >
                {cell(row)}
              </td>
            ))}
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
