import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, describe, vi } from "vitest"
import { begin, openTable, Output, step } from "./output.ts"

/** Text that was written to each stream, which is no terminal in tests. */
const written = { stdout: "", stderr: "" }

beforeEach(() => {
  for (const name of ["stdout", "stderr"] as const) {
    written[name] = ""
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text)
      return true
    })
  }
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe("output of the benchmark", () => {
  it.effect("prints a row before the next is measured, and collects missed bounds", () =>
    Effect.gen(function* () {
      const printRow = yield* openTable(["What", "Measured", "At most"])
      yield* printRow({ cells: ["First", "1", "2"], reached: true })
      assert.match(written.stdout, /^\| First +\| +1 \| +2 \| +yes \|\n$/m)
      yield* printRow({ cells: ["Second", "3", "2"], reached: false })
      assert.match(written.stdout, /^\| Second .*\*\*no\*\* \|\n$/m)
      yield* printRow({ cells: ["Third", "3", ""] })
      assert.deepStrictEqual(yield* Output.use(({ missed }) => missed), ["Second"])
    }).pipe(Effect.provide(Output.layer))
  )

  it.effect("shows progress on standard error, at most one line every ten seconds", () =>
    Effect.gen(function* () {
      yield* begin("speed", 3)
      for (const title of ["one", "two"]) {
        yield* step(title)
        yield* TestClock.adjust("20 seconds")
      }
      const lines = written.stderr.trim().split("\n")
      assert.lengthOf(lines, 5)
      assert.match(lines[0] ?? "", /^speed 1\/3: one, \d+ s$/)
      assert.match(lines[4] ?? "", /^speed 2\/3: two, \d+ s$/)
      assert.strictEqual(written.stdout, "")
    }).pipe(Effect.provide(Output.layer))
  )
})
