import { Cause, Schema } from "effect"

/**
 * The database is out of reach, can only be read, or gave up a wait. Nothing was written, or nobody knows: a write is
 * repeated with its own key. It may come of every statement, so it travels as a defect of this class, which each surface
 * answers by its row of the error table.
 */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { cause: Schema.Defect() }) {
  override get message() {
    return "The database is out of reach or overloaded; repeat the request"
  }
}

/** Whether the database is the reason why something failed that should not. */
export const unavailableIn = (cause: Cause.Cause<unknown>): Unavailable | undefined =>
  cause.reasons
    .filter(Cause.isDieReason)
    .map(({ defect }) => defect)
    .find((defect) => defect instanceof Unavailable)
