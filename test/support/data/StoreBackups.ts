import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { join } from "node:path"
import type pg from "pg"
import { partnerApi } from "../../../src/cli/Program.ts"
import { dataOf, makeClient } from "../http/Api.ts"
import { picture, uploadTo } from "../http/Files.ts"
import { createStore, runInProcess } from "../process/Cli.ts"
import {
  createTokens,
  makeMigratedDatabase,
  rowsOf,
  startServer,
  temporaryFolder,
  type Variables
} from "../process/Process.ts"

const NORTHWIND = "test/data/northwind"

const Restored = Schema.Struct({
  storeId: Schema.String,
  name: Schema.String,
  createdAt: Schema.String,
  rows: Schema.Int,
  objects: Schema.Int,
  leftOut: Schema.Array(Schema.String),
  createdAccounts: Schema.Array(Schema.String),
  deliveriesResumed: Schema.Int,
  deliveriesCanceled: Schema.Int
})
/** Runs a command with the settings of a target. */
export const run = Effect.fn(function* (given: Variables, ...args: ReadonlyArray<string>) {
  return yield* runInProcess(partnerApi(args), given)
})

export const succeeds = Effect.fn(function* (given: Variables, ...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* run(given, ...args)
  assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  return stdout
})

/** A migrated database with a folder for files. */
export const backupTarget = Effect.gen(function* () {
  const { client, url } = yield* makeMigratedDatabase
  return { client, url, given: { DATABASE_URL: url, DATA_DIR: yield* temporaryFolder } }
})

/** Number of rows of each table of a database, except of the one that a server writes after its responses. */
export const countsIn = (client: pg.Client) =>
  rowsOf(
    client,
    `select relname, (xpath('/row/n/text()', query_to_xml('select count(*) as n from ' || relname, false, true, '')))[1]::text as n
     from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'recent_requests' order by 1`
  )

/** A store with data of every kind on a database with another store, and its backup. */
export const backupScene = Effect.gen(function* () {
  const source = yield* backupTarget
  const { storeId, tokens } = yield* createTokens(source.url, 2)
  const other = yield* createStore(source.url)
  const server = yield* startServer(source.given)
  const app = makeClient(server.base, tokens[0])
  yield* succeeds(source.given, "merchants", "create", "--email", "ada@example.com", "--name", "Ada")
  yield* succeeds(source.given, "merchants", "join", "--email", "ada@example.com", "--store", storeId)
  for (const kind of ["products", "customers", "orders"]) {
    yield* succeeds(source.given, "import", kind, "--store", storeId, "--file", `${NORTHWIND}/${kind}.jsonl`, "--json")
  }
  const product = dataOf(yield* app.post("/products", { name: "Café “ß”\n\\N 🙂", price: 0.1, tags: ["a"] }))
  yield* app.patch(`/products/${String(product["id"])}`, { price: 0.30000000000000004 }, { key: "patched" })
  const gone = dataOf(yield* app.post("/products", { name: "Gone" }))
  yield* app.delete(`/products/${String(gone["id"])}`)
  yield* app.post("/collections", { title: "Manual", productIds: [product["id"]] })
  yield* app.put("/app-data/settings", { key: "theme", value: { dark: true } })
  const file = dataOf(yield* uploadTo(server.base, tokens[0], yield* picture("png")))
  yield* rowsOf(
    source.client,
    `insert into deliveries (store_id, event_id, installation_id, app_id, lease)
     select e.store_id, e.id, i.id, i.app_id, gen_random_uuid()
     from events e join installations i using (store_id) where e.store_id = $1 limit 3`,
    [storeId]
  )
  const backup = join(yield* temporaryFolder, "store.backup")
  const copyApps = Effect.fn(function* ({ client }: { readonly client: pg.Client }) {
    const apps = yield* rowsOf(source.client, "select id, name, scopes, capabilities from apps")
    for (const { capabilities, id, name, scopes } of apps) {
      yield* rowsOf(client, "insert into apps (id, name, scopes, capabilities) values ($1, $2, $3, $4)", [
        id,
        name,
        scopes,
        capabilities
      ])
    }
  })
  return { ...source, storeId, otherStoreId: other.storeId, server, app, product, gone, file, backup, copyApps }
})

export const exportOf = ({ backup, given, storeId }: { backup: string; given: Variables; storeId: string }) =>
  succeeds(given, "stores", "export", "--store", storeId, "--file", backup, "--json")

export const restore = Effect.fn(function* (given: Variables, file: string, ...args: ReadonlyArray<string>) {
  const stdout = yield* succeeds(given, "stores", "restore", "--file", file, "--json", ...args)
  return Schema.decodeSync(Schema.fromJsonString(Restored), { onExcessProperty: "error" })(stdout)
})
