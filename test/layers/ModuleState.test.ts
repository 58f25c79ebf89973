import { assert, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

type Source = readonly [file: string, text: string]

const sources: ReadonlyArray<Source> = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => join("src", file))
  .map((file) => [file, readFileSync(file, "utf8")])

const MUTATING_METHODS = "add|clear|copyWithin|delete|fill|pop|push|reverse|set|shift|sort|splice|unshift"

/** Members of a name, as in `a.b[0]`. */
const MEMBERS = String.raw`(?:\.\w+|\[[^\]]*\])`

/**
 * Mutable module state. It lives as long as the process, so that tests and services in one process would share it.
 * Relies on the format of the sources: a declaration at the start of a line belongs to the module.
 */
const stateIn = ([file, text]: Source) => {
  const variables = text.matchAll(/^(?:export )?(?:let|var) (\w+)/gm)
  const created = text.matchAll(
    /^(?:export )?const (\w+)(?:: (?!Readonly)[^=]+)? = (?:new (?:Map|Set|WeakMap|WeakSet|Array)\b|make[A-Z])/gm
  )
  const changed = [...text.matchAll(/^(?:export )?const (\w+)/gm)].filter(([, name]) =>
    new RegExp(
      String.raw`\b${name}${MEMBERS}*\.(?:${MUTATING_METHODS})\(|\b${name}${MEMBERS}+ (?:[-+*/|&?]*=) |\bdelete ${name}\b`
    ).test(text)
  )
  const names = [...variables, ...created, ...changed].map(([, name]) => `${file}: ${name}`)
  return [...new Set(names)]
}

it("no module of the layers has mutable state", () => {
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
