import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { CellName } from "../domain/cells/Cells.ts"
import { integer, json, option, store, toggle, usageError, withHelp } from "./Options.ts"
import { print, printList, withInterruptNotice } from "./Output.ts"

/** Imported when a command runs. It connects to the databases of both cells itself. */
const importMove = Effect.promise(() => import("../layers/storeMove/StoreMove.ts"))

/** Seconds after a switch in which a server may still send requests of the store to the cell that it left. */
const CLEAN_AFTER = 120

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((a, b) => a + b, 0)

const report = (line: string) => Console.error(line)

export const moveStore = Command.make(
  "move",
  {
    store,
    cell: Flag.optional(option("cell", CellName, "Cell to move the store to, from: cells list")),
    isDryRun: toggle("dry-run", "List what would be copied and what is missing, and change nothing"),
    isCopy: toggle("copy", "Copy the rows while requests wait, for cells that cannot replicate from each other"),
    isAbort: toggle("abort", "Undo a move that has not switched"),
    cleanAfter: option(
      "clean-after",
      integer(0, 86_400),
      `Seconds between the switch and the deletion of the rows that are left behind. Default: ${CLEAN_AFTER}`,
      "seconds"
    ).pipe(Flag.withDefault(CLEAN_AFTER)),
    json
  },
  Effect.fnUntraced(function* ({ cell, cleanAfter, isAbort, isCopy, isDryRun, json, store }) {
    const { abortMove, describeMove, moveStore } = yield* importMove
    if (isAbort) return yield* print(json, yield* abortMove(store))
    if (cell._tag === "None") return yield* usageError("Missing option: --cell")
    const method = isCopy ? "copy" : "replication"
    if (isDryRun) {
      const { problems, tables, ...places } = yield* describeMove(store, cell.value, method)
      const [rows, bytes] = [tables.map((table) => table.rows), tables.map((table) => table.bytes)]
      if (!json) yield* printList(false, "rows", tables)
      yield* print(json, {
        storeId: store,
        ...places,
        rows: sum(rows),
        bytes: sum(bytes),
        ...(json ? { tables } : {}),
        problems
      })
      return problems.length === 0
        ? undefined
        : yield* Effect.fail({ message: "The store cannot be moved: see problems" })
    }
    return yield* print(
      json,
      yield* withInterruptNotice(
        moveStore({ store, cell: cell.value, method, cleanAfter }, report),
        "Stopped. Run the command again to continue, or with --abort to undo the move\n"
      )
    )
  })
).pipe(
  withHelp({
    summary: "Move a store to another cell while it is used",
    details:
      "Copies the rows by logical replication, compares them, and lets requests wait for a moment while the new cell takes over. With --copy, this command copies all rows while requests for the store wait or get 503. A stopped move goes on when the command runs again.",
    examples: [
      "--store <id> --cell c2 --dry-run",
      "--store <id> --cell c2",
      "--store <id> --cell c2 --copy",
      "--store <id> --abort"
    ]
  })
)
