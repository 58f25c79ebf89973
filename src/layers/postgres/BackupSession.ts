import { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { BackupFailed } from "./BackupFiles.ts"
import { embeddedPostgres } from "./EmbeddedPostgres.ts"
import { type EmbeddedPostgresFailed, formatReason } from "./EmbeddedPostgresFailed.ts"

export const toFailure = (error: EmbeddedPostgresFailed | BackupFailed | SqlError.SqlError) => {
  if (error instanceof BackupFailed) return error
  if ("reason" in error && typeof error.reason === "string") return new BackupFailed({ message: error.reason })
  return new BackupFailed({ message: `The database failed: ${formatReason(error.cause ?? error)}` })
}

/** Starts or joins the server of a data folder, and opens a session until the end of the scope. */
export const openSession = (dataDir: string) =>
  Effect.gen(function* () {
    const url = yield* embeddedPostgres({ dataDir })
    const session = yield* PgConnection.make({ url, applicationName: "partner-api backup" })
    return <Row, RowJson>(row: Schema.Codec<Row, RowJson>, statement: string) =>
      Effect.flatMap(session.query(statement), ({ rows }) =>
        Effect.orDie(Schema.decodeUnknownEffect(Schema.NonEmptyArray(row))(rows))
      ).pipe(Effect.mapError(toFailure))
  }).pipe(Effect.mapError(toFailure))
