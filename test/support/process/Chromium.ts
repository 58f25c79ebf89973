import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import axe from "axe-core"
import type { Browser, Page } from "playwright-core"
import { sharedByFiles } from "../SharedByFiles.ts"
import { browser } from "./Programs.ts"

export class Chromium extends Context.Service<Chromium, Browser>()("test/Chromium") {}

/** A browser, started once for all files of a worker. */
export const ChromiumTest = sharedByFiles(Layer.effect(Chromium, browser))

/** Maximum wait for a change of a page in milliseconds. Busy machines need it. */
const PATIENCE = 60_000

/** Message with which browsers log an unsuccessful response. */
const STATUS =
  /^Failed to load resource: the server responded with a status of 4\d\d|^WebSocket connection to '\S+' failed: .*Unexpected response code: 4\d\d/

/** Number of checks of each page. */
const looks = new WeakMap<Page, number>()

/**
 * A window with its own cookies, and the messages of its console, including violations of the content security policy.
 */
export const openWindow = ({ height = 800, locale = "en-US", width = 390 } = {}) =>
  Effect.gen(function* () {
    const context = yield* Effect.acquireRelease(
      Effect.flatMap(Chromium, (chromium) =>
        Effect.promise(() => chromium.newContext({ viewport: { width, height }, locale, reducedMotion: "reduce" }))
      ),
      (opened) => Effect.promise(() => opened.close())
    )
    context.setDefaultTimeout(PATIENCE)
    const page = yield* Effect.promise(() => context.newPage())
    const messages: Array<string> = []
    page.on("console", (message) => void messages.push(message.text()))
    page.on("pageerror", (error) => void messages.push(error.message))
    const complaints = () => messages.filter((text) => !STATUS.test(text))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        const looked = `axe looked ${looks.get(page) ?? 0} times, in light and dark`
        process.stdout.write(`A window: ${looked}; complaints of the console and the policy: ${complaints().length}\n`)
      })
    )
    return { context, page, complaints }
  })

const Findings = Schema.Struct({
  violations: Schema.Array(
    Schema.Struct({ id: Schema.String, nodes: Schema.Array(Schema.Struct({ html: Schema.String })) })
  )
})
const findingsOf = Schema.decodeUnknownSync(Findings)

/** Color schemes and the checked rules: all rules once, and the rules about colors twice. */
const LOOKS = [
  ["light", "axe.run({ resultTypes: ['violations'] })"],
  ["dark", "axe.run({ resultTypes: ['violations'], runOnly: { type: 'tag', values: ['cat.color'] } })"]
] as const

/** Asserts that a page keeps these rules of axe, in light and dark colors. */
export const assertRules = async (page: Page, rules: ReadonlyArray<string>): Promise<void> => {
  await page.evaluate(axe.source)
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    const look = `axe.run({ resultTypes: ['violations'], runOnly: { type: 'rule', values: ${JSON.stringify(rules)} } })`
    assert.deepStrictEqual(findingsOf(await page.evaluate(look)), { violations: [] }, colorScheme)
  }
}

/** Asserts that a page is accessible, in light and dark colors, and not wider than the window. */
export const assertAccessible = async (page: Page): Promise<void> => {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source)
  for (const [colorScheme, look] of LOOKS) {
    await page.emulateMedia({ colorScheme })
    assert.deepStrictEqual(findingsOf(await page.evaluate(look)), { violations: [] })
  }
  looks.set(page, (looks.get(page) ?? 0) + 1)
  assert.isAtMost(
    Number(await page.evaluate("document.documentElement.scrollWidth")),
    page.viewportSize()?.width ?? Number.NaN
  )
}
