import { Data, Effect, FileSystem, Option, type PlatformError, Schema, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { type ExportKind, Exports } from "../domain/exports/Exports.ts"
import type { StoreId } from "../domain/Store.ts"
import { formatReason } from "../layers/postgres/EmbeddedPostgresFailed.ts"
import { command, group, json, option, store, withHelp } from "./Options.ts"
import { print } from "./Output.ts"

class WriteFailed extends Data.TaggedError("WriteFailed")<{ readonly reason: string }> {
  override get message() {
    return `The export could not be written: ${this.reason}. Choose another --file or free space, and export again`
  }
}

const toWriteFailed = (error: PlatformError.PlatformError) =>
  new WriteFailed({ reason: formatReason(error.cause ?? error) })

/**
 * Exports to a temporary file and renames it, so that a failed export leaves no partial file. Only its owner can read it,
 * because exports contain personal data.
 */
const exportToFile = Effect.fnUntraced(
  function* (store: StoreId, kind: ExportKind, path: string) {
    const { exportAll } = yield* Exports
    const fs = yield* FileSystem.FileSystem
    const part = `${path}.part`
    const exported = yield* Effect.scoped(
      Effect.gen(function* () {
        const file = yield* fs.open(part, { flag: "w", mode: 0o600 })
        return yield* exportAll(store, kind, (lines) => file.writeAll(Buffer.from(lines)))
      })
    )
    yield* fs.rename(part, path)
    return exported
  },
  Effect.catchTag("PlatformError", (error) => Effect.fail(toWriteFailed(error)))
)

const exportToStdout = Effect.fnUntraced(
  function* (store: StoreId, kind: ExportKind) {
    const { exportAll } = yield* Exports
    const { stdout } = yield* Stdio.Stdio
    yield* exportAll(store, kind, (lines) => Stream.run(Stream.make(lines), stdout({ endOnDone: false })))
  },
  Effect.catchTag("PlatformError", (error) => Effect.fail(toWriteFailed(error)))
)

const makeExport = (kind: ExportKind, details = "") =>
  command(
    kind,
    {
      store,
      file: Flag.optional(option("file", Schema.String, "File to write. Default: standard output")),
      json
    },
    function* ({ file, json, store }) {
      if (Option.isNone(file)) yield* exportToStdout(store, kind)
      else
        yield* print(json, { storeId: store, exported: yield* exportToFile(store, kind, file.value), file: file.value })
    }
  ).pipe(
    withHelp({
      summary: `Export all ${kind} as JSON Lines`,
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
