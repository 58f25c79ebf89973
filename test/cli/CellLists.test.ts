import { assert, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { partnerApi } from "../../src/cli/Program.ts"
import { postgres } from "../../src/layers/sql/Postgres.ts"
import { cellDatabases } from "../support/cells/CellDatabases.ts"
import { AppMade, Installed, runInProcess, StoreMade } from "../support/process/Cli.ts"
import { freePort, type Variables } from "../support/process/Process.ts"

const StoreRow = Schema.Struct({ storeId: Schema.String, cell: Schema.optionalKey(Schema.String) })
const AppRow = Schema.Struct({ appId: Schema.String, installations: Schema.Int })
const InstallationRow = Schema.Struct({ installationId: Schema.String, storeId: Schema.String })
const Rows = Schema.Struct({
  stores: Schema.optionalKey(Schema.Array(StoreRow)),
  apps: Schema.optionalKey(Schema.Array(AppRow)),
  installations: Schema.optionalKey(Schema.Array(InstallationRow))
})

const run = (given: Variables, ...args: ReadonlyArray<string>) => runInProcess(partnerApi([...args, "--json"]), given)

const cellsOf = ({ stores = [] }: typeof Rows.Type) => stores.map(({ cell }) => cell)

it.live("lists of operators have the rows of all cells, and name the cells that are out of reach", () =>
  Effect.gen(function* () {
    const { cells, main, settings } = yield* cellDatabases(["north", "south"])
    const [north] = cells
    const variables = { DATABASE_URL: Redacted.value(main), ...settings }
    const read = Effect.fnUntraced(function* <A, I>(schema: Schema.Codec<A, I>, ...args: ReadonlyArray<string>) {
      const { code, stderr, stdout } = yield* run(variables, ...args)
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      return Schema.decodeSync(Schema.fromJsonString(schema))(stdout)
    })
    const inNorth = <A, E>(work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
      Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, work),
        postgres({ url: north?.url ?? main, maxConnections: 1 })
      )

    const apps = ["One app", "Other app"].map((name) =>
      read(AppMade, "apps", "create", "--name", name, "--scope", "read_products")
    )
    const [one, other] = yield* Effect.all(apps)
    const app = one?.appId ?? assert.fail()
    const made: Array<typeof Installed.Type> = []
    for (const cell of [[], ["--cell", "north"], ["--cell", "south"], []]) {
      const options = ["--name", "A store", "--plan", "scale", "--currency", "EUR", ...cell]
      const { storeId } = yield* read(StoreMade, "stores", "create", ...options)
      made.push(
        yield* read(Installed, "installations", "create", "--store", storeId, "--app", app, "--scope", "read_products")
      )
    }
    const newestFirst = made.toReversed()

    const stores = yield* read(Rows, "stores", "list")
    assert.deepStrictEqual(
      stores.stores?.map(({ storeId }) => storeId),
      newestFirst.map(({ storeId }) => storeId)
    )
    assert.deepStrictEqual(cellsOf(stores), ["main", "south", "north", "main"])
    assert.deepStrictEqual(cellsOf(yield* read(Rows, "stores", "list", "--limit", "2")), ["main", "south"])

    const idsOf = (...args: ReadonlyArray<string>) =>
      Effect.map(read(Rows, "installations", "list", ...args), ({ installations = [] }) =>
        installations.map(({ installationId }) => installationId)
      )
    const ids = newestFirst.map(({ installationId }) => installationId)
    assert.deepStrictEqual(yield* idsOf("--app", app), ids)
    assert.deepStrictEqual(yield* idsOf("--app", app, "--limit", "3"), ids.slice(0, 3))
    const inSouth = newestFirst[1] ?? assert.fail()
    assert.deepStrictEqual(yield* idsOf("--app", app, "--store", inSouth.storeId), [inSouth.installationId])
    assert.deepStrictEqual((yield* read(Rows, "apps", "list")).apps, [
      { appId: other?.appId ?? "", installations: 0 },
      { appId: app, installations: 4 }
    ])

    // A store that moves has rows in two cells, and is listed once.
    const { storeId } = newestFirst[2] ?? assert.fail()
    const moving = [
      inNorth((sql) => sql`update stores set moved_at = now() where id = ${storeId}`),
      inNorth((sql) => sql`update stores set moved_at = null where id = ${storeId}`).pipe(
        Effect.andThen(
          inNorth((sql) => sql`insert into store_fences (store_id, state) values (${storeId}, 'arriving')`)
        )
      )
    ]
    for (const step of moving) {
      yield* step
      assert.deepStrictEqual(cellsOf(yield* read(Rows, "stores", "list")), ["main", "south", "main"])
      assert.lengthOf(yield* idsOf("--app", app), 3)
      assert.strictEqual((yield* read(Rows, "apps", "list")).apps?.[1]?.installations, 3)
    }
    yield* inNorth((sql) => sql`delete from store_fences where store_id = ${storeId}`)

    const nowhere = {
      ...variables,
      CELL_SOUTH_URL: `postgres://user:hunter2@127.0.0.1:${yield* freePort}/db`
    }
    const missing =
      /partner-api: The list has no rows of cells that are out of reach: south\. Check them with: partner-api doctor\n$/
    const left = Schema.decodeSync(Schema.fromJsonString(Rows))
    const listed = yield* run(nowhere, "stores", "list")
    assert.strictEqual(listed.code, 1)
    assert.match(listed.stderr, missing)
    assert.deepStrictEqual(cellsOf(left(listed.stdout)), ["main", "north", "main"])
    const installed = yield* run(nowhere, "installations", "list", "--app", app)
    assert.match(installed.stderr, missing)
    assert.lengthOf(left(installed.stdout).installations ?? [], 3)
    const counted = yield* run(nowhere, "apps", "list")
    assert.match(counted.stderr, missing)
    assert.strictEqual(left(counted.stdout).apps?.[1]?.installations, 3)
    const alone = yield* runInProcess(partnerApi(["stores", "list"]), { DATABASE_URL: Redacted.value(main) })
    assert.notInclude(alone.stdout, "CELL")
  }).pipe(Effect.scoped)
)
