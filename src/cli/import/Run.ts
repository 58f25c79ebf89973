import { Data, Effect, FileSystem, Option, type Schema, Stream } from "effect"
import type { ChangeSet, OperationResult } from "../../domain/changeSets/ChangeSet.ts"
import type { ChangeSetNotFound } from "../../domain/changeSets/Refusals.ts"
import { ChangeSets } from "../../domain/changeSets/ChangeSets.ts"
import { type FileSettings, ImportFiles } from "../../domain/imports/ImportFiles.ts"
import type { Layout } from "../../domain/imports/Layout.ts"
import { MAX_LIMIT } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { type WriteContext, Writes } from "../../domain/Write.ts"
import { publicUrl } from "../../layers/PublicUrl.ts"
import { decodeResults, decodeSet, OPERATOR_RIGHT, settled } from "../ChangeSets.ts"
import { operatorContext } from "../Options.ts"
import { showProgress } from "./Progress.ts"
import { openSource } from "./Source.ts"

/** Import that ended early: at a limit of the store's plan, by a fault or a cancellation. */
class ImportFailed extends Data.TaggedError("ImportFailed")<{ readonly reason: string; readonly counts: Counts }> {
  override get message() {
    const { created, refused, unchanged, updated } = this.counts
    return `${this.reason}. Created ${created}, updated ${updated}, unchanged ${unchanged}, refused ${refused}. Then run the same import again to continue`
  }
}

/** Number of rows per outcome. A dry run counts the outcomes that it would have. */
export type Counts = Readonly<Record<"created" | "updated" | "unchanged" | "refused", number>>

export interface ImportJob extends FileSettings {
  readonly store: StoreId
  readonly file: Option.Option<string>
  /** File for refused rows. */
  readonly refused: string
  readonly isSilent: boolean
  readonly isDryRun: boolean
}

/** The URLs of copied pictures begin with the address of the service, which only `PUBLIC_URL` tells a command. */
class PublicUrlMissing extends Data.TaggedError("PublicUrlMissing") {
  override get message() {
    return "--copy-images needs PUBLIC_URL, the address of the service, such as https://partners.example.com; set it as for the service"
  }
}

const serviceUrl = Effect.flatMap(publicUrl, (url) =>
  url === undefined ? new PublicUrlMissing() : Effect.succeed(url)
)

/** Reads a file and starts its import. Returns the JSON of the import, and the layout of a CSV. */
const upload = Effect.fnUntraced(function* ({ file, store: _, ...settings }: ImportJob, context: WriteContext) {
  const { start } = yield* ImportFiles
  const source = yield* openSource(file)
  let count = 0
  yield* showProgress(source, () => count)
  const origin = settings.copyImages === true ? yield* serviceUrl : undefined
  let layout: Layout | undefined
  const set = yield* start(context, { ...settings, origin }, source.bytes, {
    onRows: (rows) => (count = rows),
    onLayout: (found) => (layout = found)
  })
  return { set, layout }
}, Effect.scoped)

/** Returns the name of the file for the cells of refused rows. Standard input and JSON Lines have none. */
const refusedCsvOf = ({ file, format, refused }: ImportJob) =>
  format === "jsonl" || Option.isNone(file)
    ? undefined
    : { source: file, target: `${refused.replace(/(?:\.refused)?\.(?:jsonl|csv)$/, "")}.refused.csv` }

/** Writes the refused rows of an import to a file, and those of a CSV with their cells to another. */
const writeRefused = Effect.fnUntraced(function* (job: ImportJob, { id }: ChangeSet) {
  const sets = yield* ChangeSets
  const fs = yield* FileSystem.FileSystem
  const refused = Stream.paginate<string | undefined, OperationResult, ChangeSetNotFound | Schema.SchemaError>(
    undefined,
    Effect.fnUntraced(function* (cursor) {
      const page = { limit: MAX_LIMIT, cursor }
      const { items, nextCursor } = yield* sets
        .results(job.store, id, page, "refused", OPERATOR_RIGHT)
        .pipe(Effect.catchTag("OperationScopeMissing", Effect.die))
      return [yield* decodeResults(items), Option.fromNullishOr(nextCursor)]
    })
  )
  const reasons = new Map<number, string>()
  const lines = Stream.map(refused, ({ error, externalId, index, issues, line }) => {
    const reason = issues?.join("; ") ?? error
    reasons.set(index, reason ?? "")
    return `${JSON.stringify({ line, externalId, reason })}\n`
  })
  yield* Stream.run(Stream.encodeText(lines), fs.sink(job.refused))
  const csv = refusedCsvOf(job)
  if (csv === undefined) return undefined
  const files = yield* ImportFiles
  const { bytes } = yield* openSource(csv.source)
  const rows = files.refused(job, bytes, reasons)
  yield* Stream.run(Stream.encodeText(rows), fs.sink(csv.target))
  return csv.target
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
  const { layout, set: started } = yield* upload(job, context)
  const created = yield* decodeSet(started)
  const cancel = perform(context, sets.cancel(job.store, created.id, OPERATOR_RIGHT)).pipe(
    Effect.andThen(settled(job.store, created)),
    Effect.ignore
  )
  const set = yield* Effect.onInterrupt(settled(job.store, created), () => cancel)
  const { counts, import: imported, state } = set
  const { refused, unchanged } = counts
  const result = { created: imported?.created ?? 0, updated: imported?.updated ?? 0, unchanged, refused }
  const refusedCsv = refused > 0 ? yield* writeRefused(job, set) : undefined
  const isStopped = state === "failed" || (state === "canceled" && !job.isDryRun)
  if (isStopped) yield* new ImportFailed({ reason: set.failure ?? "The import was canceled", counts: result })
  return { changeSetId: set.id, ...result, images: imported?.images, layout, refusedCsv }
}, Effect.scoped)
