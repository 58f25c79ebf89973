import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

/*
 * `npm test` keeps the modules of one file for the next: to load them anew took a third of the time. Plans are measured by
 * themselves, as what others have left counts there.
 */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/setup.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    // One less than there are cores, as Vitest has it, but not one alone: much of a test is waiting.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    minWorkers: 1,
    testTimeout: 180_000,
    hookTimeout: 120_000
  }
})
