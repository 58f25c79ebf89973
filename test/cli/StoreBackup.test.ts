import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { statSync } from "node:fs"
import type pg from "pg"
import { EXCEPTIONS } from "../../src/layers/storeBackup/StoreTables.ts"
import { makeClient as makeRpcClient, performed } from "../../src/rpc/Client.ts"
import { StoreId } from "../../src/domain/Store.ts"
import { backupScene, backupTarget, countsIn, exportOf, restore, run, succeeds } from "../support/data/StoreBackups.ts"
import { dataOf, makeClient } from "../support/http/Api.ts"
import { readAfter } from "../support/http/Feed.ts"
import { fetchBytes } from "../support/http/Files.ts"
import { createStore } from "../support/process/Cli.ts"
import { makeMigratedDatabase, rowsOf, startServer } from "../support/process/Process.ts"
import { newKey } from "../support/rpc/Rpc.ts"

/** Tables of a backup. Decide about each new table with a `store_id`: it is listed here, or an exception with a reason. */
const TABLES = [
  "agent_windows",
  "agents",
  "app_data",
  "app_data_usage",
  "change_set_operations",
  "change_set_results",
  "change_set_uploads",
  "change_sets",
  "collection_members",
  "collections",
  "customers",
  "deliveries",
  "delivery_attempts",
  "events",
  "external_ids",
  "files",
  "idempotency_records",
  "import_image_failures",
  "installations",
  "jobs",
  "journal",
  "large_responses",
  "media_objects",
  "media_sizes",
  "media_usage",
  "members",
  "orders",
  "product_keys",
  "products",
  "proposals",
  "rate_windows",
  "recent_requests",
  "search_words",
  "subscriptions",
  "views"
]

const Secret = Schema.fromJsonString(Schema.Struct({ password: Schema.String }))
const Issued = Schema.fromJsonString(Schema.Struct({ accessToken: Schema.String }))

/** All rows of a table of a store, as sorted text. Keys of objects are left out, because a restore makes new ones. */
const rowsIn = (client: pg.Client, table: string, storeId: string) =>
  Effect.map(
    rowsOf(
      client,
      `select to_jsonb(t) - 'key' as row from ${table} t where ${table === "stores" ? "id" : "store_id"} = $1 order by 1`,
      [storeId]
    ),
    (rows) => rows.map(({ row }) => row)
  )

const PATHS = [
  "/products?limit=100",
  "/collections",
  "/orders?limit=100",
  "/customers?limit=100",
  "/app-data/settings?key=theme",
  "/products/search?search=caf",
  "/digest?resource=products"
]

it.live("each table with a store_id is part of a backup, or an exception with a reason", () =>
  Effect.gen(function* () {
    const { client } = yield* makeMigratedDatabase
    const tables = yield* rowsOf(
      client,
      `select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'store_id'
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`
    )
    assert.deepStrictEqual(
      tables.map(({ relname }) => String(relname)).toSorted(),
      [...TABLES, ...Object.keys(EXCEPTIONS)].toSorted()
    )
  })
)

it.live("a restored store has the same rows, files, journal and feed, and its writes continue", () =>
  Effect.gen(function* () {
    const source = yield* backupScene
    const { app, backup, file, gone, otherStoreId, product, server, storeId } = source
    yield* exportOf(source)
    assert.strictEqual(statSync(backup).mode & 0o777, 0o600)
    const restored = yield* backupTarget
    yield* source.copyApps(restored)
    const neighbour = yield* createStore(restored.url)
    const facts = yield* restore(restored.given, backup)
    assert.deepInclude(facts, { storeId, createdAccounts: ["ada@example.com"], deliveriesCanceled: 3, leftOut: [] })
    assert.strictEqual(facts.objects, 1)

    const [account] = yield* rowsOf(restored.client, "select id from merchants")
    const [original] = yield* rowsOf(source.client, "select id from merchants")
    // The log of requests is written seconds later.
    for (const table of ["stores", ...TABLES].filter((name) => name !== "recent_requests")) {
      const copied = yield* rowsIn(restored.client, table, storeId)
      if (table === "deliveries") {
        assert.isTrue(copied.every((row) => JSON.stringify(row).includes('"outcome":"canceled"')))
        continue
      }
      const expected: unknown = JSON.parse(
        JSON.stringify(yield* rowsIn(source.client, table, storeId)).replaceAll(
          String(original?.["id"]),
          String(account?.["id"])
        )
      )
      assert.deepStrictEqual(copied, expected, table)
    }
    assert.lengthOf(yield* rowsOf(restored.client, "select from stores where id = $1", [otherStoreId]), 0)
    assert.lengthOf(yield* rowsOf(restored.client, "select from stores where id = $1", [neighbour.storeId]), 1)
    assert.lengthOf(yield* rowsOf(restored.client, "select from access_tokens"), 0)

    const second = yield* startServer(restored.given)
    const [installation] = yield* rowsOf(
      restored.client,
      "select installation_id as id from app_data where store_id = $1",
      [storeId]
    )
    const { accessToken } = Schema.decodeSync(Issued)(
      yield* succeeds(restored.given, "installations", "token", String(installation?.["id"]), "--json")
    )
    const copy = makeClient(second.base, accessToken)
    for (const path of PATHS) {
      const [was, is] = [yield* app.get(path), yield* copy.get(path)]
      assert.strictEqual(was.status, 200, path)
      assert.strictEqual(is.text, was.text, path)
    }
    const [first] = yield* rowsOf(source.client, "select id from journal where store_id = $1 order by id limit 1", [
      storeId
    ])
    const { changes } = yield* readAfter(copy, String(first?.["id"]))
    assert.isNotEmpty(changes)
    assert.deepStrictEqual(changes, (yield* readAfter(app, String(first?.["id"]))).changes)
    const path = new URL(String(file["url"])).pathname
    assert.deepStrictEqual(
      (yield* fetchBytes(second.base + path)).bytes.toString("hex"),
      (yield* fetchBytes(server.base + path)).bytes.toString("hex")
    )
    const repeated = yield* copy.patch(
      `/products/${String(product["id"])}`,
      { price: 0.30000000000000004 },
      { key: "patched" }
    )
    assert.strictEqual(dataOf(repeated)["version"], 2)
    const created = dataOf(yield* copy.post("/products", { name: "New" }))
    const [newest] = yield* rowsOf(
      source.client,
      "select id from journal where store_id = $1 order by id desc limit 1",
      [storeId]
    )
    assert.isAbove(String(created["id"]).localeCompare(String(newest?.["id"])), 0)

    const { password } = Schema.decodeSync(Secret)(
      yield* succeeds(restored.given, "merchants", "reset-password", "--email", "ada@example.com", "--json")
    )
    const signedIn = yield* makeClient(second.base).post(`${second.base}/auth/sign-in`, {
      email: "ada@example.com",
      password
    })
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""
    const rpc = yield* makeRpcClient({ url: `${second.base}/rpc`, headers: { cookie }, timeout: 30_000 })
    const id = StoreId.make(storeId)
    const { items } = yield* rpc.activity.list({ storeId: id })
    const deletion = items.find(({ after, resourceId }) => resourceId === gone["id"] && after === null)
    if (deletion === undefined) return assert.fail("The journal lacks the deletion")
    yield* performed(rpc.activity.undo({ storeId: id, idempotencyKey: newKey(), id: deletion.id }))
    const undone = yield* rowsOf(restored.client, "select version from products where id = $1", [gone["id"]])
    assert.lengthOf(undone, 1)
  })
)

it.live("accounts are matched by e-mail address, apps can be left out, and deliveries resume on request", () =>
  Effect.gen(function* () {
    const source = yield* backupScene
    yield* exportOf(source)
    const { backup, storeId } = source
    const restored = yield* backupTarget
    yield* source.copyApps(restored)
    yield* succeeds(restored.given, "merchants", "create", "--email", "ada@example.com", "--name", "Ada B.")
    const [{ app_id: missing } = {}] = yield* rowsOf(
      source.client,
      "select app_id from app_data join installations i on i.id = installation_id"
    )
    yield* rowsOf(restored.client, "delete from apps where id = $1", [missing])
    const before = yield* countsIn(restored.client)
    const refused = yield* run(restored.given, "stores", "restore", "--file", backup)
    assert.strictEqual(refused.code, 1)
    assert.include(refused.stderr, `Apps of the store are missing here: An app (${String(missing)})`)
    assert.deepStrictEqual(yield* countsIn(restored.client), before)

    const facts = yield* restore(restored.given, backup, "--without-apps", "--resume-deliveries")
    assert.deepInclude(facts, { createdAccounts: [], leftOut: ["An app"], deliveriesCanceled: 0 })
    const [{ id: own } = {}] = yield* rowsOf(restored.client, "select id from merchants")
    const members = yield* rowsOf(restored.client, "select merchant_id as id from members where store_id = $1", [
      storeId
    ])
    assert.deepStrictEqual(members, [{ id: own }])
    assert.lengthOf(yield* rowsOf(restored.client, "select from installations"), 1)
    assert.lengthOf(yield* rowsOf(restored.client, "select from app_data"), 0)
    const pending = yield* rowsOf(
      restored.client,
      "select d.app_id from deliveries d join installations i on i.id = d.installation_id where finished_at is null"
    )
    assert.strictEqual(facts.deliveriesResumed, pending.length)
  })
)
