import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import type { Response } from "playwright-core"
import { isMissing } from "../support/process/Programs.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { makeProducts } from "../support/data/Products.ts"
import { putOrders } from "../support/data/Records.ts"

/** Maximum size of the scripts of a first load, in gzipped bytes. */
const MAX_BYTES = 252 * 1024

/** Latency in milliseconds, and bytes in a second. */
const SLOW = { offline: false, latency: 400, downloadThroughput: 50 * 1024, uploadThroughput: 50 * 1024 }

/** Resolves with the milliseconds until the first text is visible. */
const FIRST_PAINT = `new Promise((resolve) =>
  new PerformanceObserver((list) => resolve(list.getEntriesByName("first-contentful-paint")[0].startTime))
    .observe({ type: "paint", buffered: true })
)`

const WATCH_SHIFTS = `
  globalThis.shifted = 0
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) globalThis.shifted += value
  }).observe({ type: "layout-shift", buffered: true })
`

describe.skipIf(isMissing("chromium"))("First load of the dashboard", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("the first load has at most 252 KiB of gzipped script and no requests to other origins", () =>
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

    it.effect("on a slow network there is something to read within 2 s", () =>
      Effect.gen(function* () {
        const { context, dashboard, page } = yield* dashboardMember()
        const firstPaint = yield* Effect.promise(async () => {
          const session = await context.newCDPSession(page)
          await session.send("Network.enable")
          await session.send("Network.emulateNetworkConditions", SLOW)
          await page.goto(dashboard, { waitUntil: "commit" })
          await page.getByText("Loading…").waitFor()
          const millis = await page.evaluate(FIRST_PAINT)
          await page.getByRole("heading", { name: "Home" }).waitFor()
          return Number(millis)
        })
        process.stdout.write(`First text on a slow network: ${firstPaint.toFixed(0)} ms\n`)
        assert.isAtMost(firstPaint, 2000)
      })
    )

    it.effect("the home page shifts by less than 0.02 while it loads", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { dashboard, page, storeId } = member
        const products = yield* makeProducts(
          member,
          Array.from({ length: 5 }, (_, n) => ({ name: `Cup ${n}`, stock: 1 }))
        )
        const placedAt = new Date(Date.now() - 86_400_000).toISOString()
        const orders = products.map(({ id }, n) => ({
          number: String(n),
          placedAt,
          lineItems: [{ name: "Cup", productId: id, quantity: 1, unitPrice: 10 }]
        }))
        yield* putOrders(storeId, orders)
        const shifted = yield* Effect.promise(async () => {
          await page.addInitScript(WATCH_SHIFTS)
          await page.goto(dashboard, { waitUntil: "networkidle" })
          await page.getByRole("figure", { name: /Sales by day/ }).waitFor()
          await page.getByRole("link", { name: "Cup 0" }).first().waitFor()
          return page.evaluate("shifted")
        })
        process.stdout.write(`Layout shift of the home page: ${Number(shifted).toFixed(4)}\n`)
        assert.isBelow(Number(shifted), 0.02)
      })
    )
  })
})
