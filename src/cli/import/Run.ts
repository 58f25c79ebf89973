import { Data, Effect, Option, Result } from "effect"
import { closeSync, openSync, writeSync } from "node:fs"
import { Actor, IMPORTER } from "../../domain/Actor.ts"
import type { ImportItem, BatchResult, ImportOutcome } from "../../domain/imports/Put.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { WriteContext } from "../../domain/Write.ts"
import { type Batch, batchesOf, type Decode, makeRead, type Refusal, type Row } from "./Batches.ts"
import type { Line } from "./Lines.ts"
import { showProgress } from "./Progress.ts"
import { prefetched, openSource } from "./Source.ts"

/** What of a file was imported, or would be. */
export type Counts = Readonly<Record<ImportOutcome | "refused", number>>

/** The plan of the store allows no more. */
export class PlanFull extends Data.TaggedError("PlanFull")<{
  readonly line: number
  readonly counts: Counts
  readonly limit: string
}> {
  override get message() {
    const { created, refused, unchanged, updated } = this.counts
    return `Stopped before line ${this.line}: ${this.limit}. ${created} were created, ${updated} updated, ${unchanged} unchanged and ${refused} refused until there. After that run the same import again: it goes on where it stopped`
  }
}

/** Why a row is refused, as the API would say it. */
interface Reason {
  readonly message: string
  readonly issues?: ReadonlyArray<string>
}

const reasonOf = ({ issues, message }: Reason) => issues?.join("; ") ?? message

/** A kind of resource: how its rows are read, and put. */
export interface ImportKind<Input, E, R> {
  readonly linesOf: (bytes: AsyncIterable<Buffer>) => AsyncIterable<ReadonlyArray<Line>>
  readonly decode: Decode<Input>
  /** `planned` is how many were created before by a rehearsal. */
  readonly put: (
    context: WriteContext,
    puts: ReadonlyArray<ImportItem<Input>>,
    planned: number
  ) => Effect.Effect<BatchResult<Reason, Reason>, E, R>
}

/** What is imported, and how. */
export interface Job {
  readonly store: StoreId
  readonly file: Option.Option<string>
  readonly refused: string
  readonly isSilent: boolean
  readonly isDryRun: boolean
}

/** Writes refused rows to a file, which there is from the first of them on: a line of JSON for each. */
const openRefusedFile = (file: string) =>
  Effect.gen(function* () {
    let opened: number | undefined
    yield* Effect.addFinalizer(() => Effect.sync(() => opened !== undefined && closeSync(opened)))
    return (refusals: ReadonlyArray<Refusal>) => {
      if (refusals.length === 0) return
      opened ??= openSync(file, "w")
      writeSync(opened, refusals.map((refusal) => `${JSON.stringify(refusal)}\n`).join(""))
    }
  })

/** Puts what a file holds, a batch after the other, each a transaction. */
export const run = <Input, E, R>(job: Job, { decode, linesOf, put }: ImportKind<Input, E, R>) =>
  Effect.gen(function* () {
    const source = yield* openSource(job.file)
    const { tell } = yield* showProgress(source)
    const refuse = yield* openRefusedFile(job.refused)
    const context: WriteContext = {
      storeId: job.store,
      actor: Actor.Merchant({ id: IMPORTER }),
      surface: "import",
      cause: null,
      mode: job.isDryRun ? "dryRun" : "perform",
      isSilent: job.isSilent
    }
    const counts = { created: 0, updated: 0, unchanged: 0, refused: 0 }
    const keep = (refusals: ReadonlyArray<Refusal>) => {
      refuse(refusals)
      counts.refused += refusals.length
    }

    const importBatch = Effect.fnUntraced(function* ({ refused, rows }: Batch<Input>) {
      keep(refused)
      if (rows.length === 0) return
      const puts = rows.map(({ put }) => put)
      const { limit, outcomes } = yield* put(context, puts, job.isDryRun ? counts.created : 0)
      for (const [place, outcome] of outcomes.entries()) {
        if (Result.isSuccess(outcome)) counts[outcome.success] += 1
        else keep(refusalOf(rows[place], outcome.failure))
      }
      const next = rows[outcomes.length]
      if (Option.isSome(limit) && next !== undefined) {
        return yield* new PlanFull({ line: next.line, counts, limit: reasonOf(limit.value) })
      }
    })

    const next = prefetched(batchesOf(linesOf(source.bytes), makeRead(decode)))
    let batch = yield* next
    while (Option.isSome(batch)) {
      yield* importBatch(batch.value)
      tell(counts.created + counts.updated + counts.unchanged + counts.refused)
      batch = yield* next
    }
    return counts
  }).pipe(Effect.scoped)

const refusalOf = <Input>(row: Row<Input> | undefined, reason: Reason): ReadonlyArray<Refusal> =>
  row === undefined ? [] : [{ line: row.line, externalId: row.put.externalId, reason: reasonOf(reason) }]
