import { Cause, Schema } from "effect"

/**
 * The database is unreachable, is read-only, or aborted a wait. The write was not done, or its outcome is unknown:
 * clients repeat it with the same key. Every statement can raise it, so it travels as a defect, which each surface maps
 * by its error table.
 */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { cause: Schema.Defect() }) {
  override get message() {
    return "The database is out of reach or overloaded; repeat the request"
  }
}

/** Returns the `Unavailable` defect in a cause, if any. */
export const unavailableIn = (cause: Cause.Cause<unknown>): Unavailable | undefined =>
  cause.reasons
    .filter(Cause.isDieReason)
    .map(({ defect }) => defect)
    .find((defect) => defect instanceof Unavailable)
