import { Data, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { createWriteStream, openSync, renameSync } from "node:fs"
import { type ExportKind, Exports } from "../domain/exports/Exports.ts"
import { StoreId } from "../domain/Store.ts"
import { reasonOf } from "../layers/postgres/Failed.ts"
import { command, group, json, option } from "./Options.ts"
import { print } from "./Output.ts"

class WriteFailed extends Data.TaggedError("WriteFailed")<{ readonly reason: string }> {
  override get message() {
    return `The export could not be written: ${this.reason}`
  }
}

const failed = (thrown: unknown) => new WriteFailed({ reason: reasonOf(thrown) })

/** Writes a text, and waits until there is room for the next one. */
const writeTo =
  (stream: NodeJS.WritableStream) =>
  (text: string): Effect.Effect<void, WriteFailed> =>
    Effect.callback((resume) => {
      stream.write(text, (error) => resume(error ? failed(error) : Effect.void))
    })

/** What breaks a stream is told to who writes to it. */
const ignoreErrors = <Stream extends NodeJS.WritableStream>(stream: Stream): Stream => stream.on("error", () => {})

const end = (stream: NodeJS.WritableStream) =>
  Effect.callback<void>((resume) => {
    stream.end(() => resume(Effect.void))
  })

const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: failed })

/** The stream of a file, which is for its owner alone. */
const openFile = (file: string) =>
  Effect.acquireRelease(
    attempt(() => ignoreErrors(createWriteStream(file, { fd: openSync(file, "w", 0o600) }))),
    end
  )

/** Writes to a file beside the one that is meant, which is there when it is whole. */
const exportToFile = Effect.fn(function* (store: StoreId, kind: ExportKind, file: string) {
  const { exportAll } = yield* Exports
  const exported = yield* Effect.scoped(
    Effect.flatMap(openFile(`${file}.part`), (stream) => exportAll(store, kind, writeTo(stream)))
  )
  yield* attempt(() => renameSync(`${file}.part`, file))
  return exported
})

const kindOf = (kind: ExportKind, description: string) =>
  command(
    kind,
    {
      store: option("store", StoreId, "The store's id"),
      file: Flag.optional(option("file", Schema.String, "Where to write; standard output when not given")),
      json
    },
    function* ({ file, json, store }) {
      const { exportAll } = yield* Exports
      if (Option.isNone(file)) yield* exportAll(store, kind, writeTo(ignoreErrors(process.stdout)))
      else
        yield* print(json, { storeId: store, exported: yield* exportToFile(store, kind, file.value), file: file.value })
    }
  ).pipe(Command.withDescription(description))

export const exportCommands = group("export", "Take out what a store holds, as an import brings it back").pipe(
  Command.withSubcommands([
    kindOf("products", "Every product, as JSON Lines"),
    kindOf("collections", "Every collection, as JSON Lines"),
    kindOf("orders", "Every order, as JSON Lines, with personal data"),
    kindOf("customers", "Every customer, as JSON Lines, with personal data")
  ])
)
