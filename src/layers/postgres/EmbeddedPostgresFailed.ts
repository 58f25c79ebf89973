import { Effect, Schema } from "effect"

/** The embedded server could not be started or joined. The message is one line and names an alternative. */
export class EmbeddedPostgresFailed extends Schema.TaggedError<EmbeddedPostgresFailed>()("EmbeddedPostgresFailed", {
  reason: Schema.String
}) {
  override get message() {
    return `The embedded PostgreSQL is not available: ${this.reason}. Set DATABASE_URL to use another PostgreSQL 15+ server, or DATA_DIR to keep the data in another folder.`
  }
}

/** Formats a thrown value in one line. */
export const formatReason = (thrown: unknown) =>
  (thrown instanceof Error ? thrown.message : String(thrown)).trim().replaceAll(/\s*\n\s*/g, "; ")

/** Runs a function that may throw. `step` describes it in the error. */
export const tryStep = <A>(step: string, run: () => A): Effect.Effect<A, EmbeddedPostgresFailed> =>
  Effect.try({
    try: run,
    catch: (thrown) => new EmbeddedPostgresFailed({ reason: `${step}: ${formatReason(thrown)}` })
  })
