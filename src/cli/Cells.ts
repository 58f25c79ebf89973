import { Effect, Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { CellName } from "../domain/cells/Cells.ts"
import { argument, command, group, json, option, withHelp } from "./Options.ts"
import { print, printList } from "./Output.ts"

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

export const cells = group("cells", "Manage the databases that stores live in").pipe(
  Command.withSubcommands([list, add, open, close])
)
