import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../support/process/Process.ts"

const run = (script: string, ...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [script, ...args], { encoding: "utf8" })

/** Checks the lines of a file. Returns the distinct numbers of lines with a finding. */
const linesWithFindings = Effect.fn(function* (name: string, lines: ReadonlyArray<string>) {
  const file = join(yield* temporaryFolder, name)
  writeFileSync(file, lines.join("\n"))
  const { status, stdout } = run("scripts/lint-words.mjs", file)
  const numbers = [...new Set([...stdout.matchAll(/^.*?\.(?:md|tsx?):(\d+): /gm)].map(([, number]) => Number(number)))]
  assert.strictEqual(status, numbers.length === 0 ? 0 : 1)
  return numbers
})

const HARD = [
  "What is not answered within 10 seconds is tried again.",
  "A sentence. Who gives up waiting leaves nothing behind.",
  "- Whether the key is known is looked up first.",
  "1. Of two requests the second waits.",
  "| `size` | What it holds |",
  "**Order.** That the other one came first, the index shows.",
  "The window is exact. Nor does it drift.",
  "The header says which version it is.",
  "A rehearsal keeps nothing.",
  "Credentials stand in the file.",
  "The app is told of the change.",
  "A slow request is given up.",
  "Compressed for who asks."
]

const PLAIN = [
  "# What to expect",
  "What does it cost?",
  "That takes two seconds.",
  "Clients that do not read are disconnected.",
  "The `What is` prefix is code, and so is `rehearse`.",
  "| What | Value |",
  "See [the page](what-is-told.md).",
  "```",
  "What is in a block is code. Nor is it checked.",
  "```",
  "The merchant knows the password."
]

it.live("lint-words reports every pattern of hard prose on its line", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(
      yield* linesWithFindings("page.md", HARD),
      HARD.map((_, index) => index + 1)
    )
  })
)

it.live("lint-words accepts plain prose, questions, headings, links and code", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* linesWithFindings("page.md", PLAIN), [])
  })
)

const HARD_SOURCE = [
  "/** What a store sells. */",
  "/** Whether the product is visible. */",
  "/** How often a delivery is retried. */",
  "/** Where agents send their messages. */",
  "/** That the key is known is checked first. */",
  "/** When the store is suspended. */",
  "/** Returns the price. Who has none gets zero. */",
  "/** The receiver is told of the change. */",
  "/** Runs a rehearsal. */",
  "export interface Told {",
  "  readonly amongOthersKept: boolean",
  "}",
  "export class Likeness {}",
  "const { keptRows, rest } = rows",
  "const overheardChanges = 1",
  "const wanted = 1",
  "const isRehearsal = (asked: string) => asked",
  "const list = rows.map(({ given }) => given.length)"
]

const PLAIN_SOURCE = [
  'import { type Told, askedFor } from "./Elsewhere.ts"',
  "/**",
  " * Returns what the caller sent, or none. When a key is known, the stored response is returned.",
  " *",
  " * @example",
  " * What is in an example is code.",
  " */",
  "// What a line comment contains is not checked, and neither is `const told = 1`.",
  "/** When the lease ends, another worker claims the delivery. */",
  "export class ProductNotFound {}",
  "const query = { found: true, keptAlive: false }.found",
  'const text = "What is told"'
]

it.live("lint-words reports hard prose in doc comments and private names on their lines", () =>
  Effect.gen(function* () {
    const expected = HARD_SOURCE.flatMap((line, index) => (line === "}" ? [] : [index + 1]))
    assert.deepStrictEqual(yield* linesWithFindings("Source.ts", HARD_SOURCE), expected)
  })
)

it.live("lint-words accepts plain doc comments, imported names, strings and line comments", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* linesWithFindings("Source.tsx", PLAIN_SOURCE), [])
  })
)

it("the documents and checked sources of the project have no lint-words findings", () => {
  const { stdout } = run("scripts/lint-words.mjs")
  assert.strictEqual(stdout, "")
})

it("lint-commits checks subjects for type, length and full stop", () => {
  const check = `
    import { problemsOf } from "./scripts/lint-commits.mjs"
    process.stdout.write(JSON.stringify(process.argv.slice(1).map((subject) => problemsOf(subject).length)))
  `
  const subjects = [
    "feat(webhooks): retry after 429",
    "fix!: drop the header",
    "Retry after 429",
    "chore: update packages",
    "docs: describe the window.",
    `docs: ${"long ".repeat(20)}`
  ]
  const { stderr, stdout } = run("--input-type=module", "--eval", check, ...subjects)
  assert.strictEqual(stdout, "[0,0,1,1,1,1]", stderr)
})
