import { assert, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Who may know the driver: the way to SQL, the migrator, and the presence of who uses the embedded server. */
const ROOM = "src/layers/sql/"
const ADMITTED = ["src/layers/migrations/", "src/layers/Migrations.ts", "src/layers/postgres/UsageLock.ts"]

/** What the driver does not promise, or what goes past the one way to SQL. A response of HTTP has a stream, too. */
const PRIVATE =
  /\.query\(|(?<!response)\.(?:connection|stream|reserve|processID|secretKey)\b|\b(?:activeQuery|parsedStatements|submittedNamedStatements|TransactionConnection)\b|\._(?:queryable|ending|connected|activeQuery|queryQueue|sentQueryQueue|idle|clients|types)\b/g

type Source = readonly [file: string, text: string]

const sources: ReadonlyArray<Source> = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => join("src", file))
  .map((file) => [file, readFileSync(file, "utf8")])

const isAdmitted = (file: string) => [ROOM, ...ADMITTED].some((place) => file.startsWith(place))

const driversIn = ([file, text]: Source) =>
  isAdmitted(file)
    ? []
    : [
        ...text.matchAll(
          /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](pg(?:-[\w-]+)?|@effect\/sql(?:-pg)?)(?:\/[^"']*)?["']/g
        )
      ].map(([, name]) => `${file} -> ${name}`)

/** Surfaces and the domain cannot get hold of the driver (test/architecture.test.ts). */
const privatesIn = ([file, text]: Source) =>
  isAdmitted(file) || /^src\/(?:domain|http|rpc)\//.test(file)
    ? []
    : [...text.matchAll(PRIVATE)].map(([part]) => `${file}: ${part}`)

const CHANGES = "add|clear|copyWithin|delete|fill|pop|push|reverse|set|shift|sort|splice|unshift"

/** Members of a name, as in `a.b[0]`. */
const MEMBERS = String.raw`(?:\.\w+|\[[^\]]*\])`

/**
 * What a module keeps and changes as long as the process lives, which no test and no second service can have anew.
 * By the format of our sources: what stands at the start of a line is the module's own.
 */
const stateIn = ([file, text]: Source) => {
  const variables = text.matchAll(/^(?:export )?(?:let|var) (\w+)/gm)
  const made = text.matchAll(
    /^(?:export )?const (\w+)(?:: (?!Readonly)[^=]+)? = (?:new (?:Map|Set|WeakMap|WeakSet|Array)\b|make[A-Z])/gm
  )
  const changed = [...text.matchAll(/^(?:export )?const (\w+)/gm)].filter(([, name]) =>
    new RegExp(
      String.raw`\b${name}${MEMBERS}*\.(?:${CHANGES})\(|\b${name}${MEMBERS}+ (?:[-+*/|&?]*=) |\bdelete ${name}\b`
    ).test(text)
  )
  const names = [...variables, ...made, ...changed].map(([, name]) => `${file}: ${name}`)
  return [...new Set(names)]
}

it("only the way to SQL, the migrator and the embedded server's presence know the driver", () => {
  assert.deepStrictEqual(sources.flatMap(driversIn), [])
  for (const name of ["pg", "pg-pool", "@effect/sql", "@effect/sql-pg"]) {
    assert.deepStrictEqual(driversIn(["src/layers/A.ts", `import { B } from "${name}"`]), [
      `src/layers/A.ts -> ${name}`
    ])
    assert.lengthOf(driversIn(["src/http/A.ts", `import type { B } from "${name}/C"`]), 1)
    assert.lengthOf(driversIn([`${ROOM}A.ts`, `import { B } from "${name}"`]), 0)
  }
})

it("nobody else touches the parts of the driver", () => {
  assert.deepStrictEqual(sources.flatMap(privatesIn), [])
  for (const text of ["client.query(text)", "pool._idle.length", "client.connection.stream", "sql.reserve"]) {
    assert.isNotEmpty(privatesIn(["src/layers/A.ts", text]), text)
  }
})

it("no module of the layers keeps what changes", () => {
  const layers = sources.filter(([file]) => file.startsWith("src/layers/"))
  assert.isNotEmpty(layers)
  assert.deepStrictEqual(layers.flatMap(stateIn), [])
  for (const text of [
    "let a = 1",
    "export const a = new Map<string, string>()",
    "const a = makeNames()",
    "const a: Array<number> = []\nconst add = () => a.push(1)",
    "const a = { b: 1 }\nconst add = () => { a.b += 1 }",
    "const a: Record<string, number> = {}\nfunction add() { delete a.b }"
  ]) {
    assert.deepStrictEqual(stateIn(["A.ts", text]), ["A.ts: a"], text)
  }
  for (const text of [
    "const a: ReadonlyMap<string, string> = new Map()",
    "const b = () => { const a = new Map(); a.set(1, 2); return a }",
    "const a = [1, 2].map(String)"
  ]) {
    assert.deepStrictEqual(stateIn(["A.ts", text]), [], text)
  }
})
