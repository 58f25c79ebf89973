import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

let root = ""
const inRoot = (path: string) => join(root, path)

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "partner-api-migrations-"))
  cpSync("src/layers/migrations", inRoot("src/layers/migrations"), { recursive: true })
})

afterAll(() => rmSync(root, { recursive: true }))

/** Runs the script on a copy of the migrations. Returns its problems. */
const hash = (...options: ReadonlyArray<string>) => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/hash-migrations.mjs", root, ...options], {
    encoding: "utf8"
  })
  const problems = stderr.split("\n").filter((line) => line !== "")
  assert.strictEqual(status, problems.length === 0 ? 0 : 1)
  return problems
}

const MISFIT = "src/layers/migrations/hashes.json does not fit the migrations. Run: npm run generate"

const HASHES = "src/layers/migrations/hashes.json"

const release = (version: string) => {
  mkdirSync(inRoot(`test/data/releases/${version}`), { recursive: true })
  cpSync(inRoot(HASHES), inRoot(`test/data/releases/${version}/migrations.json`))
}

const edit = (path: string, change: (text: string) => string) =>
  writeFileSync(inRoot(path), change(readFileSync(inRoot(path), "utf8")))

it("the committed hashes fit the migrations, with any ends of lines", () => {
  assert.deepStrictEqual(hash("--check"), [])
  edit("src/layers/migrations/0001_baseline.ts", (text) => text.replaceAll("\n", "\r\n"))
  assert.deepStrictEqual(hash("--check"), [])
})

it("an unreleased migration may change after its hash is written again", () => {
  edit("src/layers/migrations/baseline/clocks.ts", (text) => `${text}// Changed.\n`)
  assert.deepStrictEqual(hash("--check"), [MISFIT])
  assert.deepStrictEqual(hash(), [])
  assert.deepStrictEqual(hash("--check"), [])
})

const changes = (version: string) =>
  `0001_baseline differs from that of release ${version}. Restore its files, and make the change in a new migration`

it("a migration of any release may not change, not disappear, and get no predecessor", () => {
  writeFileSync(inRoot("src/layers/migrations/0003_notes.ts"), "")
  assert.deepStrictEqual(hash(), [])
  release("0.2.0")
  writeFileSync(inRoot("src/layers/migrations/0004_more.ts"), "")
  assert.deepStrictEqual(hash(), [])
  release("0.3.0")
  assert.deepStrictEqual(hash("--check"), [])

  edit("src/layers/migrations/baseline/clocks.ts", (text) => `${text}// Changed again.\n`)
  rmSync(inRoot("src/layers/migrations/0004_more.ts"))
  writeFileSync(inRoot("src/layers/migrations/0002_late.ts"), "")
  const problems = [
    changes("0.2.0"),
    "0002_late is not part of release 0.2.0. Give it a number after 0003_notes",
    changes("0.3.0"),
    "0004_more of release 0.3.0 is missing. Restore its files",
    "0002_late is not part of release 0.3.0. Give it a number after 0004_more"
  ]
  assert.deepStrictEqual(hash(), problems)
  // It writes no hashes of changed migrations.
  assert.deepStrictEqual(hash("--check"), [...problems, MISFIT])

  mkdirSync(inRoot("test/data/releases/0.4.0"))
  assert.include(hash("--check"), "Release 0.4.0 has no migrations.json in test/data/releases/0.4.0")
})
