import { assert } from "@effect/vitest"
import axe from "axe-core"
import { Context, Effect, Layer, Schema } from "effect"
import type { Browser, Page } from "playwright-core"
import { browser } from "./Browser.ts"

export class Chromium extends Context.Tag("test/Chromium")<Chromium, Browser>() {}

export const ChromiumTest = Layer.scoped(Chromium, browser)

/** Of an answer that is no success browsers tell by themselves. */
const STATUS = /^Failed to load resource: the server responded with a status of 4\d\d/

/** A window with cookies of its own, and what its console told, of breaches of the policy too. */
export const openWindow = ({ height = 800, width = 390 } = {}) =>
  Effect.gen(function* () {
    const context = yield* Effect.acquireRelease(
      Effect.flatMap(Chromium, (chromium) =>
        Effect.promise(() => chromium.newContext({ viewport: { width, height }, reducedMotion: "reduce" }))
      ),
      (opened) => Effect.promise(() => opened.close())
    )
    const page = yield* Effect.promise(() => context.newPage())
    const told: Array<string> = []
    page.on("console", (message) => void told.push(message.text()))
    page.on("pageerror", (error) => void told.push(error.message))
    return { context, page, complaints: () => told.filter((text) => !STATUS.test(text)) }
  })

const Findings = Schema.Struct({
  violations: Schema.Array(
    Schema.Struct({ id: Schema.String, nodes: Schema.Array(Schema.Struct({ html: Schema.String })) })
  )
})
const findingsOf = Schema.decodeUnknownSync(Findings)

/** What is looked at in which colours: all of it once, and once more what depends on them. */
const LOOKS = [
  ["light", "axe.run({ resultTypes: ['violations'] })"],
  ["dark", "axe.run({ resultTypes: ['violations'], runOnly: { type: 'tag', values: ['cat.color'] } })"]
] as const

/** Whoever cannot see it well, or has a small screen, can use the page, in light and in dark: nothing is wider than that. */
export const isFitFor = async (page: Page): Promise<void> => {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source)
  for (const [colorScheme, look] of LOOKS) {
    await page.emulateMedia({ colorScheme })
    assert.deepStrictEqual(findingsOf(await page.evaluate(look)), { violations: [] })
  }
  assert.isAtMost(
    Number(await page.evaluate("document.documentElement.scrollWidth")),
    page.viewportSize()?.width ?? Number.NaN
  )
}
