import { Data, Effect, FileSystem, Option, type PlatformError, Schedule, Schema, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { UnknownStore } from "../domain/access/Stores.ts"
import type { DataKind } from "../domain/imports/DataKind.ts"
import { type Export, type ExportContent, ExportFormat } from "../domain/exports/Export.ts"
import { Exports } from "../domain/exports/Exports.ts"
import type { StoreId } from "../domain/Store.ts"
import { formatReason } from "../layers/postgres/EmbeddedPostgresFailed.ts"
import { showProgress } from "./import/Progress.ts"
import { runJobs } from "./Jobs.ts"
import { choice, command, group, json, option, store, withHelp } from "./Options.ts"
import { print, withInterruptNotice } from "./Output.ts"

class WriteFailed extends Data.TaggedError("WriteFailed")<{ readonly reason: string }> {
  override get message() {
    return `The export could not be written: ${this.reason}. Choose another --file or free space, and export again`
  }
}

class ExportFailed extends Data.TaggedError("ExportFailed")<{ readonly reason: string }> {
  override get message() {
    return `The export failed: ${this.reason}`
  }
}

const toWriteFailed = (error: PlatformError.PlatformError) =>
  new WriteFailed({ reason: formatReason(error.cause ?? error) })

const POLL = "100 millis"

/** Works on an export until this or another process has ended it, and shows the progress. */
const settled = Effect.fnUntraced(function* (store: StoreId, { id }: Export) {
  const { get } = yield* Exports
  let exported = 0
  yield* showProgress({ read: () => 0, size: Option.none() }, () => exported)
  yield* runJobs(store)
  const ended = yield* get(store, id).pipe(
    Effect.tap((seen) => Effect.sync(() => (exported = seen.exported))),
    Effect.repeat({ until: ({ state }) => state !== "running", schedule: Schedule.spaced(POLL) })
  )
  if (ended.state === "finished") return ended
  return yield* new ExportFailed({ reason: ended.failure ?? "it was canceled" })
}, Effect.scoped)

/**
 * Exports rows and passes them to `write`, several at a time. The end of the command deletes the export,
 * which stops it if it runs. Returns the number of rows.
 */
const exportAll = Effect.fnUntraced(function* <E, R>(
  store: StoreId,
  content: ExportContent,
  write: (lines: string) => Effect.Effect<void, E, R>
) {
  const exports = yield* Exports
  return yield* Effect.acquireUseRelease(
    Effect.catchTag(exports.create(store, content), "StoreNotFound", () =>
      Effect.fail(new UnknownStore({ id: store }))
    ),
    Effect.fnUntraced(function* (created) {
      const { exported, id } = yield* settled(store, created)
      yield* Stream.runForEach(exports.read(store, id), write)
      return exported
    }),
    ({ id }) => exports.delete(store, id)
  )
})

/**
 * Exports to a temporary file and renames it, so that a failed export leaves no partial file. Only its owner can read it,
 * because exports contain personal data.
 */
const exportToFile = Effect.fnUntraced(
  function* (store: StoreId, content: ExportContent, path: string) {
    const fs = yield* FileSystem.FileSystem
    const part = `${path}.part`
    const exported = yield* Effect.scoped(
      Effect.gen(function* () {
        const file = yield* fs.open(part, { flag: "w", mode: 0o600 })
        return yield* exportAll(store, content, (lines) => file.writeAll(Buffer.from(lines)))
      })
    )
    yield* fs.rename(part, path)
    return exported
  },
  Effect.catchTag("PlatformError", (error) => Effect.fail(toWriteFailed(error)))
)

const exportToStdout = Effect.fnUntraced(
  function* (store: StoreId, content: ExportContent) {
    const { stdout } = yield* Stdio.Stdio
    yield* exportAll(store, content, (lines) => Stream.run(Stream.make(lines), stdout({ endOnDone: false })))
  },
  Effect.catchTag("PlatformError", (error) => Effect.fail(toWriteFailed(error)))
)

const STOPPED = "Stopped. The export was deleted; run the command again to export\n"

const makeExport = (kind: DataKind, details = "") =>
  command(
    kind,
    {
      store,
      file: Flag.optional(option("file", Schema.String, "File to write. Default: standard output")),
      format: choice("format", ExportFormat.literals, "JSON Lines, or CSV for spreadsheets. Default: jsonl").pipe(
        Flag.withDefault("jsonl")
      ),
      json
    },
    function* ({ file, format, json, store }) {
      const content = { kind, format }
      if (Option.isNone(file)) return yield* withInterruptNotice(exportToStdout(store, content), STOPPED)
      const exported = yield* withInterruptNotice(exportToFile(store, content, file.value), STOPPED)
      yield* print(json, { storeId: store, exported, file: file.value })
    }
  ).pipe(
    withHelp({
      summary: `Export all ${kind} as JSON Lines or CSV`,
      details: `${details}The import command reads the file.`,
      examples: [`--store <id> --file ${kind}.jsonl`, `--store <id> > ${kind}.jsonl`]
    })
  )

const PERSONAL_DATA = "The export contains personal data. Only the owner of --file can read it. "

export const exportCommands = group("export", "Export the data of a store").pipe(
  Command.withSubcommands([
    makeExport("products"),
    makeExport("collections"),
    makeExport("orders", PERSONAL_DATA),
    makeExport("customers", PERSONAL_DATA)
  ])
)
