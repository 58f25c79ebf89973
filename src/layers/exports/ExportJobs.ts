import { Context, Data, Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { type ExportContent, ExportId, type ExportState } from "../../domain/exports/Export.ts"
import { CSV_HEADERS, csvRow } from "../../domain/imports/Csv.ts"
import type { DataKind } from "../../domain/imports/DataKind.ts"
import { type StoreId, StoreNotFound } from "../../domain/Store.ts"
import { type Job, Jobs, type JobWork, type LeaseLost } from "../jobs/Jobs.ts"
import { isDatabaseFault, orDefect } from "../sql/Errors.ts"
import { START } from "../sql/Pages.ts"
import { SnapshotConnections } from "../sql/Postgres.ts"
import { ReadReplica } from "../sql/Replica.ts"
import { rowsReader } from "../sql/Rows.ts"
import { makeTransaction, snapshot } from "../sql/Transaction.ts"
import { ExportRepository } from "./ExportRepository.ts"
import { makeExportFilter } from "./Filters.ts"
import { lineOf, Row, type RowFilter, SELECT_ROWS } from "./Rows.ts"

/** Maximum bytes of a part, unless it is a single larger row. */
const PART_BYTES = 1024 * 1024

/** Maximum rows of a part, and of a statement that reads them. A collection may have 10,000 members. */
const ROWS: Record<DataKind, number> = { products: 500, collections: 20, orders: 500, customers: 500 }

const readRows = rowsReader(Row)

interface Part {
  readonly rows: number
  readonly bytes: number
  readonly lines: string
}

const EMPTY: Part = { rows: 0, bytes: 0, lines: "" }

/** The export was canceled while it was written. */
class Canceled extends Data.TaggedError("Canceled") {}

const toId = (job: Job) => ExportId.make(job.subjectId, { disableChecks: true })

/** Passes the rows of an export to `store`, part by part, from one snapshot. Memory holds the rows of one statement. */
const readAll = Effect.fnUntraced(function* <E>(
  reading: SqlClient.SqlClient,
  storeId: StoreId,
  { format, kind }: ExportContent,
  filter: RowFilter,
  store: (part: Part) => Effect.Effect<void, E>
) {
  // A part may wait for a connection or a lock. Nothing waits for this transaction, which locks no row.
  yield* reading`select set_config('idle_in_transaction_session_timeout', '0', true)`
  const stores = yield* reading`select id from stores where id = ${storeId} and deleted_at is null`
  if (stores.length === 0) return yield* new StoreNotFound()
  const header = format === "csv" ? CSV_HEADERS[kind] : ""
  let part: Part = { ...EMPTY, bytes: Buffer.byteLength(header), lines: header }
  let cursor: string | undefined = START
  while (cursor !== undefined) {
    const page = { store: storeId, filter, after: cursor, limit: ROWS[kind], bytes: PART_BYTES }
    const rows: ReadonlyArray<Row> = yield* readRows(reading`${SELECT_ROWS[kind](page)}`)
    for (const row of rows) {
      const line = format === "csv" ? csvRow(kind, lineOf(kind, row)) : `${lineOf(kind, row)}\n`
      const bytes = Buffer.byteLength(line)
      if (part.rows === ROWS[kind] || (part.rows > 0 && part.bytes + bytes > PART_BYTES)) {
        yield* store(part)
        part = EMPTY
      }
      part = { rows: part.rows + 1, bytes: part.bytes + bytes, lines: part.lines + line }
    }
    cursor = rows.at(-1)?.id
  }
  if (part.lines !== "") yield* store(part)
})

/** Step of the job that writes an export. */
export class ExportJobs extends Context.Service<ExportJobs>()("layers/exports/ExportJobs", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const jobs = yield* Jobs
    const repository = yield* ExportRepository
    const { open } = yield* SnapshotConnections
    const replica = yield* ReadReplica
    const compileFilter = yield* makeExportFilter

    const inTransaction = makeTransaction(sql)

    /** Ends an export and its job together. */
    const end = (job: Job, state: Exclude<ExportState, "running">, failure: string | null = null) =>
      inTransaction(Effect.andThen(jobs.finish(job), repository.finish(job.storeId, toId(job), state, failure))).pipe(
        Effect.as("finished" as const)
      )

    const keep = Effect.fnUntraced(function* (job: Job) {
      if (yield* jobs.keep(job)) yield* new Canceled()
    })

    /** Stores all parts, each in a transaction that keeps the lease. Deletes those of a runner that died. */
    const storePartsFrom = Effect.fnUntraced(function* (connect: typeof open, job: Job, content: ExportContent) {
      const { storeId } = job
      const id = toId(job)
      yield* inTransaction(Effect.andThen(keep(job), repository.deleteParts(storeId, id)))
      const reading = yield* orDefect(connect)
      let [index, exported, bytes] = [0, 0, 0]
      const storePart = (part: Part): Effect.Effect<void, Canceled | LeaseLost> =>
        inTransaction(
          Effect.suspend(() => {
            exported += part.rows
            bytes += part.bytes
            const stored = { index: index++, lines: part.lines, exported, bytes }
            return Effect.andThen(keep(job), repository.insertPart(storeId, id, stored))
          })
        )
      const write = Effect.flatMap(compileFilter(storeId, content), (filter) =>
        readAll(reading, storeId, content, filter, storePart)
      )
      yield* orDefect(snapshot(reading, write))
    }, Effect.scoped)

    /** Reads the replica once it has all that is committed now. Reads the primary if that takes too long or fails. */
    const storeParts = Effect.fnUntraced(function* (job: Job, content: ExportContent) {
      const fromPrimary = storePartsFrom(open, job, content)
      if (Option.isNone(replica) || !(yield* orDefect(replica.value.awaitLatest))) return yield* fromPrimary
      return yield* Effect.catchCause(storePartsFrom(replica.value.open, job, content), (cause) =>
        isDatabaseFault(cause) ? fromPrimary : Effect.failCause(cause)
      )
    })

    const step = Effect.fn("ExportJobs.write")(function* (job: Job) {
      const found = yield* repository.getContent(job.storeId, toId(job))
      if (Option.isNone(found) || found.value.state !== "running") {
        yield* jobs.finish(job)
        return "finished" as const
      }
      const stored = yield* Effect.result(storeParts(job, found.value.content))
      if (Result.isSuccess(stored)) return yield* end(job, "finished")
      const error = stored.failure
      if (error._tag === "LeaseLost") return yield* error
      return error._tag === "Canceled" ? yield* end(job, "canceled") : yield* end(job, "failed", error.message)
    })

    const write: JobWork = {
      step,
      fail: (job) =>
        Effect.asVoid(end(job, "failed", "An unexpected failure, which the log of the service describes; export again"))
    }
    return { write }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
