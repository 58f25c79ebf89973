import { Effect } from "effect"
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Sizes } from "./options.ts"
import { LOGS } from "./processes.ts"
import { makeInvariants, printLine } from "./report.ts"

/** Project folder, relative to the bundle in `dist`. */
const root = fileURLToPath(new URL("..", import.meta.url))

/** Lists test files with properties. */
const propertyFiles = () =>
  readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join("test", file))
    .filter((file) => /"fast-check"/.test(readFileSync(join(root, file), "utf8")))

const outputOf = (args: ReadonlyArray<string>, seed: number) =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...args], {
      cwd: root,
      env: { ...process.env, PROPERTY_SEED: String(seed), PROPERTY_RUNS: "soak" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => void (output += text))
    }
    const [code] = await once(child, "close")
    return { hasPassed: code === 0, output }
  })

/** Runs all property tests with a new random seed each round. */
export const properties = (_: string, { "property-rounds": rounds }: Sizes) =>
  Effect.gen(function* () {
    const invariants = makeInvariants("properties")
    const files = propertyFiles()
    const failed: Array<string> = []
    for (let round = 1; round <= rounds; round++) {
      const seed = randomInt(2 ** 31)
      yield* printLine(`Round ${round} of ${rounds}: PROPERTY_SEED=${seed}`)
      const { hasPassed, output } = yield* outputOf(files, seed)
      if (hasPassed) continue
      mkdirSync(LOGS, { recursive: true })
      const log = join(LOGS, `properties-${seed}.log`)
      writeFileSync(log, output)
      failed.push(`PROPERTY_SEED=${seed} npx vitest run (${log})`)
      yield* printLine(`Failed; repeat it with PROPERTY_SEED=${seed} npx vitest run. Output: ${log}`)
    }
    invariants.atLeast("files with properties", files.length, 20)
    invariants.none("rounds that failed", failed)
    return invariants.all
  })
