import { Data, Effect, FileSystem, Option, type Schema, Stream } from "effect"
import { Stores } from "../../domain/access/Stores.ts"
import type { ChangeSet, OperationResult } from "../../domain/changeSets/ChangeSet.ts"
import type { ChangeSetNotFound } from "../../domain/changeSets/Refusals.ts"
import { ChangeSets } from "../../domain/changeSets/ChangeSets.ts"
import type { ImportKind, ImportRow } from "../../domain/imports/ImportFile.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { MAX_LIMIT } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { type WriteContext, Writes } from "../../domain/Write.ts"
import { decodeResults, decodeSet, OPERATOR_RIGHT, settled } from "../ChangeSets.ts"
import { operatorContext } from "../Options.ts"
import { readJsonLines } from "./JsonLines.ts"
import { showProgress } from "./Progress.ts"
import { readShopifyCsv } from "./ShopifyCsv.ts"
import { openSource } from "./Source.ts"

/** Maximum rows and characters that are stored together. */
const MAX_ROWS = 500
const MAX_CHARACTERS = 1024 * 1024

/** Import that ended early: at a limit of the store's plan, by a fault or a cancellation. */
class ImportFailed extends Data.TaggedError("ImportFailed")<{ readonly reason: string; readonly counts: Counts }> {
  override get message() {
    const { created, refused, unchanged, updated } = this.counts
    return `${this.reason}. Created ${created}, updated ${updated}, unchanged ${unchanged}, refused ${refused}. Then run the same import again to continue`
  }
}

/** Number of rows per outcome. A dry run counts the outcomes that it would have. */
export type Counts = Readonly<Record<"created" | "updated" | "unchanged" | "refused", number>>

export interface ImportJob {
  readonly store: StoreId
  readonly kind: ImportKind
  readonly format: "jsonl" | "shopify"
  readonly file: Option.Option<string>
  /** File for refused rows. */
  readonly refused: string
  readonly encoding: string
  readonly replaceVariants: boolean
  readonly isSilent: boolean
  readonly isDryRun: boolean
}

/** Collects rows as JSON, up to a number and a size. */
const toParts = <E>(rows: Stream.Stream<ImportRow, E>): Stream.Stream<ReadonlyArray<JsonText>, E> =>
  Stream.mapAccum(
    rows,
    () => ({ part: new Array<JsonText>(), size: 0 }),
    (before, row) => {
      const json = JSON.stringify(row)
      before.part.push(json)
      const { part } = before
      const size = before.size + json.length
      return part.length >= MAX_ROWS || size >= MAX_CHARACTERS ? [{ part: [], size: 0 }, [part]] : [{ part, size }, []]
    },
    { onHalt: ({ part }) => (part.length === 0 ? [] : [part]) }
  )

/** Reads a file and stores its rows. Nothing is imported if that fails. Returns the JSON of the import. */
const upload = Effect.fnUntraced(function* (job: ImportJob, context: WriteContext) {
  const sets = yield* ChangeSets
  const { perform } = yield* Writes
  const { weightUnit } = yield* (yield* Stores).get(job.store)
  const source = yield* openSource(job.file, job.encoding)
  const id = yield* sets.begin(job.store)
  let count = 0
  yield* showProgress(source, () => count)
  return yield* Effect.gen(function* () {
    const { columns, rows } =
      job.format === "shopify"
        ? yield* readShopifyCsv(source.bytes)
        : { columns: null, rows: readJsonLines(source.bytes) }
    yield* Stream.runForEach(toParts(rows), (part) => {
      const first = count
      count += part.length
      return sets.stage(job.store, id, first, part)
    })
    const { isSilent, kind, replaceVariants } = job
    return yield* perform(
      { ...context, mode: "perform" },
      sets.import(context, id, { kind, columns, replaceVariants, weightUnit, isSilent }, count)
    )
  }).pipe(Effect.ensuring(sets.discard(job.store, id)))
}, Effect.scoped)

/** Writes the refused rows of an import to a file. */
const writeRefused = Effect.fnUntraced(function* (job: ImportJob, { id }: ChangeSet) {
  const sets = yield* ChangeSets
  const fs = yield* FileSystem.FileSystem
  const refused = Stream.paginate<string | undefined, OperationResult, ChangeSetNotFound | Schema.SchemaError>(
    undefined,
    Effect.fnUntraced(function* (cursor) {
      const page = { limit: MAX_LIMIT, cursor }
      const { items, nextCursor } = yield* sets.results(job.store, id, page, "refused", OPERATOR_RIGHT)
      return [yield* decodeResults(items), Option.fromNullishOr(nextCursor)]
    })
  )
  const lines = Stream.map(
    refused,
    ({ error, externalId, issues, line }) =>
      `${JSON.stringify({ line, externalId, reason: issues?.join("; ") ?? error })}\n`
  )
  yield* Stream.run(Stream.encodeText(lines), fs.sink(job.refused))
})

/** Stores the rows of a file and waits until they are imported. An interrupt cancels the import. */
export const importFile = Effect.fnUntraced(function* (job: ImportJob) {
  const sets = yield* ChangeSets
  const { perform } = yield* Writes
  const context: WriteContext = {
    ...operatorContext(job.store),
    surface: "import",
    mode: job.isDryRun ? "dryRun" : "perform"
  }
  const created = yield* Effect.flatMap(upload(job, context), decodeSet)
  const cancel = perform(context, sets.cancel(job.store, created.id, OPERATOR_RIGHT)).pipe(
    Effect.andThen(settled(job.store, created)),
    Effect.ignore
  )
  const set = yield* Effect.onInterrupt(settled(job.store, created), () => cancel)
  const { counts, import: imported, state } = set
  const { refused, unchanged } = counts
  const result = { created: imported?.created ?? 0, updated: imported?.updated ?? 0, unchanged, refused }
  if (refused > 0) yield* writeRefused(job, set)
  const isStopped = state === "failed" || (state === "canceled" && !job.isDryRun)
  if (isStopped) yield* new ImportFailed({ reason: set.failure ?? "The import was canceled", counts: result })
  return { changeSetId: set.id, ...result }
}, Effect.scoped)
