import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { macros } from "./scripts/translation.mjs"
import { DurationsReporter } from "./test/support/DurationsReporter.ts"

// Vitest 5 needs it to report failures, and Node 20 lacks it.
Map.groupBy ??= <K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K) => {
  const groups = new Map<K, Array<T>>()
  for (const [index, item] of [...items].entries()) {
    const key = keyOf(item, index)
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return groups
}

/** Runs after all other files: it compares deliveries of many processes, whose leases expire on a busy machine. */
const ALONE = ["test/process/webhooks/Together.test.ts"]

// More than cores, because tests often wait. With one more, the suite takes a fifth longer.
const workers = availableParallelism() + 2

const project = { setupFiles: ["test/support/setup.ts"], testTimeout: 180_000, hookTimeout: 120_000 }

export default defineConfig({
  test: {
    // All projects use one PostgreSQL server.
    globalSetup: ["test/support/globalSetup.ts"],
    // Prints the log of a test only if it fails. Many tests expect errors that the service logs.
    silent: "passed-only",
    reporters: ["default", new DurationsReporter()],
    projects: [
      {
        plugins: [macros],
        test: {
          ...project,
          name: "all",
          include: ["test/**/*.test.ts"],
          exclude: ALONE,
          maxWorkers: workers,
          // Loading the modules again for each file takes a third of the time.
          isolate: false
        }
      },
      { test: { ...project, name: "alone", include: ALONE, sequence: { groupOrder: 1 } } }
    ]
  }
})
