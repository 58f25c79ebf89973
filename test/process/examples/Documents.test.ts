import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { isMissing, runInBash } from "../../support/process/Programs.ts"
import { temporaryFolder, makeMigratedDatabase, startServer } from "../../support/process/Process.ts"

/** Code blocks of a language in a document, or in one of its sections. */
const blocksOf = (file: string, language: string, heading?: string) => {
  const whole = readFileSync(file, "utf8")
  const [, section = ""] = heading === undefined ? ["", whole] : whole.split(`\n## ${heading}\n`)
  const [text = ""] = heading === undefined ? [section] : section.split("\n## ")
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"))].map(([, block = ""]) => block)
}

/** A running demo server for all tests, with its `.data` in the folder `root`, as after `npm start`. */
class Demo extends Context.Service<Demo, { readonly base: string; readonly root: string }>()("test/Demo") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const { url } = yield* makeMigratedDatabase
      const root = yield* temporaryFolder
      const { base, greeted } = yield* startServer({ DATABASE_URL: url, DATA_DIR: join(root, ".data"), DEMO: "true" })
      yield* greeted
      return { base, root }
    })
  )
}

/** Replaces the server address in a block and silences the progress bars of curl. */
const adaptTo = (base: string) => (block: string) =>
  block.replaceAll("http://127.0.0.1:3000", base).replaceAll("curl ", "curl -s ")

layer(Demo.layer, { excludeTestServices: true, timeout: "120 seconds" })("Documents", (it) => {
  it.effect.skipIf(isMissing("bash") || isMissing("curl"))("the first requests of the README succeed", () =>
    Effect.gen(function* () {
      const { base, root } = yield* Demo
      const [list, create] = blocksOf("README.md", "sh", "First request").map(adaptTo(base))
      assert.isDefined(list)
      assert.isDefined(create)
      const listed = yield* Effect.promise(() => runInBash(`cd ${root}`, list))
      assert.lengthOf(JSON.parse(listed.stdout).products, 2)
      const start = `cd ${root}\n${list.replaceAll(/^curl .*$/gm, "")}`
      const created = yield* Effect.promise(() => runInBash(start, create))
      assert.match(created.stdout, /^HTTP\/1\.1 201 [^]*"name":"Lantern"/)
      const repeated = yield* Effect.promise(() => runInBash(start, create))
      assert.match(repeated.stdout, /^HTTP\/1\.1 201 [^]*^Idempotent-Replayed: true/im)
    })
  )

  it.effect.skipIf(isMissing("bash") || isMissing("curl"))("the calls in docs/rpc.md succeed", () =>
    Effect.gen(function* () {
      const { base, root } = yield* Demo
      const [calls = ""] = blocksOf("docs/rpc.md", "sh").map(adaptTo(base))
      const { stdout } = yield* Effect.promise(() => runInBash(`cd ${root}`, calls))
      assert.lengthOf(stdout.match(/"_tag":"Exit"/g) ?? [], 2, stdout)
      assert.lengthOf(stdout.match(/"_tag":"Success"/g) ?? [], 2, stdout)
    })
  )

  it.effect("the program of the tutorial prints the output that the tutorial shows", () =>
    Effect.gen(function* () {
      const { root } = yield* Demo
      const [program = ""] = blocksOf("docs/tutorial-app.md", "js", "Write your own call")
      const app = join(root, "examples/price-tags")
      mkdirSync(join(app, "node_modules"), { recursive: true })
      symlinkSync(process.cwd(), join(app, "node_modules/partner-api"))
      writeFileSync(join(app, "try.mjs"), program)
      const { stdout } = yield* Effect.promise(() => promisify(execFile)(process.execPath, ["try.mjs"], { cwd: app }))
      assert.match(stdout, /^Lamp 20\n$/m)
      assert.strictEqual(stdout.trimEnd().split("\n").at(-1), "Lamp 20")
    })
  )
})
