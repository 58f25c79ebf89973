import { Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import type { Progress } from "../layers/postgres/BackupFiles.ts"
import { showProgress } from "./import/Progress.ts"
import { argument, group, json, withHelp } from "./Options.ts"
import { print, withInterruptNotice } from "./Output.ts"

/** Imported when a command runs. */
const importBackups = Effect.promise(() => import("../layers/postgres/Backups.ts"))
const importRestores = Effect.promise(() => import("../layers/postgres/Restores.ts"))
const importConfig = Effect.promise(() => import("../layers/DatabaseConfig.ts"))

const show = (progress: Progress) =>
  showProgress({ read: () => progress.bytes, size: Option.some(progress.total) }, () => progress.files, "files")

/** Folder of the embedded database. */
const embeddedDataDir = Effect.gen(function* () {
  const { dataDir, isEmbedded } = yield* importConfig
  if (yield* isEmbedded) return yield* dataDir
  return yield* Effect.fail({
    message:
      "DATABASE_URL is set, and this command only handles the embedded database. Use pgBackRest (docs/operations/backup.md), or unset DATABASE_URL"
  })
})

const folder = argument("folder", Schema.String, "Folder of the backup")

const create = Command.make(
  "create",
  { folder, json },
  Effect.fnUntraced(function* ({ folder, json }) {
    const { createBackup } = yield* importBackups
    const work = createBackup(yield* embeddedDataDir, folder, show)
    yield* print(json, yield* withInterruptNotice(work, "Stopped. The incomplete backup was deleted\n"))
  })
).pipe(
  withHelp({
    summary: "Create a backup of the embedded database and the files of DATA_DIR",
    details:
      "Servers may run. The backup has everything that was committed before its end. It holds secret.key and personal data: only its owner can read it.",
    examples: ["/backups/monday", "/backups/monday --json"]
  })
)

const verify = Command.make(
  "verify",
  { folder, json },
  Effect.fnUntraced(function* ({ folder, json }) {
    const { verifyBackup } = yield* importRestores
    yield* print(json, yield* withInterruptNotice(verifyBackup(folder, show), "Stopped\n"))
  })
).pipe(
  withHelp({
    summary: "Check that a backup is complete and that its database starts",
    details:
      "Compares the hash of each file, starts the database on a copy in TMPDIR, and counts its stores. The backup does not change.",
    examples: ["/backups/monday"]
  })
)

const restore = Command.make(
  "restore",
  { folder, json },
  Effect.fnUntraced(function* ({ folder, json }) {
    const { restoreBackup } = yield* importRestores
    const work = restoreBackup(folder, yield* embeddedDataDir, show)
    yield* print(json, yield* withInterruptNotice(work, "Stopped. DATA_DIR is empty again\n"))
  })
).pipe(
  withHelp({
    summary: "Restore a backup into DATA_DIR",
    details: "DATA_DIR must be empty or not exist. Compares the hash of each file.",
    examples: ["/backups/monday"]
  })
)

export const backup = group("backup", "Back up and restore the embedded database").pipe(
  Command.withSubcommands([create, verify, restore])
)
