import { Data, Effect, FileSystem, Option, Result, Stream } from "effect"
import { Actor, IMPORTER } from "../../domain/Actor.ts"
import type { ImportItem, BatchResult, ImportOutcome } from "../../domain/imports/Put.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { WriteContext } from "../../domain/Write.ts"
import { type Batch, type ReadRows, type Refusal, toBatches } from "./Batches.ts"
import { showProgress } from "./Progress.ts"
import { openSource } from "./Source.ts"

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

/** Imports a file batch by batch, each in a transaction. */
export const importFile = Effect.fnUntraced(function* <Input, E, R>(
  job: ImportJob,
  { readRows, write }: ImportKind<Input, E, R>
) {
  const fs = yield* FileSystem.FileSystem
  const source = yield* openSource(job.file, job.encoding)
  /** Opened with the first refused row. */
  const refusedFile = yield* Effect.cached(fs.open(job.refused, { flag: "w" }))
  const context: WriteContext = {
    storeId: job.store,
    actor: Actor.Merchant({ id: IMPORTER }),
    surface: "import",
    cause: null,
    mode: job.isDryRun ? "dryRun" : "perform",
    isSilent: job.isSilent
  }
  const counts = { created: 0, updated: 0, unchanged: 0, refused: 0 }
  yield* showProgress(source, () => counts.created + counts.updated + counts.unchanged + counts.refused)

  const refuse = Effect.fnUntraced(function* (refusals: ReadonlyArray<Refusal>) {
    if (refusals.length === 0) return
    const lines = refusals.map((refusal) => `${JSON.stringify(refusal)}\n`).join("")
    yield* (yield* refusedFile).writeAll(Buffer.from(lines))
    counts.refused += refusals.length
  })

  const importBatch = Effect.fnUntraced(function* ({ refused, rows }: Batch<Input>) {
    yield* refuse(refused)
    if (rows.length === 0) return
    const items = rows.map(({ item }) => item)
    const { limit, outcomes } = yield* write(context, items, job.isDryRun ? counts.created : 0)
    for (const outcome of outcomes) if (Result.isSuccess(outcome)) counts[outcome.success] += 1
    yield* refuse(
      rows.flatMap(({ item: { externalId }, line }, index) => {
        const outcome = outcomes[index]
        return outcome && Result.isFailure(outcome) ? [{ line, externalId, reason: reasonOf(outcome.failure) }] : []
      })
    )
    const next = rows[outcomes.length]
    if (Option.isSome(limit) && next !== undefined) {
      return yield* new PlanFull({ line: next.line, counts, limit: reasonOf(limit.value) })
    }
  })

  yield* toBatches(readRows(source.bytes)).pipe(
    // Reads the next batch while this one is written.
    Stream.buffer({ capacity: 1 }),
    Stream.runForEach(importBatch)
  )
  return counts
}, Effect.scoped)
