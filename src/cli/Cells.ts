import { Console, Effect, Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { CellName, MAIN } from "../domain/cells/Cells.ts"
import { argument, command, group, integer, json, option, withHelp } from "./Options.ts"
import { print, printList, withInterruptNotice } from "./Output.ts"

/** Imported when a command runs. */
const importAdministration = Effect.promise(() => import("../layers/cells/Administration.ts"))

const list = command("list", { json }, function* ({ json }) {
  const { listCells } = yield* importAdministration
  yield* printList(json, "cells", yield* listCells)
}).pipe(
  withHelp({
    summary: "List the cells with their stores and the delay of their copies",
    details:
      "Shows for each cell whether new stores may be created in it, and the seconds since its copies of global tables were last confirmed.",
    examples: ["", "--json"]
  })
)

const add = command(
  "add",
  {
    name: argument("cell", CellName, "Name of the cell, which CELLS must have"),
    source: option(
      "main-url",
      Schema.String,
      "URL of main, as the server of the cell reaches it. Default: DATABASE_DIRECT_URL or DATABASE_URL",
      "url"
    ).pipe(Flag.optional),
    json
  },
  function* ({ json, name, source }) {
    const { addConfiguredCell } = yield* importAdministration
    yield* addConfiguredCell(
      name,
      Option.map(source, (url) => Redacted.make(url))
    )
    yield* print(json, { cell: name, added: true })
  }
).pipe(
  withHelp({
    summary: "Add an empty database as a cell, or repair the copies of a cell",
    details:
      "Migrates the database and copies the global tables to it. Its address is CELL_<NAME>_URL. Then restart servers and workers with the new CELLS.",
    examples: ["north", "north --main-url postgres://replicator:secret@10.0.0.5/partner"]
  })
)

/** Makes a command that says whether new stores may be created in a cell. */
const setOpen = (act: "close" | "open") =>
  command(
    act,
    { name: argument("cell", CellName, "Name of the cell, from: cells list"), json },
    function* ({ json, name }) {
      const { setCellOpen } = yield* importAdministration
      yield* setCellOpen(name, act === "open")
      yield* print(json, { cell: name, open: act === "open" })
    }
  )

const open = setOpen("open").pipe(withHelp({ summary: "Resume the creation of stores in a cell", examples: ["north"] }))
const close = setOpen("close").pipe(
  withHelp({
    summary: "Pause the creation of stores in a cell",
    details: "Its stores stay, and go on as before.",
    examples: ["north"]
  })
)

const importPlacement = Effect.promise(() => import("../layers/storeMove/Placement.ts"))

const cleanAfter = option(
  "clean-after",
  integer(0, 86_400),
  "Seconds between a switch and the deletion of the rows that are left behind. Default: 120",
  "seconds"
).pipe(Flag.withDefault(120))

const report = (line: string) => Console.error(line)

const STOPPED = "Stopped. Run the command again to continue\n"

const drain = command(
  "drain",
  { name: argument("cell", CellName, "Name of the cell, from: cells list"), cleanAfter, json },
  function* ({ cleanAfter, json, name }) {
    const { setCellOpen } = yield* importAdministration
    const { drainCell } = yield* importPlacement
    if (name !== MAIN) yield* setCellOpen(name, false)
    yield* print(json, { cell: name, moved: yield* withInterruptNotice(drainCell(name, cleanAfter, report), STOPPED) })
  }
).pipe(
  withHelp({
    summary: "Move all stores of a cell to the other open cells",
    details: "The cell takes no new stores from then on. Stores stay in use while they move, one after the other.",
    examples: ["north"]
  })
)

const balance = command(
  "balance",
  {
    limit: option("limit", integer(1, 10_000), "Maximum number of moves. Default: 10", "number").pipe(
      Flag.withDefault(10)
    ),
    cleanAfter,
    json
  },
  function* ({ cleanAfter, json, limit }) {
    const { balanceCells } = yield* importPlacement
    yield* print(json, { moved: yield* withInterruptNotice(balanceCells(limit, cleanAfter, report), STOPPED) })
  }
).pipe(
  withHelp({
    summary: "Move stores from the fullest open cell to the emptiest",
    details: "Compares the numbers of stores. Move a large store with: stores move.",
    examples: ["--limit 100"]
  })
)

export const cells = group("cells", "Manage the databases that stores live in").pipe(
  Command.withSubcommands([list, add, open, close, drain, balance])
)
