import { Context, Data, Effect } from "effect"
import type { Apps } from "../domain/access/Apps.ts"
import type { Installations } from "../domain/access/Installations.ts"
import type { Stores } from "../domain/access/Stores.ts"
import type { CellName } from "../domain/cells/Cells.ts"
import { printList } from "./Output.ts"

/** Services whose rows are in all cells. */
export type Listed = Apps | Installations | Stores

/** Rows of the cells besides `main`, and the names of those that are out of reach. */
export interface OtherRows<A> {
  readonly found: ReadonlyArray<{ readonly cell: CellName; readonly rows: ReadonlyArray<A> }>
  readonly missing: ReadonlyArray<CellName>
}

/** Lists rows of the cells besides `main`. Without `CELLS` there are none. */
export class OtherCells extends Context.Service<
  OtherCells,
  { readonly list: <A, E>(rows: Effect.Effect<ReadonlyArray<A>, E, Listed>) => Effect.Effect<OtherRows<A>, E> }
>()("cli/OtherCells") {}

/** A printed list lacks the rows of some cells. */
class RowsMissing extends Data.TaggedError("RowsMissing")<{ readonly cells: ReadonlyArray<CellName> }> {
  override get message() {
    return `The list has no rows of cells that are out of reach: ${this.cells.join(", ")}. Check them with: partner-api doctor`
  }
}

/** Prints the rows of all cells. Fails after it if some cells are out of reach. */
export const printRows = Effect.fnUntraced(function* (
  asJson: boolean,
  name: string,
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
  { missing }: OtherRows<unknown>
) {
  yield* printList(asJson, name, rows)
  if (missing.length > 0) yield* new RowsMissing({ cells: missing })
})

/** Returns the rows with the greatest ids, which are the newest. */
export const newest = <A>(rows: ReadonlyArray<A>, id: (row: A) => string, limit: number): ReadonlyArray<A> =>
  rows.toSorted((a, b) => (id(a) < id(b) ? 1 : -1)).slice(0, limit)
