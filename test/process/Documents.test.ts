import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { isMissing, runInBash } from "../support/Programs.ts"
import { folder, ownDatabase, startServer } from "../support/Process.ts"

/** The blocks of a language in a section of a document. */
const blocksOf = (file: string, heading: string, language: string) => {
  const [, section = ""] = readFileSync(file, "utf8").split(`\n## ${heading}\n`)
  const [text = ""] = section.split("\n## ")
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"))].map(([, block = ""]) => block)
}

/** A folder with the `.data` of a demo that runs, as the project has after `npm start`. */
const demo = Effect.gen(function* () {
  const { url } = yield* ownDatabase
  const root = yield* folder
  const { base, greeted } = yield* startServer({ DATABASE_URL: url, DATA_DIR: join(root, ".data"), DEMO: "true" })
  yield* greeted
  return { base, root }
})

it.live.skipIf(isMissing("bash") || isMissing("curl"))("the first requests of the README succeed as it shows", () =>
  Effect.gen(function* () {
    const { base, root } = yield* demo
    const [list, create] = blocksOf("README.md", "First request", "sh").map((block) =>
      block.replaceAll("http://127.0.0.1:3000", base).replaceAll("curl ", "curl -s ")
    )
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

it.live("the program of the tutorial prints what the tutorial shows", () =>
  Effect.gen(function* () {
    const { root } = yield* demo
    const [program = ""] = blocksOf("docs/tutorial-app.md", "Write your own call", "js")
    const app = join(root, "examples/price-tags")
    mkdirSync(join(app, "node_modules"), { recursive: true })
    symlinkSync(process.cwd(), join(app, "node_modules/partner-api"))
    writeFileSync(join(app, "try.mjs"), program)
    const { stdout } = yield* Effect.promise(() => promisify(execFile)(process.execPath, ["try.mjs"], { cwd: app }))
    assert.match(stdout, /^Lamp 20\n$/m)
    assert.strictEqual(stdout.trimEnd().split("\n").at(-1), "Lamp 20")
  })
)
