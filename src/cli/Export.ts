import { Data, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { createWriteStream, openSync, renameSync } from "node:fs"
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

const toWriteFailed = (thrown: unknown) => new WriteFailed({ reason: formatReason(thrown) })

/** Writes a text and waits until the stream accepts more. */
const writeTo =
  (stream: NodeJS.WritableStream) =>
  (text: string): Effect.Effect<void, WriteFailed> =>
    Effect.callback((resume) => {
      stream.write(text, (error) => resume(error ? toWriteFailed(error) : Effect.void))
    })

/** Ignores error events: each `write` receives its error in its callback. */
const ignoreErrors = <Stream extends NodeJS.WritableStream>(stream: Stream): Stream => stream.on("error", () => {})

const end = (stream: NodeJS.WritableStream) =>
  Effect.callback<void>((resume) => {
    stream.end(() => resume(Effect.void))
  })

const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: toWriteFailed })

/** Opens a file that only its owner can read, because exports contain personal data. */
const openFile = (file: string) =>
  Effect.acquireRelease(
    attempt(() => ignoreErrors(createWriteStream(file, { fd: openSync(file, "w", 0o600) }))),
    end
  )

/** Exports to a temporary file and renames it, so that a failed export leaves no partial file. */
const exportToFile = Effect.fn(function* (store: StoreId, kind: ExportKind, file: string) {
  const { exportAll } = yield* Exports
  const exported = yield* Effect.scoped(
    Effect.flatMap(openFile(`${file}.part`), (stream) => exportAll(store, kind, writeTo(stream)))
  )
  yield* attempt(() => renameSync(`${file}.part`, file))
  return exported
})

const makeExport = (kind: ExportKind, details = "") =>
  command(
    kind,
    {
      store,
      file: Flag.optional(option("file", Schema.String, "File to write. Default: standard output")),
      json
    },
    function* ({ file, json, store }) {
      const { exportAll } = yield* Exports
      if (Option.isNone(file)) yield* exportAll(store, kind, writeTo(ignoreErrors(process.stdout)))
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
