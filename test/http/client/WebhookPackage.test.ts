import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { built, folder } from "../../support/process/Process.ts"
import { BODY, NOW, SECRET, STANDARD } from "../../support/webhooks/Signing.ts"

const execute = promisify(execFile)

/** A project of its own, with the built package among its dependencies. */
const consumer = Effect.gen(function* () {
  yield* built
  const path = yield* folder
  mkdirSync(join(path, "node_modules"))
  symlinkSync(process.cwd(), join(path, "node_modules/partner-api"))
  writeFileSync(join(path, "package.json"), '{ "type": "module" }')
  return path
})

/** Compiles without the types of any platform: what the declarations mention has to be in them. */
const TYPED = `
import { verifyWebhook, type WebhookRefusalReason } from "partner-api/webhooks"

declare const headers: { readonly [name: string]: string | string[] | undefined }

export const name = async (body: Uint8Array): Promise<unknown> => {
  const result = await verifyWebhook(["${SECRET}"], headers, body, { toleranceSeconds: 60 })
  if (!result.ok) return result.reason satisfies WebhookRefusalReason
  if (!result.known) return [result.event.kind.length, result.event.data["anything"], result.event.originInstallationId]
  const { event } = result
  switch (event.kind) {
    case "catalog.product.updated.v1": {
      const version: number = event.data.product.version
      // @ts-expect-error A product's event has no collection.
      return [version, event.data.collection]
    }
    case "catalog.collection.updated.v1":
      return event.data.collection.id.length + event.hops
    default:
      return event satisfies never
  }
}

// @ts-expect-error A parsed body is not what was signed.
verifyWebhook("${SECRET}", headers, {})
`

const SETTINGS = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    target: "es2022",
    lib: ["es2022"],
    types: [],
    module: "nodenext"
  },
  files: ["consumer.ts"]
}

const RUN = `
import { verifyWebhook } from "partner-api/webhooks"
const [secret, headers, body, now] = JSON.parse(process.argv[2])
console.log(JSON.stringify(await verifyWebhook(secret, headers, body, { now })))
`

it.live("the package's types tell a consumer of every event and refusal, and need no others", () =>
  Effect.gen(function* () {
    const path = yield* consumer
    writeFileSync(join(path, "consumer.ts"), TYPED)
    writeFileSync(join(path, "tsconfig.json"), JSON.stringify(SETTINGS))
    const tsc = join(process.cwd(), "node_modules/typescript/bin/tsc")
    const { said } = yield* Effect.promise(() =>
      execute(process.execPath, [tsc, "-p", path]).then(
        () => ({ said: "" }),
        (error: unknown) => ({ said: JSON.stringify(error) })
      )
    )
    assert.strictEqual(said, "")
  })
)

it.live("the package verifies a delivery where a consumer imports it", () =>
  Effect.gen(function* () {
    const path = yield* consumer
    writeFileSync(join(path, "run.js"), RUN)
    const given = JSON.stringify([SECRET, STANDARD, BODY, NOW])
    const { stdout } = yield* Effect.promise(() => execute(process.execPath, [join(path, "run.js"), given]))
    assert.deepStrictEqual(JSON.parse(stdout), { ok: true, known: true, event: JSON.parse(BODY) })
  })
)

it.live("the package is there for a consumer of CommonJS, too", () =>
  Effect.gen(function* () {
    const path = yield* consumer
    writeFileSync(join(path, "run.cjs"), 'console.log(typeof require("partner-api/webhooks").verifyWebhook)')
    const { stdout } = yield* Effect.promise(() => execute(process.execPath, [join(path, "run.cjs")]))
    assert.strictEqual(stdout, "function\n")
  })
)

it.live("the bundle is one small file that asks for nothing of any platform's modules", () =>
  Effect.gen(function* () {
    yield* built
    const bundle = readFileSync("dist/webhooks.js", "utf8")
    assert.notMatch(bundle, /\b(?:import|require)\b|node:|\bprocess\b|\bBuffer\b/)
    assert.isBelow(bundle.length, 10_000)
    assert.notMatch(
      readFileSync("dist/webhooks.d.ts", "utf8"),
      /\bfrom "(?!partner-api\/webhooks")|\bimport\(|<reference/
    )
  })
)
