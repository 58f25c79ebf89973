import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Browser, CDPSession, Page } from "playwright-core"
import { browser } from "../../support/process/Programs.ts"
import { memberOf } from "../../support/rpc/Members.ts"
import { begin, detail, openTable, printLine, step } from "../output.ts"
import { openConnection, createDatabase, vacuumAndCheckpoint } from "../database.ts"
import { fillStore } from "../seed/manyProducts.ts"
import { medianOf } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { MEDIUM_STORE, idOf, installationAt, tokenOf } from "../seed/population.ts"
import { BOUND_HEADINGS, boundLine } from "../measure/report.ts"
import { seedServiceAccounts } from "../seed/seed.ts"
import { SERVICE, startServer } from "../servers.ts"

/** Maximum milliseconds from a click to the rows of products, in a window that loads the page for the first time. */
const SHOWN = 300

/** Maximum p95 of the milliseconds between two frames while the table scrolls from the first row to the last. */
const FRAME = 34

/** Maximum growth of the heap in MiB during an hour of use. */
const GROWTH = 20

/** Changes of an hour at one per second. The benchmark sends them as fast as possible, each to another product. */
const CHANGES = 3600
const AT_ONCE = 4

const store = idOf("store", 0, MEDIUM_STORE.store)

/** Clicks and returns the milliseconds until the first row is drawn. */
const CLICK_UNTIL_SHOWN = `new Promise((done) => {
  const from = performance.now()
  const look = () => document.querySelector('[role=grid] tbody tr[aria-rowindex]')
    ? requestAnimationFrame(() => done(performance.now() - from))
    : requestAnimationFrame(look)
  document.querySelector('nav a[href$="/products"]').click()
  look()
})`

/** Scrolls by half a screen per frame to the end. Returns the milliseconds of each frame. */
const SCROLL = `new Promise((done) => {
  const scroller = document.querySelector('section[aria-label=Products]')
  const frames = []
  let last = performance.now()
  scroller.scrollTop = 0
  const step = (now) => {
    frames.push(now - last)
    last = now
    const before = scroller.scrollTop
    scroller.scrollTop += 250
    if (scroller.scrollTop === before) done(frames)
    else requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
})`

const WATCH_SHIFTS = `
  globalThis.shifted = 0
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) globalThis.shifted += value
  }).observe({ type: 'layout-shift', buffered: true })
`

const heapOf = async (session: CDPSession) => {
  await session.send("HeapProfiler.collectGarbage")
  const { usedSize } = await session.send("Runtime.getHeapUsage")
  return usedSize / 1024 ** 2
}

const openWindow = async (launched: Browser, base: string, cookie: string) => {
  const context = await launched.newContext({ viewport: { width: 1280, height: 800 } })
  const [name = "", value = ""] = cookie.split("=", 2)
  await context.addCookies([{ name, value, url: base }])
  const page = await context.newPage()
  await page.addInitScript(WATCH_SHIFTS)
  await page.goto(`${base}/dashboard/${store}`)
  await page.getByRole("heading", { name: "Recent activity" }).waitFor()
  return page
}

/** Visits every page of the dashboard with live data. */
const visitPages = async (page: Page) => {
  for (const name of ["Products", "Collections", "Activity", "Orders", "Home"]) {
    await page.getByRole("link", { name, exact: true }).click()
    await page.getByRole("heading", { name, level: 1 }).waitFor()
    await page.waitForLoadState("networkidle")
  }
}

/** Loads all rows by pressing End. */
const loadAll = async (page: Page) => {
  await page.getByRole("link", { name: "Products", exact: true }).click()
  await page.getByRole("grid").getByRole("row").nth(1).focus()
  const loaded = page.getByText(`${MEDIUM_STORE.products.toLocaleString("en")} products`, { exact: true })
  while (!(await loaded.isVisible())) await page.keyboard.press("End")
}

const change = async (port: number, n: number) => {
  const { status } = await fetch(
    `http://127.0.0.1:${port}/api/platform/v1/products/${idOf("product", MEDIUM_STORE.store, n % MEDIUM_STORE.products)}`,
    {
      method: "PATCH",
      headers: {
        authorization: `Bearer ${tokenOf(installationAt("deep", n))}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID()
      },
      body: JSON.stringify({ stock: n + 1 })
    }
  )
  if (status !== 200) throw new Error(`A change returned ${status}`)
}

/** Measures the dashboard in a browser: a store with 10,000 products, and an hour of changes. */
export const pages = (server: string, { rounds }: Options) =>
  Effect.gen(function* () {
    yield* begin("pages", 4)
    yield* step("seeding")
    const url = yield* createDatabase(server, "pages")
    const { port } = yield* startServer(SERVICE, url)
    const db = yield* openConnection(url)
    yield* Effect.promise(() => seedServiceAccounts(db, [[MEDIUM_STORE.store, MEDIUM_STORE.products]]))
    yield* fillStore(url, MEDIUM_STORE.store, 0, MEDIUM_STORE.products)
    yield* vacuumAndCheckpoint(db)
    const cookie = yield* memberOf(url, [store])
    const launched = yield* browser
    const base = `http://127.0.0.1:${port}`
    const open = Effect.promise(() => openWindow(launched, base, cookie))

    const printRow = yield* openTable(BOUND_HEADINGS)
    yield* step("products, from a click to rows")
    const shown: Array<number> = []
    // The first round warms up the server.
    for (let round = 0; round <= 3 * rounds; round++) {
      yield* detail(`round ${round} of ${3 * rounds}`)
      const page = yield* open
      yield* Effect.promise(async () => {
        await page.waitForLoadState("networkidle")
        const millis = Number(await page.evaluate(CLICK_UNTIL_SHOWN))
        if (round > 0) shown.push(millis)
        await page.context().close()
      })
    }

    yield* printRow(boundLine("Products, from a click to rows", medianOf(shown), SHOWN, "ms", 1))

    yield* step("scrolling all rows")
    const page = yield* open
    const session = yield* Effect.promise(() => page.context().newCDPSession(page))
    yield* Effect.promise(() => visitPages(page))
    const shifted = Number(yield* Effect.promise(() => page.evaluate("globalThis.shifted")))
    yield* printRow({ cells: ["Layout shift of all pages", String(shifted), "", "", "0"], reached: shifted === 0 })
    yield* Effect.promise(() => loadAll(page))
    const frames = yield* Effect.promise(() => page.evaluate<ReadonlyArray<number>>(SCROLL))
    const sorted = frames.toSorted((a, b) => a - b)
    const slow = sorted[Math.floor(frames.length * 0.95)] ?? Number.NaN
    yield* printRow(boundLine("A frame while 10,000 rows are scrolled, p95", slow, FRAME, "ms", 1))

    yield* step(`an hour of ${CHANGES} changes`)
    yield* Effect.promise(() => visitPages(page))
    const before = yield* Effect.promise(() => heapOf(session))
    const changing = Effect.forEach(
      Array.from({ length: CHANGES }, (_, n) => n),
      (n) =>
        Effect.andThen(
          detail(`change ${n + 1}`),
          Effect.promise(() => change(port, n))
        ),
      { concurrency: AT_ONCE, discard: true }
    )
    const looking = Effect.forever(Effect.promise(() => visitPages(page)))
    yield* Effect.raceFirst(changing, looking)
    yield* Effect.promise(() => visitPages(page))
    const after = yield* Effect.promise(() => heapOf(session))

    yield* printRow(boundLine("The heap grows in an hour of changes by", after - before, GROWTH, "MiB", 1))
    yield* printLine(
      `\nRows after ${shown.map((millis) => millis.toFixed(0)).join(", ")} ms; ${frames.length} frames to the last of ` +
        `${MEDIUM_STORE.products} rows, the slowest ${sorted.at(-1)?.toFixed(0)} ms; heap ${before.toFixed(1)} MiB, ${after.toFixed(1)} after ${CHANGES} changes`
    )
  }).pipe(Effect.scoped)
