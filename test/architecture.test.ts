import { assert, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { guardOf } from "./support/process/Programs.ts"

/** Folders of `src`. The linter restricts what each may import. */
const LAYERS = ["cli", "domain", "http", "layers", "rpc", "web"]

/** Files outside of the layers. They compose the others, as the commands in `src/cli` do. */
const COMPOSITION = [
  "src/CellServer.ts",
  "src/Server.ts",
  "src/Service.ts",
  "src/Startup.ts",
  "src/cli.ts",
  "src/main.ts"
]

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => /\.[cm]?[jt]sx?$/.test(file))
  .map((file) => join("src", file))
  .toSorted()

/** Every module that a file imports or exports from, including types, dynamic imports and `require`. */
const importsOf = (file: string) =>
  [...readFileSync(file, "utf8").matchAll(/\b(?:from|import|require)\s*\(?\s*["']([^"']+)["']/g)].map(
    ([, name = ""]) => (name.startsWith(".") ? normalize(join(dirname(file), name)) : name)
  )

it("only six files are outside of the layers", () => {
  assert.deepStrictEqual(
    files.filter((file) => !LAYERS.some((layer) => file.startsWith(`src/${layer}/`))),
    COMPOSITION
  )
})

it("migrations depend on nothing that their hashes leave out, except helpers that do not change what they create", () => {
  const imports = files.filter((file) => file.startsWith("src/layers/migrations/")).flatMap(importsOf)
  const others = imports.filter((name) => !name.startsWith("effect") && !name.startsWith("src/layers/migrations/"))
  assert.includeMembers(imports, ["effect/sql", "src/layers/migrations/baseline/catalog.ts"])
  assert.deepStrictEqual(
    others.filter((name) => name !== "src/layers/sql/IndexMigration.ts"),
    []
  )
})

/** A file and all its direct and transitive imports from a folder. */
const closureOf = (file: string, folder = "src/", seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const target of importsOf(file)) if (target.startsWith(folder)) closureOf(target, folder, seen)
  return seen
}

it("browser code imports no Node module, handler, MCP or server code", () => {
  const loaded = [...closureOf("src/rpc/Client.ts"), ...closureOf("src/web/app/start.tsx")]
  assert.isAbove(loaded.length, 20)
  const foreign = loaded
    .flatMap((file) => importsOf(file))
    .filter((target) =>
      /^node:|^@effect\/|^effect\/(?:cli|http|sql)|^transliteration|handlers|^src\/rpc\/(?:mcp|server)\//.test(target)
    )
  assert.deepStrictEqual(foreign, [])
})

it("only src/layers and src/Service.ts read the environment", () => {
  const readers = files.filter((file) =>
    /\bprocess\s*\.\s*env\b|\bprocess\s*\[|\bConfig\.\w+\(|import\.meta\.env/.test(readFileSync(file, "utf8"))
  )
  assert.isNotEmpty(readers)
  assert.deepStrictEqual(
    // Pages show example code that reads it. A browser has no environment.
    readers.filter((file) => !/^src\/(?:layers|web)\//.test(file) && file !== "src/Service.ts"),
    []
  )
})

/** JSON that files of `src/layers` decode without the codec of stored documents, because it is not stored. */
const NOT_STORED: Readonly<Record<string, string>> = {
  "src/layers/access/AgentCreation.ts": "made by its statement from columns",
  "src/layers/access/Installations.ts": "made by its statement from columns",
  "src/layers/catalog/CollectionReads.ts": "a page of rows, whose documents the codec decodes",
  "src/layers/catalog/Collections.ts": "made by its statement from rows of members",
  "src/layers/cells/RoutedDevelopers.ts": "answers of cells",
  "src/layers/changeSets/FollowedChangeSets.ts": "made by its statement from columns",
  "src/layers/demo/DemoPictures.ts": "pictures of the demo, and answers of services",
  "src/layers/demo/DemoStore.ts": "answers of services",
  "src/layers/exports/ExportRepository.ts": "made by its statement from columns",
  "src/layers/exports/Rows.ts": "made by its statement from rows of external ids",
  "src/layers/media/ObjectMove.ts": "made by its statement from rows of objects",
  "src/layers/postgres/Binaries.ts": "files of the PostgreSQL package",
  "src/layers/sql/Queries.ts": "cursors of clients",
  "src/layers/storeBackup/StoreExport.ts": "made by its statement from columns",
  "src/layers/webhooks/Webhooks.ts": "made by its statement from columns"
}

it("only the codec of stored documents decodes stored JSON", () => {
  const decoders = files.filter(
    (file) =>
      file.startsWith("src/layers/") &&
      /\bJSON\.parse\(|\bfromJsonString\(|\bUnknownFromJsonString\b/.test(readFileSync(file, "utf8"))
  )
  assert.deepStrictEqual(decoders, Object.keys(NOT_STORED))
})

it("docs/stored-documents.md lists every codec", () => {
  const page = readFileSync("docs/stored-documents.md", "utf8")
  const codecs = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\bconst (\w+) = storedDocument\(/g)].map(([, name = ""]) => name)
  )
  assert.isAbove(codecs.length, 15)
  assert.deepStrictEqual(
    codecs.filter((name) => !page.includes(`\`${name}\``)),
    []
  )
})

const HELPER = "test/support/process/Programs.ts"

const testFiles = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((file) => join("test", file))
  .filter((file) => /\.test\.ts$|^test\/support\/.*\.ts$/.test(file) && file !== HELPER)

/** Uses of optional programs without the helper. Type imports of their packages do not count. */
const directUsesIn = (text: string) =>
  [
    ...text
      .replaceAll(/^import type .*$/gm, "")
      .matchAll(
        /(?:from|import|require)\s*\(?\s*["'`](?:playwright|@testcontainers\/)[^"'`]*|\b(?:spawn|exec|execFile|execute)(?:Sync)?\)?\(\s*["'`](?!npm["'`])[^"'`]*|process\.env(?:\.|\[["'`])CHROMIUM/g
      )
  ].map(([use]) => use)

it("tests start programs other than Node, npm and PostgreSQL only through the helper", () => {
  const directUses = testFiles
    .filter((file) => file !== "test/architecture.test.ts")
    .flatMap((file) => directUsesIn(readFileSync(file, "utf8")).map((use) => `${file}: ${use}`))
  assert.deepStrictEqual(directUses, [])
  for (const directUse of [
    'import { chromium } from "playwright-core"',
    'await import("playwright-core")',
    'import {\n  PostgreSqlContainer\n} from "@testcontainers/postgresql"',
    'spawn("pgbouncer", [])',
    'execFileSync("/usr/bin/chromium")',
    'promisify(execFile)("bash", [])',
    'execute(process.env["CHROMIUM"] ?? "chromium")'
  ]) {
    assert.lengthOf(directUsesIn(directUse), 1, directUse)
  }
  assert.isEmpty(directUsesIn('import type { Page } from "playwright-core"\nspawn("npm", ["start"])'))
})

it("tests that need an optional program are skipped if it is missing", () => {
  const users = [
    ["test/support/process/Chromium.ts", "chromium"],
    ["test/support/postgres/Pgbouncer.ts", "pgbouncer"]
  ] as const
  for (const [support, program] of users) {
    const files = testFiles.filter((file) => file.endsWith(".test.ts") && closureOf(file, "test/support/").has(support))
    assert.isNotEmpty(files)
    assert.deepStrictEqual(
      files.filter((file) => !readFileSync(file, "utf8").includes(`skipIf(${guardOf(program)})`)),
      []
    )
  }
})

it("the security model names code and tests that exist", () => {
  const rows = readFileSync("docs/security-model.md", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.includes("---"))
    .map((line) => line.split("|").map((cell) => [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, name = ""]) => name)))
    .filter((cells) => cells.length >= 5)
  const referenced = rows.flatMap((cells) => [
    ...(cells.at(-3) ?? []).filter((name) => name.includes("/")).map((name) => `src/${name}`),
    ...(cells.at(-2) ?? []).map((name) => `test/${name}.test.ts`)
  ])
  assert.isAbove(referenced.length, 60)
  assert.deepStrictEqual(
    referenced.filter((file) => !existsSync(file)),
    []
  )
})
