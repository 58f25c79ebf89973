import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { hash } from "node:crypto"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { isMissing } from "../../support/process/Programs.ts"
import { assertRules, ChromiumTest, openWindow } from "../../support/process/Chromium.ts"
import { generated } from "../../support/http/OpenApi.ts"

const page = Effect.gen(function* () {
  const base = yield* baseUrl
  const response = yield* Effect.promise(() => fetch(`${base}/docs`))
  assert.strictEqual(response.status, 200)
  assert.match(response.headers.get("content-type") ?? "", /^text\/html/)
  return yield* Effect.promise(() => response.text())
})

/** Splits the page into the content of its scripts and the remaining markup. */
const parts = (html: string) => {
  const scripts = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, content]) => content ?? "")
  return { scripts, markup: html.replaceAll(/(<script[^>]*>)[\s\S]*?<\/script>/g, "$1</script>") }
}

/** Options and document with which the page's script starts the reference. */
const startArguments = (scripts: ReadonlyArray<string>) => {
  const [, options = "", document = ""] = /^ *\.\.\.(\{.*\}),\n *content: (\{.*\})$/m.exec(scripts[1] ?? "") ?? []
  return { options, document }
}

const Parameter = Schema.Struct({
  in: Schema.String,
  required: Schema.Boolean,
  content: Schema.Struct({ "text/plain": Schema.Struct({ schema: Schema.Unknown }) })
})
const isHiddenFromSamples = Schema.is(Parameter)
const isSampled = Schema.is(
  Schema.Struct({ in: Schema.String, name: Schema.String, required: Schema.Boolean, schema: Schema.ObjectKeyword })
)

/** Restores the schema of a parameter that the page hides from its samples. */
const withSchema = (_: string, value: unknown): unknown => {
  if (!isHiddenFromSamples(value)) return value
  const { content, ...parameter } = value
  return { ...parameter, schema: content["text/plain"].schema }
}

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("API reference page", (it) => {
  it.effect("contains the OpenAPI document, its configuration and its script", () =>
    Effect.gen(function* () {
      const { scripts } = parts(yield* page)
      assert.strictEqual(scripts.length, 2)
      assert.deepStrictEqual(JSON.parse(startArguments(scripts).document, withSchema), generated)
      assert.isAbove(scripts[0]?.length ?? 0, 1_000_000)
    })
  )

  it.effect("request samples contain required parameters only", () =>
    Effect.gen(function* () {
      const { scripts } = parts(yield* page)
      const inSamples = new Set<string>()
      JSON.parse(startArguments(scripts).document, (_, value: unknown) => {
        if (isSampled(value)) inSamples.add(`${value.name} ${value.required}`)
        return value
      })
      assert.include([...inSamples], "Idempotency-Key true")
      assert.isEmpty([...inSamples].filter((name) => name.endsWith("false")))
    })
  )

  it.effect("security headers allow only its own scripts and requests to this host, and forbid framing", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { headers } = yield* Effect.promise(() => fetch(`${base}/docs`))
      const policy = (headers.get("content-security-policy") ?? "").split("; ")
      const { scripts } = parts(yield* page)
      const hashes = scripts.map((text) => `'sha256-${hash("sha256", text, "base64")}'`)
      assert.includeMembers(policy, [
        "default-src 'none'",
        // Hashes do not cover the WebAssembly that the script compiles.
        `script-src 'wasm-unsafe-eval' ${hashes.join(" ")}`,
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'"
      ])
      assert.notMatch(policy.filter((directive) => !directive.startsWith("style-src")).join(), /'unsafe|https?:|\*/)
      assert.strictEqual(headers.get("x-frame-options"), "DENY")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(headers.get("referrer-policy"), "same-origin")

      const etag = headers.get("etag") ?? ""
      const revalidated = yield* Effect.promise(() => fetch(`${base}/docs`, { headers: { "if-none-match": etag } }))
      assert.strictEqual(revalidated.status, 304)
      assert.strictEqual(revalidated.headers.get("content-security-policy"), headers.get("content-security-policy"))
    })
  )

  it.effect("markup references no resources that a browser would fetch", () =>
    Effect.gen(function* () {
      const { markup } = parts(yield* page)
      assert.notMatch(markup, /\s(?:src|href|srcset|action|data|poster)\s*=/i)
      assert.notMatch(markup, /<(?:link|iframe|object|embed|style|base)\b/i)
      assert.notMatch(markup, /https?:|url\(|@import/i)
    })
  )

  it.effect("disables features that contact other hosts: fonts, telemetry, toolbar, client, proxy", () =>
    Effect.gen(function* () {
      const { scripts } = parts(yield* page)
      const configuration: unknown = JSON.parse(startArguments(scripts).options)
      assert.deepInclude(configuration, {
        withDefaultFonts: false,
        telemetry: false,
        showToolbar: "never",
        hideClientButton: true
      })
      for (const key of ["proxyUrl", "url", "cdn", "sources"]) assert.notProperty(configuration, key)
      assert.notMatch(JSON.stringify(configuration), /https?:/)
    })
  )
})

describe.skipIf(isMissing("chromium"))("API reference page in a browser", () => {
  layer(Layer.merge(ApiTest, ChromiumTest), { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("shows operations and sends requests to this host within its content security policy", () =>
      Effect.gen(function* () {
        const base = yield* baseUrl
        const { complaints, page } = yield* openWindow({ width: 1200 })
        const status = yield* Effect.promise(async () => {
          await page.goto(`${base}/docs`)
          await page.getByText("Read the store").first().click()
          // The markup of Scalar breaks other rules.
          await assertRules(page, ["html-has-lang", "color-contrast"])
          await page.getByRole("button", { name: "Test Request" }).first().click()
          const response = page.waitForResponse(`${base}/api/platform/v1/store`)
          await page.getByRole("button", { name: "Send" }).first().click()
          return (await response).status()
        })
        assert.strictEqual(status, 401)
        // The page also logs its progress to the console.
        assert.deepStrictEqual(
          complaints().filter((text) => /Content Security Policy|Error/i.test(text)),
          []
        )
      })
    )
  })
})
