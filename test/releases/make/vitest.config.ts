import { defineConfig } from "vitest/config"
import shared from "../../../vitest.config.ts"

/** Config of `npm run release-fixture`. */
export default defineConfig({
  test: {
    ...shared.test,
    projects: [
      {
        test: {
          name: "release fixture",
          setupFiles: ["test/support/setup.ts"],
          include: ["test/releases/make/Fixture.ts"],
          testTimeout: 60_000
        }
      }
    ]
  }
})
