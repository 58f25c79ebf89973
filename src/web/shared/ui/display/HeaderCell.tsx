import type { ReactNode } from "react"
import css from "./HeaderCell.module.css"

/** Order of the rows of a table: the name of a field, with `-` for descending. */
export interface Sorting {
  readonly sort: string
  readonly change: (sort: string) => void
}

interface HeaderCellProps {
  readonly children: ReactNode
  readonly className: string | undefined
  /** Order after the first click on this column. */
  readonly sort: string | undefined
  readonly sorting: Sorting | undefined
}

const fieldOf = (sort: string) => sort.replace(/^-/, "")
const opposite = (sort: string) => (sort.startsWith("-") ? fieldOf(sort) : `-${sort}`)

/** Header of a column, with a button that sorts by it. */
export const HeaderCell = ({ children, className, sort, sorting }: HeaderCellProps) => {
  if (sort === undefined || sorting === undefined) {
    return (
      <th scope="col" className={className}>
        {children}
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
        {children}
        <span aria-hidden="true">{isSorted ? (isDescending ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  )
}
