import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ApiTest, baseUrl } from "../support/Api.ts"
import { generated } from "../support/OpenApi.ts"

const page = Effect.gen(function* () {
  const base = yield* baseUrl
  const response = yield* Effect.promise(() => fetch(`${base}/docs`))
  assert.strictEqual(response.status, 200)
  assert.match(response.headers.get("content-type") ?? "", /^text\/html/)
  return yield* Effect.promise(() => response.text())
})

/** The content of the page's scripts, and what is left of the page without it. */
const parts = (html: string) => {
  const scripts = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, content]) => content ?? "")
  return { scripts, markup: html.replaceAll(/(<script[^>]*>)[\s\S]*?<\/script>/g, "$1</script>") }
}

const Parameter = Schema.Struct({
  in: Schema.String,
  required: Schema.Boolean,
  content: Schema.Struct({ "text/plain": Schema.Struct({ schema: Schema.Unknown }) })
})
const isQuiet = Schema.is(Parameter)
const isSampled = Schema.is(
  Schema.Struct({ in: Schema.String, name: Schema.String, required: Schema.Boolean, schema: Schema.Object })
)

/** A parameter that the page keeps out of its samples, as it is in the document. */
const withSchema = (_: string, value: unknown): unknown => {
  if (!isQuiet(value)) return value
  const { content, ...parameter } = value
  return { ...parameter, schema: content["text/plain"].schema }
}

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("The reference page", (it) => {
  it.effect("holds the document, its configuration and its script itself", () =>
    Effect.gen(function* () {
      const { scripts } = parts(yield* page)
      assert.strictEqual(scripts.length, 3)
      assert.deepStrictEqual(JSON.parse(scripts[0] ?? "", withSchema), generated)
      assert.isAbove(scripts[2]?.length ?? 0, 1_000_000)
    })
  )

  it.effect("shows in its samples what a request must have and no more: a parameter with a schema is in each", () =>
    Effect.gen(function* () {
      const { scripts } = parts(yield* page)
      const inSamples = new Set<string>()
      JSON.parse(scripts[0] ?? "", (_, value: unknown) => {
        if (isSampled(value)) inSamples.add(`${value.name} ${value.required}`)
        return value
      })
      assert.include([...inSamples], "Idempotency-Key true")
      assert.isEmpty([...inSamples].filter((name) => name.endsWith("false")))
    })
  )

  it.effect("names nothing that a browser would fetch to show it", () =>
    Effect.gen(function* () {
      const { markup } = parts(yield* page)
      assert.notMatch(markup, /\s(?:src|href|srcset|action|data|poster)\s*=/i)
      assert.notMatch(markup, /<(?:link|iframe|object|embed|style|base)\b/i)
      assert.notMatch(markup, /https?:|url\(|@import/i)
    })
  )

  it.effect("turns off what would ask another host: fonts, telemetry, sharing, the vendor's client, a proxy", () =>
    Effect.gen(function* () {
      const { scripts } = parts(yield* page)
      const [, text] = /JSON\.stringify\((\{.*\})\)/.exec(scripts[1] ?? "") ?? []
      const configuration: unknown = JSON.parse(text ?? "")
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
