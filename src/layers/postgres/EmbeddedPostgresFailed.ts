import { Effect, Schema } from "effect"

/** The server the project brings along could not be started or joined. One line, with a way out. */
export class EmbeddedPostgresFailed extends Schema.TaggedError<EmbeddedPostgresFailed>()("EmbeddedPostgresFailed", {
  reason: Schema.String
}) {
  override get message() {
    return `The embedded PostgreSQL is not available: ${this.reason}. Set DATABASE_URL to use another PostgreSQL 15+ server, or DATA_DIR to keep the data in another folder.`
  }
}

/** What was thrown, in one line. */
export const formatReason = (thrown: unknown) =>
  (thrown instanceof Error ? thrown.message : String(thrown)).trim().replaceAll(/\s*\n\s*/g, "; ")

/** Runs what may throw; the failure says what was being done. */
export const tryStep = <A>(doing: string, run: () => A): Effect.Effect<A, EmbeddedPostgresFailed> =>
  Effect.try({
    try: run,
    catch: (thrown) => new EmbeddedPostgresFailed({ reason: `${doing}: ${formatReason(thrown)}` })
  })
