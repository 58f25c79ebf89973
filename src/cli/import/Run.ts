import { Data, Effect, Option, Result } from "effect"
import { closeSync, openSync, writeSync } from "node:fs"
import { Actor, IMPORTER } from "../../domain/Actor.ts"
import type { ImportItem, BatchResult, ImportOutcome } from "../../domain/imports/Put.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { WriteContext } from "../../domain/Write.ts"
import { type Batch, readBatches, type ReadRows, type Refusal, type Row } from "./Batches.ts"
import { showProgress } from "./Progress.ts"
import { openSource, prefetch, toUtf8, UTF_8 } from "./Source.ts"

/** Number of rows per outcome. A dry run counts the outcomes that it would have. */
export type Counts = Readonly<Record<ImportOutcome | "refused", number>>

/** Import that stopped at a limit of the store's plan. */
export class PlanFull extends Data.TaggedError("PlanFull")<{
  readonly line: number
  readonly counts: Counts
  readonly limit: string
}> {
  override get message() {
    const { created, refused, unchanged, updated } = this.counts
    return `Stopped before line ${this.line}: ${this.limit}. Created ${created}, updated ${updated}, unchanged ${unchanged}, refused ${refused}. Then run the same import again to continue`
  }
}

/** Error of the API for a row. */
interface RowError {
  readonly message: string
  readonly issues?: ReadonlyArray<string>
}

const reasonOf = ({ issues, message }: RowError) => issues?.join("; ") ?? message

/** Functions that read and write the rows of one kind of resource. */
export interface ImportKind<Input, E, R> {
  readonly readRows: ReadRows<Input>
  /** `planned` is the number of resources that earlier batches of a dry run would have created. */
  readonly write: (
    context: WriteContext,
    items: ReadonlyArray<ImportItem<Input>>,
    planned: number
  ) => Effect.Effect<BatchResult<RowError, RowError>, E, R>
}

export interface ImportJob {
  readonly store: StoreId
  readonly file: Option.Option<string>
  readonly refused: string
  readonly encoding: string
  readonly isSilent: boolean
  readonly isDryRun: boolean
}

/** Makes a function that writes refused rows as JSON Lines. The file is created with the first of them. */
const openRefusedFile = (file: string) =>
  Effect.gen(function* () {
    let descriptor: number | undefined
    yield* Effect.addFinalizer(() => Effect.sync(() => descriptor !== undefined && closeSync(descriptor)))
    return (refusals: ReadonlyArray<Refusal>) => {
      if (refusals.length === 0) return
      descriptor ??= openSync(file, "w")
      writeSync(descriptor, refusals.map((refusal) => `${JSON.stringify(refusal)}\n`).join(""))
    }
  })

/** Imports a file batch by batch, each in a transaction. */
export const importFile = <Input, E, R>(job: ImportJob, { readRows, write }: ImportKind<Input, E, R>) =>
  Effect.gen(function* () {
    const source = yield* openSource(job.file)
    const { update } = yield* showProgress(source)
    const writeRefused = yield* openRefusedFile(job.refused)
    const context: WriteContext = {
      storeId: job.store,
      actor: Actor.Merchant({ id: IMPORTER }),
      surface: "import",
      cause: null,
      mode: job.isDryRun ? "dryRun" : "perform",
      isSilent: job.isSilent
    }
    const counts = { created: 0, updated: 0, unchanged: 0, refused: 0 }
    const refuse = (refusals: ReadonlyArray<Refusal>) => {
      writeRefused(refusals)
      counts.refused += refusals.length
    }

    const importBatch = Effect.fnUntraced(function* ({ refused, rows }: Batch<Input>) {
      refuse(refused)
      if (rows.length === 0) return
      const items = rows.map(({ item }) => item)
      const { limit, outcomes } = yield* write(context, items, job.isDryRun ? counts.created : 0)
      for (const [index, outcome] of outcomes.entries()) {
        if (Result.isSuccess(outcome)) counts[outcome.success] += 1
        else refuse(refusalOf(rows[index], outcome.failure))
      }
      const next = rows[outcomes.length]
      if (Option.isSome(limit) && next !== undefined) {
        return yield* new PlanFull({ line: next.line, counts, limit: reasonOf(limit.value) })
      }
    })

    const bytes = job.encoding === UTF_8 ? source.bytes : toUtf8(source.bytes, job.encoding)
    const nextBatch = prefetch(readBatches(readRows(bytes)))
    let batch = yield* nextBatch
    while (Option.isSome(batch)) {
      yield* importBatch(batch.value)
      update(counts.created + counts.updated + counts.unchanged + counts.refused)
      batch = yield* nextBatch
    }
    return counts
  }).pipe(Effect.scoped)

const refusalOf = <Input>(row: Row<Input> | undefined, error: RowError): ReadonlyArray<Refusal> =>
  row === undefined ? [] : [{ line: row.line, externalId: row.item.externalId, reason: reasonOf(error) }]
