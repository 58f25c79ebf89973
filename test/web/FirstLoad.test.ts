import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import type { Response } from "playwright-core"
import { isMissing } from "../support/process/Programs.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"

/** Maximum size of the scripts of a first load, in gzipped bytes. */
const MAX_BYTES = 250 * 1024

describe.skipIf(isMissing("chromium"))("First load of the dashboard", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("the first load has at most 250 KiB of gzipped script and no requests to other origins", () =>
      Effect.gen(function* () {
        const { complaints, dashboard, page, url } = yield* dashboardMember()
        const responses: Array<Response> = []
        page.on("response", (response) => void responses.push(response))
        yield* Effect.promise(async () => {
          await page.goto(dashboard, { waitUntil: "networkidle" })
          await page.getByRole("heading", { level: 1 }).waitFor()
        })
        const scripts = responses.filter((response) => response.request().resourceType() === "script")
        assert.isNotEmpty(scripts)
        const bodies = yield* Effect.promise(() => Promise.all(scripts.map((response) => response.body())))
        const bytes = bodies.map((body) => gzipSync(body).length).reduce((sum, length) => sum + length, 0)
        process.stdout.write(`First load of the dashboard: ${(bytes / 1024).toFixed(1)} KiB of script, gzipped\n`)
        assert.isAtMost(bytes, MAX_BYTES)
        assert.deepStrictEqual(
          responses.map((response) => new URL(response.url()).origin).filter((origin) => origin !== url),
          []
        )
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
