import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

// Vitest 5 reports failures by it, and Node 20 does not have it.
Map.groupBy ??= <K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K) => {
  const groups = new Map<K, Array<T>>()
  for (const [index, item] of [...items].entries()) {
    const key = keyOf(item, index)
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return groups
}

const PLANS = "test/layers/database/Plans.test.ts"

// One less than there are cores, as Vitest has it, but not one alone: much of a test is waiting.
const workers = Math.max(2, availableParallelism() - 1)

const project = { setupFiles: ["test/support/setup.ts"], testTimeout: 180_000, hookTimeout: 120_000 }

export default defineConfig({
  test: {
    // Once for the run: all projects use one PostgreSQL.
    globalSetup: ["test/support/globalSetup.ts"],
    // A file keeps the modules for the next: loading them again took a third of the time.
    isolate: false,
    maxWorkers: workers,
    projects: [
      { test: { ...project, name: "all", include: ["test/**/*.test.ts"], exclude: [PLANS], isolate: false } },
      // It counts the pages that PostgreSQL reads, so it runs alone, in a fresh worker, after all others.
      { test: { ...project, name: "plans", include: [PLANS], sequence: { groupOrder: 1 } } }
    ]
  }
})
