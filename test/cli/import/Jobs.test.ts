import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ChangeSet } from "../../../src/domain/changeSets/ChangeSet.ts"
import { importScene } from "../../support/data/Imports.ts"
import { cli } from "../../support/process/Cli.ts"
import { rowsOf, startNode, startServer, waitUntil } from "../../support/process/Process.ts"

const decodeSet = Schema.decodeUnknownSync(
  Schema.fromJsonString(ChangeSet.mapFields(({ id, state, undoes }) => ({ id, state, undoes })))
)

const cups = (count: number, price = 1) =>
  Array.from({ length: count }, (_, n) => ({ externalId: `cup ${n}`, name: `Cup ${n}`, price }))

const scene = Effect.gen(function* () {
  const made = yield* importScene()
  const { client, storeId, url } = made
  return {
    ...made,
    count: Effect.map(rowsOf(client, "select product_count as n from stores"), ([row]) => Number(row?.["n"])),
    setWith: (...args: ReadonlyArray<string>) =>
      Effect.map(cli(url, "change-sets", ...args, "--store", storeId, "--json"), ({ stderr, stdout }) => {
        assert.notStrictEqual(stdout, "", stderr)
        return decodeSet(stdout)
      }),
    /** Ends the leases of killed processes. They end by themselves; a test does not wait for it. */
    endLeases: rowsOf(client, "update jobs set next_at = now() where lease is not null")
  }
})

it.live("an import is a change set, which is undone as one", () =>
  Effect.gen(function* () {
    const { bring, client, count, fileOf, setWith } = yield* scene
    yield* bring("products", fileOf("first", cups(2)))
    const { changeSetId } = yield* bring("products", fileOf("second", [...cups(3, 2), { externalId: "bad" }]))
    const entries = yield* rowsOf(client, "select change_set_id from journal where change_set_id = $1", [changeSetId])
    assert.lengthOf(entries, 3)
    const results = yield* rowsOf(
      client,
      "select line, external_id, outcome from change_set_results where change_set_id = $1 order by index",
      [changeSetId]
    )
    assert.deepStrictEqual(results, [
      { line: 1, external_id: "cup 0", outcome: "updated" },
      { line: 2, external_id: "cup 1", outcome: "updated" },
      { line: 3, external_id: "cup 2", outcome: "created" },
      { line: 4, external_id: "bad", outcome: "refused" }
    ])
    const undo = yield* setWith("undo", changeSetId, "--wait")
    assert.strictEqual(undo.undoes, changeSetId)
    assert.strictEqual((yield* setWith("apply", undo.id, "--wait")).state, "applied")
    assert.strictEqual(yield* count, 2)
    const prices = yield* rowsOf(client, "select (document ->> 'price')::float as price from products")
    assert.deepStrictEqual(prices, [{ price: 1 }, { price: 1 }])
  })
)

it.live("an import of customers or orders is not undone: the journal does not have their changes", () =>
  Effect.gen(function* () {
    const { bring, fileOf, storeId, url } = yield* scene
    const { changeSetId } = yield* bring("customers", fileOf("customers", [{ externalId: "ann", name: "Ann" }]))
    const { code, stderr } = yield* cli(url, "change-sets", "undo", changeSetId, "--store", storeId)
    assert.strictEqual(code, 1)
    assert.include(stderr, "nothing to undo")
  })
)

it.live("an import whose command is killed continues on a server", () =>
  Effect.gen(function* () {
    const { client, count, endLeases, fileOf, storeId, url } = yield* scene
    const ROWS = 3000
    const args = ["import", "products", "--store", storeId, "--file", fileOf("many", cups(ROWS))]
    const { ended, kill } = yield* startNode("cli", args, { DATABASE_URL: url })
    yield* waitUntil(count, (n) => n > 0)
    kill("SIGKILL")
    assert.strictEqual((yield* ended).signal, "SIGKILL")
    assert.isBelow(yield* count, ROWS)
    yield* endLeases
    yield* startServer({ DATABASE_URL: url })
    const states = rowsOf(client, "select state, changed from change_sets")
    const [set] = yield* waitUntil(states, ([row]) => row?.["state"] !== "applying")
    assert.deepStrictEqual(set, { state: "applied", changed: ROWS })
    assert.strictEqual(yield* count, ROWS)
  })
)

it.live("an import that is canceled keeps its rows and fails with the counts", () =>
  Effect.gen(function* () {
    const { client, count, fileOf, setWith, storeId, url } = yield* scene
    const args = ["import", "products", "--store", storeId, "--file", fileOf("many", cups(6000))]
    const { ended } = yield* startNode("cli", args, { DATABASE_URL: url })
    yield* waitUntil(count, (n) => n > 0)
    const [set] = yield* rowsOf(client, "select id from change_sets")
    yield* setWith("cancel", String(set?.["id"]))
    const { code, stderr } = yield* ended
    assert.strictEqual(code, 1)
    const kept = yield* count
    assert.isBelow(kept, 6000)
    assert.include(stderr, `The import was canceled. Created ${kept}, updated 0, unchanged 0, refused 0`)
  })
)

it.live("a file that cannot be read to its end imports nothing", () =>
  Effect.gen(function* () {
    const { client, count, fileOf, storeId, url } = yield* scene
    const file = fileOf("cut", ["Handle,Title", "a,A", 'b,"B'])
    const args = ["import", "products", "--store", storeId, "--file", file, "--format", "shopify"]
    const { code, stderr } = yield* cli(url, ...args)
    assert.strictEqual(code, 1)
    assert.include(stderr, "Nothing was imported")
    assert.strictEqual(yield* count, 0)
    assert.deepStrictEqual(yield* rowsOf(client, "select from change_set_operations"), [])
  })
)
