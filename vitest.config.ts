import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const PLANS = "test/layers/database/Plans.test.ts"

// One less than there are cores, as Vitest has it, but at least three: while one worker waits, two use two cores.
const workers = Math.max(3, availableParallelism() - 1)

const project = { setupFiles: ["test/support/setup.ts"], testTimeout: 180_000, hookTimeout: 120_000 }

const isProcess = ({ moduleId }: TestSpecification) => moduleId.includes("/test/process/")

/** Tests of processes wait half a minute for leases and time limits. They start first, so that the rest runs meanwhile. */
class ProcessesFirst extends BaseSequencer {
  override async sort(specs: Array<TestSpecification>) {
    // oxlint-disable-next-line unicorn/no-array-sort -- Vitest's own method, not an array's.
    const files = await super.sort(specs)
    return [...files.filter(isProcess), ...files.filter((spec) => !isProcess(spec))]
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: ProcessesFirst },
    // Once for the run: all projects use one PostgreSQL.
    globalSetup: ["test/support/globalSetup.ts"],
    // A file keeps the modules for the next: loading them again took a third of the time.
    isolate: false,
    maxWorkers: workers,
    // The pool stops an idle worker above the minimum, twice if there are three, which fails the run (tinypool 1.1).
    minWorkers: workers,
    projects: [
      { test: { ...project, name: "all", include: ["test/**/*.test.ts"], exclude: [PLANS], isolate: false } },
      // It counts the pages that PostgreSQL reads, so it runs alone, in a fresh worker, after all others.
      { test: { ...project, name: "plans", include: [PLANS], sequence: { groupOrder: 1 } } }
    ]
  }
})
