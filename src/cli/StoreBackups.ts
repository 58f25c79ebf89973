import { Console, Effect, Option, Schema } from "effect"
import type { StorageUnavailable } from "../domain/media/ObjectStorage.ts"
import { formatReason } from "../layers/postgres/EmbeddedPostgresFailed.ts"
import type { Progress } from "../layers/storeBackup/StoreExport.ts"
import { showProgress } from "./import/Progress.ts"
import { command, json, option, store, toggle, withHelp } from "./Options.ts"
import { print, withInterruptNotice } from "./Output.ts"

/** Imported when a command runs. */
const importExport = Effect.promise(() => import("../layers/storeBackup/StoreExport.ts"))
const importRestore = Effect.promise(() => import("../layers/storeBackup/StoreRestore.ts"))

/** Shows the progress of the work: rows and objects. */
const withProgress = <A, E, R>(work: (progress: Progress) => Effect.Effect<A, E, R>, notice: string) => {
  const progress: Progress = { done: 0, total: 0 }
  const read = () => (progress.total === 0 ? 0 : progress.done / progress.total)
  const shown = showProgress({ read, size: Option.some(1) }, () => progress.done)
  return withInterruptNotice(Effect.scoped(Effect.andThen(shown, work(progress))), notice)
}

const explainStorage = ({ cause }: StorageUnavailable) =>
  Effect.fail({
    message: `The storage of files failed: ${formatReason(cause)}. Check S3_* or DATA_DIR, and run the command again`
  })

const file = option("file", Schema.String, "File of the backup")

export const exportStore = command("export", { store, file, json }, function* ({ file, json, store }) {
  const { exportStore } = yield* importExport
  const { damaged, manifest } = yield* withProgress(
    (progress) =>
      exportStore(store, file, progress, ({ key, problem }) => Console.error(`Object ${key} is ${problem}`)),
    "Stopped. The incomplete backup was deleted\n"
  ).pipe(Effect.catchTag("StorageUnavailable", explainStorage))
  yield* print(json, {
    storeId: store,
    name: manifest.store.name,
    createdAt: manifest.createdAt,
    rows: Object.values(manifest.rows).reduce((sum, rows) => sum + rows, 0),
    objects: manifest.objects.count - damaged,
    damaged,
    file
  })
  if (damaged > 0) {
    return yield* Effect.fail({
      message: `The backup lacks the bytes of ${damaged} objects. Restore them in the storage and export again, or delete their files`
    })
  }
}).pipe(
  withHelp({
    summary: "Export everything of a store to a file",
    details:
      "The store stays in use; rows are those of one moment. Tokens, sessions, invitations and secrets are not part of it. The file holds personal data: only its owner can read it.",
    examples: ["--store <id> --file store.backup"]
  })
)

export const restoreStore = command(
  "restore",
  {
    file,
    withoutApps: toggle("without-apps", "Leave out installations of apps that do not exist here, with their data"),
    resumesDeliveries: toggle(
      "resume-deliveries",
      "Send pending deliveries. Otherwise they are canceled, because the original may have sent them"
    ),
    json
  },
  function* ({ json, ...request }) {
    const { restoreStore } = yield* importRestore
    const restored = yield* withProgress(
      (progress) => restoreStore(request, progress),
      "Stopped. Nothing was restored\n"
    ).pipe(Effect.catchTag("StorageUnavailable", explainStorage))
    yield* print(json, restored)
  }
).pipe(
  withHelp({
    summary: "Restore a store beside others",
    details:
      "The store must not exist. Needs the same schema, the plan and the apps of the store. Members are matched by e-mail address; missing accounts are created without a password.",
    examples: ["--file store.backup", "--file store.backup --without-apps --json"]
  })
)
