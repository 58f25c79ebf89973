import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"

const FILE = "test-durations.json"
const SHOWN = 20

/** Writes the seconds of each test file to {@link FILE}, and prints the slowest files after the run. */
export class DurationsReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>) {
    const files = modules
      .map((module) => {
        const { collectDuration, duration, setupDuration } = module.diagnostic()
        return {
          file: relative(process.cwd(), module.moduleId),
          seconds: Math.round((collectDuration + duration + setupDuration) / 100) / 10
        }
      })
      .toSorted((a, b) => b.seconds - a.seconds)
    // A run of a few files keeps the report of the last whole run.
    if (files.length <= SHOWN) return
    writeFileSync(FILE, `${JSON.stringify(files, null, 2)}\n`)
    const slowest = files.slice(0, SHOWN)
    const rows = slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`)
    process.stdout.write(`\nSlowest ${SHOWN} of ${files.length} test files (all: ${FILE})\n${rows.join("\n")}\n`)
  }
}
