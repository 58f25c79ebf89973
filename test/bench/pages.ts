import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Browser, CDPSession, Page } from "playwright-core"
import { browser } from "../support/Programs.ts"
import { memberOf } from "../support/Members.ts"
import { say } from "./arena.ts"
import { connection, freshDatabase, settle } from "./cluster.ts"
import { fillStore } from "./manyProducts.ts"
import { middle } from "./measure.ts"
import type { Options } from "./options.ts"
import { DEEP, idOf, installationAt, tokenOf } from "./population.ts"
import { allReached, BOUND_HEADINGS, boundLine, table } from "./report.ts"
import { seedOurAccounts } from "./seed.ts"
import { SERVICE, startServer } from "./servers.ts"

/** Milliseconds from a click to the rows of the products, in a window that has not loaded that page before. */
const SHOWN = 300

/** Milliseconds between two frames, of all but one in twenty, while the table is scrolled from its first row to its last. */
const FRAME = 34

/** MiB that the heap may grow by in an hour of use. */
const GROWTH = 20

/** One a second is an hour of changes, each of another product; they come as fast as the service takes them. */
const CHANGES = 3600
const AT_ONCE = 4

const store = idOf("store", 0, DEEP.store)

/** Clicks, and answers the milliseconds until the first row was drawn. */
const CLICK_UNTIL_SHOWN = `new Promise((done) => {
  const from = performance.now()
  const look = () => document.querySelector('[role=grid] tbody tr[aria-rowindex]')
    ? requestAnimationFrame(() => done(performance.now() - from))
    : requestAnimationFrame(look)
  document.querySelector('nav a[href$="/products"]').click()
  look()
})`

/** Scrolls a screen's half at each frame to the end; answers the milliseconds of each frame. */
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
  await page.getByRole("heading", { name: "Newest activity" }).waitFor()
  return page
}

/** Every page of the dashboard that shows what changes, and home again. */
const lookAround = async (page: Page) => {
  for (const name of ["Products", "Collections", "Activity", "Orders", "Home"]) {
    await page.getByRole("link", { name, exact: true }).click()
    await page.getByRole("heading", { name, level: 1 }).waitFor()
    await page.waitForLoadState("networkidle")
  }
}

/** All rows are loaded, as one presses End until nothing more comes. */
const loadAll = async (page: Page) => {
  await page.getByRole("link", { name: "Products", exact: true }).click()
  await page.getByRole("grid").getByRole("row").nth(1).focus()
  const loaded = page.getByText(`${DEEP.products.toLocaleString("en")} products`, { exact: true })
  while (!(await loaded.isVisible())) await page.keyboard.press("End")
}

const change = async (port: number, n: number) => {
  const { status } = await fetch(
    `http://127.0.0.1:${port}/api/platform/v1/products/${idOf("product", DEEP.store, n % DEEP.products)}`,
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
  if (status !== 200) throw new Error(`A change was answered with ${status}`)
}

/** What the dashboard costs who looks at it: a store of 10,000 products in a browser, and an hour of its changes. */
export const pages = (server: string, { rounds }: Options) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase(server, "pages")
    const { port } = yield* startServer(SERVICE, url)
    const db = yield* connection(url)
    yield* Effect.promise(() => seedOurAccounts(db, [[DEEP.store, DEEP.products]]))
    yield* fillStore(url, DEEP.store, 0, DEEP.products)
    yield* settle(db)
    const cookie = yield* memberOf(url, [store])
    const launched = yield* browser
    const base = `http://127.0.0.1:${port}`
    const open = Effect.promise(() => openWindow(launched, base, cookie))

    const shown: Array<number> = []
    // The first round warms up the server.
    for (let round = 0; round <= 3 * rounds; round++) {
      const page = yield* open
      yield* Effect.promise(async () => {
        await page.waitForLoadState("networkidle")
        const millis = Number(await page.evaluate(CLICK_UNTIL_SHOWN))
        if (round > 0) shown.push(millis)
        await page.context().close()
      })
    }

    const page = yield* open
    const session = yield* Effect.promise(() => page.context().newCDPSession(page))
    yield* Effect.promise(() => lookAround(page))
    const shifted = Number(yield* Effect.promise(() => page.evaluate("globalThis.shifted")))
    yield* Effect.promise(() => loadAll(page))
    const frames = yield* Effect.promise(() => page.evaluate<ReadonlyArray<number>>(SCROLL))
    const slowest = frames.toSorted((a, b) => a - b)[Math.floor(frames.length * 0.95)] ?? Number.NaN

    yield* Effect.promise(() => lookAround(page))
    const before = yield* Effect.promise(() => heapOf(session))
    const changing = Effect.forEach(
      Array.from({ length: CHANGES }, (_, n) => n),
      (n) => Effect.promise(() => change(port, n)),
      { concurrency: AT_ONCE, discard: true }
    )
    const looking = Effect.forever(Effect.promise(() => lookAround(page)))
    yield* Effect.raceFirst(changing, looking)
    yield* Effect.promise(() => lookAround(page))
    const after = yield* Effect.promise(() => heapOf(session))

    yield* say(
      `Rows after ${shown.map((millis) => millis.toFixed(0)).join(", ")} ms; ${frames.length} frames to the last of ` +
        `${DEEP.products} rows; layout shift ${shifted}; heap ${before.toFixed(1)} MiB, ${after.toFixed(1)} after ${CHANGES} changes`
    )
    const lines = [
      boundLine("Products, from a click to rows", middle(shown), SHOWN, "ms", 1),
      boundLine("A frame while 10,000 rows are scrolled, p95", slowest, FRAME, "ms", 1),
      boundLine("The heap grows in an hour of changes by", after - before, GROWTH, "MiB", 1)
    ]
    yield* say(`\n${table(BOUND_HEADINGS, lines)}\n`)
    return allReached(lines) && shifted === 0
  }).pipe(Effect.scoped)
