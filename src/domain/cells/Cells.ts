import { Cause, Context, Schema } from "effect"
import { Unavailable } from "../Unavailable.ts"

/** Name of a cell: the database that holds the rows of a store. */
export const CellName = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9]{0,30}$/, {
    message: "must be 1 to 31 lower-case letters and digits that start with a letter"
  })
).pipe(Schema.brand("CellName"))
export type CellName = typeof CellName.Type

/** The cell of all stores that the directory does not name. Its database is also the global one. */
export const MAIN = CellName.make("main")

/** Cell in which background work runs, as attribute of its gauges. */
export const CurrentCell = Context.Reference<CellName>("domain/cells/CurrentCell", { defaultValue: () => MAIN })

/** The cell takes no new stores. */
export class CellClosed extends Schema.TaggedError<CellClosed>()("CellClosed", { cell: CellName }) {
  override get message() {
    return `The cell ${this.cell} was not added or takes no new stores; choose another one with: cells list`
  }
}

/**
 * The store goes to another cell, so what this cell has of it may be out of date. Like every `Unavailable`, it travels as a
 * defect. The router asks the directory for the cell and repeats the request there.
 */
export class StoreMoved extends Unavailable {
  constructor() {
    super({ cause: new Error("The store moves to another cell") })
  }
}

/** True if a cause holds {@link StoreMoved}. */
export const hasMoved = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && reason.defect instanceof StoreMoved)
