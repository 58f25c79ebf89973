import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeStore, freshClient, pageOf } from "../support/http/Api.ts"
import { JobsTest } from "../support/http/ChangeSets.ts"
import { cli } from "../support/process/Cli.ts"
import { databaseUrl, temporaryFolder } from "../support/process/Process.ts"

const Row = Schema.Record(Schema.String, Schema.Unknown)
const decodeRow = Schema.decodeUnknownSync(Schema.fromJsonString(Row))

/** Runs a command that succeeds with `--json`. Its progress is on standard error. */
const run = Effect.fn(function* (...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* cli(yield* databaseUrl, "change-sets", ...args, "--json")
  assert.strictEqual(code, 0, stderr)
  return decodeRow(stdout)
})

const fileOf = Effect.fn(function* (name: string, text: string) {
  const file = join(yield* temporaryFolder, name)
  yield* Effect.sync(() => writeFileSync(file, text))
  return file
})

const linesOf = (...lines: ReadonlyArray<unknown>) => lines.map((line) => `${JSON.stringify(line)}\n`).join("")

layer(JobsTest, { excludeTestServices: true, timeout: "120 seconds" })("Change sets on the command line", (it) => {
  it.effect("create --apply --wait applies a file; results, list and show print it, and undo reverts it", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const file = yield* fileOf(
        "set.ndjson",
        linesOf(
          { mode: "each", note: "Load" },
          { op: "product.create", product: { name: "Cup" } },
          { op: "product.delete", id: randomUUID() }
        )
      )
      const created = yield* run("create", "--store", storeId, "--file", file, "--apply", "--wait")
      const counts = { total: 2, changed: 1, unchanged: 0, refused: 1 }
      assert.deepInclude(created, { state: "applied", mode: "each", note: "Load", ...counts })
      const id = String(created["id"])
      assert.deepInclude(yield* run("show", id, "--store", storeId), { id, state: "applied", ...counts })
      const { results } = yield* run("results", id, "--store", storeId, "--refused")
      assert.match(JSON.stringify(results), /^\[\{"index":1,"outcome":"refused".+was not found/)

      const undo = String((yield* run("undo", id, "--store", storeId))["id"])
      const json = yield* fileOf("set.json", JSON.stringify({ mode: "atomic", operations: [] }))
      const waited = yield* run("create", "--store", storeId, "--file", json, "--wait")
      assert.deepInclude(waited, { state: "ready", mode: "atomic" })
      assert.deepInclude(yield* run("cancel", String(waited["id"]), "--store", storeId), { state: "canceled" })
      assert.deepInclude(yield* run("apply", undo, "--store", storeId, "--wait"), { state: "applied", undoes: id })
      assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [])
      const { changeSets } = yield* run("list", "--store", storeId)
      assert.lengthOf(Object(changeSets), 3)
    })
  )

  it.effect("an invalid file, or a set of another store, is an error in one line with advice", () =>
    Effect.gen(function* () {
      const url = yield* databaseUrl
      const storeId = yield* makeStore()
      const file = yield* fileOf("set.jsonl", linesOf({ mode: "each" }, { op: "product.paint" }))
      const invalid = yield* cli(url, "change-sets", "create", "--store", storeId, "--file", file)
      assert.strictEqual(invalid.code, 1)
      assert.match(
        invalid.stderr,
        /^partner-api: The file is not a change set: operations\.0\.op: must be one of .+\n$/
      )
      const missing = yield* cli(url, "change-sets", "show", randomUUID(), "--store", storeId)
      assert.match(missing.stderr, /^partner-api: Change set \S+ was not found; .+\n$/)
    })
  )
})
