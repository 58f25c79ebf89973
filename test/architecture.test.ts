import { assert, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { guardOf } from "./support/process/Programs.ts"

/** Who may import whom, the most particular room first. */
const ROOMS: ReadonlyArray<readonly [room: string, ...open: ReadonlyArray<string>]> = [
  ["src/domain/", "src/domain/"],
  ["src/layers/", "src/layers/", "src/domain/"],
  ["src/http/api/", "src/http/api/", "src/http/ErrorTable.ts", "src/domain/"],
  ["src/http/client/", "src/http/client/", "src/http/api/", "src/domain/"],
  ["src/http/", "src/http/", "src/domain/"],
  ["src/web/", "src/web/", "src/rpc/", "src/domain/"],
  ["src/rpc/handlers/", "src/rpc/", "src/domain/"],
  ["src/rpc/", "src/rpc/", "src/domain/"]
]

/** Files that stand in no room: they put the others together, as the commands in `src/cli` do. */
const COMPOSITION = ["src/Server.ts", "src/Service.ts", "src/Startup.ts", "src/cli.ts", "src/main.ts"]

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => /\.[cm]?[jt]sx?$/.test(file))
  .map((file) => join("src", file))
  .toSorted()

/** Modules that hold HTTP beside much else: it matters what is taken of them. */
const BARRELS = new Set(["@effect/platform", "@effect/platform-node"])

/** `*` where all of it is taken. */
const takenOf = (barrel: string, names = "*") =>
  names
    .split(",")
    .flatMap((name) =>
      name
        .trim()
        .replace(/^type\s+/, "")
        .split(/\s/, 1)
    )
    .filter((name) => name !== "")
    .map((name) => `${barrel}/${name}`)

/**
 * Every module that a file names: imports and exports, of types too, dynamic ones and `require`. Of a barrel, what is
 * taken of it, as in `@effect/platform/HttpServer`.
 */
const importsOf = (file: string) =>
  [
    ...readFileSync(file, "utf8").matchAll(
      /(?:(?:\{([^{}]*)\}\s*)?\bfrom|\bimport|\brequire)\s*\(?\s*["']([^"']+)["']/g
    )
  ].flatMap(([, names, name = ""]) => {
    if (BARRELS.has(name)) return takenOf(name, names)
    return name.startsWith(".") ? normalize(join(dirname(file), name)) : name
  })

const roomOf = (file: string) => ROOMS.find(([room]) => file.startsWith(room))

const isOpen = (target: string, open: ReadonlyArray<string>) =>
  !target.startsWith("src/") ||
  open.some((place) => (place.endsWith("/") ? target.startsWith(place) : target === place))

it("imports point one way: from what puts together, to layers and surfaces, to the domain", () => {
  const strays = files.flatMap((file) => {
    const [, ...open] = roomOf(file) ?? [file, "src/"]
    return importsOf(file)
      .filter((target) => !isOpen(target, open))
      .map((target) => `${file} -> ${target}`)
  })
  assert.deepStrictEqual(strays, [])
})

it("only five files, and the commands, stand in no room", () => {
  assert.deepStrictEqual(
    files.filter((file) => roomOf(file) === undefined && !file.startsWith("src/cli/")),
    COMPOSITION
  )
})

it("every import of ours names a file that is there, and reaches out of src for nothing but the manifest", () => {
  const own = files.flatMap((file) => importsOf(file)).filter((target) => /^(?:src|\.\.|package)\b/.test(target))
  assert.isNotEmpty(own)
  assert.deepStrictEqual(
    own.filter((target) => !(target.startsWith("src/") && existsSync(target)) && target !== "package.json"),
    []
  )
})

it("the domain knows no database, no socket and no process", () => {
  const foreign = files
    .filter((file) => file.startsWith("src/domain/"))
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => /^(?:node:|@effect\/(?!schema)|pg\b)/.test(target))
        .map((target) => `${file} -> ${target}`)
    )
  assert.deepStrictEqual(foreign, [])
})

/** The files that take what matches from a module, as in `src/cli.ts -> node:fs`; some do, or nothing was looked for. */
const takersOf = (wanted: RegExp) => {
  const takers = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => wanted.test(target))
      .map((target) => `${file} -> ${target}`)
  )
  assert.isNotEmpty(takers)
  return takers
}

it("only layers speak SQL", () => {
  const takers = takersOf(/^(?:@effect\/sql|pg\b)/)
  assert.deepStrictEqual(
    takers.filter((taker) => !taker.startsWith("src/layers/")),
    []
  )
})

/** The webhook sender is a client of HTTP: this file guards where it connects to. */
const SENDER = "src/layers/webhooks/GuardedHttpClient.ts"

it("only http and the webhook sender know HTTP", () => {
  for (const wanted of [/^node:http/, /^@effect\/platform(?:-node)?\/(?:\*|\w*Http|OpenApi)/]) {
    assert.deepStrictEqual(
      takersOf(wanted).filter((taker) => !taker.startsWith("src/http/") && !taker.startsWith(SENDER)),
      []
    )
  }
})

/** A file and all that it imports from a folder, directly or not. */
const closureOf = (file: string, folder = "src/", seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const target of importsOf(file)) if (target.startsWith(folder)) closureOf(target, folder, seen)
  return seen
}

it("what browsers load is pages, definitions, the domain and the library: nothing of Node, no handler", () => {
  const loaded = [...closureOf("src/rpc/Client.ts"), ...closureOf("src/web/main.tsx")]
  assert.isAbove(loaded.length, 20)
  const foreign = loaded
    .flatMap((file) => importsOf(file))
    .filter((target) => /^node:|^transliteration|handlers|^src\/rpc\/(?:mcp|server)\//.test(target))
  assert.deepStrictEqual(foreign, [])
})

it("the environment is read in layers and where they are put together alone", () => {
  const readers = files.filter((file) =>
    /\bprocess\s*\.\s*env\b|\bprocess\s*\[|\bConfig\.\w+\(|import\.meta\.env/.test(readFileSync(file, "utf8"))
  )
  assert.isNotEmpty(readers)
  assert.deepStrictEqual(
    // Pages show code that reads it; a browser has none.
    readers.filter((file) => !/^src\/(?:layers|web)\//.test(file) && file !== "src/Service.ts"),
    []
  )
})

const HELPER = "test/support/process/Programs.ts"

const testFiles = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((file) => join("test", file))
  .filter((file) => /\.test\.ts$|^test\/support\/.*\.ts$/.test(file) && file !== HELPER)

/** Uses of programs that a machine may lack, without the helper. Types of their packages are no use. */
const detoursIn = (text: string) =>
  [
    ...text
      .replaceAll(/^import type .*$/gm, "")
      .matchAll(
        /(?:from|import|require)\s*\(?\s*["'`](?:playwright|@testcontainers\/)[^"'`]*|\b(?:spawn|exec|execFile|execute)(?:Sync)?\)?\(\s*["'`](?!npm["'`])[^"'`]*|process\.env(?:\.|\[["'`])CHROMIUM/g
      )
  ].map(([use]) => use)

it("tests start no program but Node, npm and PostgreSQL, unless the helper gives it", () => {
  const detours = testFiles
    .filter((file) => file !== "test/architecture.test.ts")
    .flatMap((file) => detoursIn(readFileSync(file, "utf8")).map((use) => `${file}: ${use}`))
  assert.deepStrictEqual(detours, [])
  for (const detour of [
    'import { chromium } from "playwright-core"',
    'await import("playwright-core")',
    'import {\n  PostgreSqlContainer\n} from "@testcontainers/postgresql"',
    'spawn("pgbouncer", [])',
    'execFileSync("/usr/bin/chromium")',
    'promisify(execFile)("bash", [])',
    'execute(process.env["CHROMIUM"] ?? "chromium")'
  ]) {
    assert.lengthOf(detoursIn(detour), 1, detour)
  }
  assert.isEmpty(detoursIn('import type { Page } from "playwright-core"\nspawn("npm", ["start"])'))
})

it("tests of a program are skipped where it is missing", () => {
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
  const named = rows.flatMap((cells) => [
    ...(cells.at(-3) ?? []).filter((name) => name.includes("/")).map((name) => `src/${name}`),
    ...(cells.at(-2) ?? []).map((name) => `test/${name}.test.ts`)
  ])
  assert.isAbove(named.length, 60)
  assert.deepStrictEqual(
    named.filter((file) => !existsSync(file)),
    []
  )
})
