import { assert, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { partnerApi } from "../../src/cli/Program.ts"
import { removeSubscription } from "../support/cells/Subscriptions.ts"
import { CellName } from "../../src/domain/cells/Cells.ts"
import { postgres } from "../../src/layers/sql/Postgres.ts"
import { freshDatabase, migratedDatabase } from "../support/postgres/Postgres.ts"
import { runInProcess } from "../support/process/Cli.ts"

const decodeCells = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      cells: Schema.Array(Schema.Struct({ cell: Schema.String, open: Schema.Boolean, stores: Schema.Int }))
    })
  )
)
const decodeStore = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ storeId: Schema.String })))

it.live("an operator adds a cell, creates stores in it, and drains it", () =>
  Effect.gen(function* () {
    const main = Redacted.value(yield* migratedDatabase)
    const north = yield* freshDatabase
    yield* Effect.addFinalizer(() =>
      removeSubscription(CellName.make("north")).pipe(
        Effect.provide(postgres({ url: north, maxConnections: 1 })),
        Effect.orDie
      )
    )
    const run = (...args: ReadonlyArray<string>) =>
      runInProcess(partnerApi(args), {
        DATABASE_URL: main,
        CELLS: "north",
        CELL_NORTH_URL: Redacted.value(north)
      })
    const list = Effect.map(run("cells", "list", "--json"), ({ stdout }) => decodeCells(stdout).cells)
    const create = (...args: ReadonlyArray<string>) =>
      run("stores", "create", "--name", "A store", "--plan", "growth", "--currency", "EUR", "--json", ...args)

    const early = yield* create("--cell", "north")
    assert.notStrictEqual(early.code, 0)
    const added = yield* run("cells", "add", "north")
    assert.deepStrictEqual([added.code, added.stderr], [0, ""])
    assert.strictEqual((yield* run("cells", "add", "north")).code, 0, "adding again repairs")

    const created = yield* create("--cell", "north")
    assert.strictEqual(created.code, 0, created.stderr)
    const { storeId } = decodeStore(created.stdout)
    assert.deepStrictEqual(yield* list, [
      { cell: "main", open: true, stores: 0 },
      { cell: "north", open: true, stores: 1 }
    ])
    // Commands about a store run in its cell.
    const plan = yield* run("stores", "set-plan", storeId, "--plan", "scale")
    assert.strictEqual(plan.code, 0, plan.stderr)

    yield* run("cells", "close", "north")
    const refused = yield* create("--cell", "north")
    assert.include(refused.stderr, "The cell north was not added or takes no new stores")
    const drained = yield* run("cells", "drain", "north", "--clean-after", "0", "--json")
    assert.strictEqual(drained.code, 0, drained.stderr)
    assert.deepStrictEqual(yield* list, [
      { cell: "main", open: true, stores: 1 },
      { cell: "north", open: false, stores: 0 }
    ])
    assert.strictEqual((yield* run("stores", "set-plan", storeId, "--plan", "growth")).code, 0)
    assert.include((yield* run("cells", "open", "south")).stderr, "The cell south was not added")
    assert.strictEqual((yield* run("migrate")).code, 0)
  }).pipe(Effect.scoped)
)
