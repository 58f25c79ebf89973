import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { formatReason } from "../layers/postgres/EmbeddedPostgresFailed.ts"
import { showProgress } from "./import/Progress.ts"
import { choice, command, group, json, toggle, withHelp } from "./Options.ts"
import { print, withInterruptNotice } from "./Output.ts"

const STOPPED = "Stopped. Run the command again to move the rest\n"

const move = command(
  "move",
  {
    to: choice("to", ["s3", "folder"], "s3: the service of S3_*. folder: DATA_DIR/media. The source is the other one"),
    isDryRun: toggle("dry-run", "Print the result without writing anything"),
    deletesSource: toggle(
      "delete-source",
      "Delete each object from the source after its bytes were read back from the target. Use it after the switch"
    ),
    json
  },
  function* ({ deletesSource, isDryRun, json, to }) {
    const { makeObjectMove } = yield* Effect.promise(() => import("../layers/media/ObjectMove.ts"))
    const { counts, run, total } = yield* makeObjectMove({
      to,
      isDryRun,
      deletesSource,
      onDamaged: ({ key, problem, storeId }) => Console.error(`Object ${key} of store ${storeId} is ${problem}`)
    })
    const work = Effect.scoped(
      Effect.andThen(
        showProgress(
          { read: () => counts.bytes, size: Option.some(total) },
          () => counts.copied + counts.present,
          "objects"
        ),
        run
      )
    )
    yield* withInterruptNotice(work, STOPPED).pipe(
      Effect.catchTag("StorageUnavailable", ({ cause }) =>
        Effect.fail({
          message: `The move stopped: ${formatReason(cause)}. Check the settings, and run the command again to move the rest`
        })
      )
    )
    yield* print(json, { to, dryRun: isDryRun, ...counts })
    if (counts.damaged > 0) {
      return yield* Effect.fail({
        message: `${counts.damaged} objects could not be moved. Restore them in the source and run the command again, or delete their files`
      })
    }
  }
).pipe(
  withHelp({
    summary: "Move the bytes of all files to S3 or to the folder",
    details:
      "Needs S3_* and DATA_DIR. Servers may run: they use the source until they restart with other settings. Run the command before this switch, and again after it for uploads since. It can be interrupted and repeated: objects that the target has are not copied again.",
    examples: ["--to s3 --dry-run", "--to s3", "--to s3 --delete-source", "--to folder --json"]
  })
)

export const files = group("files", "Manage the bytes of files").pipe(Command.withSubcommands([move]))
