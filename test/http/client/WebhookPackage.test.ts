import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { buildOnce, temporaryFolder } from "../../support/process/Process.ts"
import { BODY, NOW, SECRET, STANDARD } from "../../support/webhooks/Signing.ts"

const execute = promisify(execFile)

/** A new project with the built package as a dependency. */
const consumer = Effect.gen(function* () {
  yield* buildOnce
  const path = yield* temporaryFolder
  mkdirSync(join(path, "node_modules"))
  symlinkSync(process.cwd(), join(path, "node_modules/partner-api"))
  writeFileSync(join(path, "package.json"), '{ "type": "module" }')
  return path
})

/** Compiles without platform types, so the declarations of the package must be self-contained. */
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
      // @ts-expect-error An event of a product has no collection.
      return [version, event.data.collection]
    }
    case "catalog.collection.updated.v1":
      return event.data.collection.id.length + event.hops
    default:
      return event satisfies never
  }
}

// @ts-expect-error The body must be the signed text or bytes, not parsed JSON.
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

it.live("the package's types cover every event and refusal reason without other type packages", () =>
  Effect.gen(function* () {
    const path = yield* consumer
    writeFileSync(join(path, "consumer.ts"), TYPED)
    writeFileSync(join(path, "tsconfig.json"), JSON.stringify(SETTINGS))
    const tsc = join(process.cwd(), "node_modules/typescript/bin/tsc")
    const { output } = yield* Effect.promise(() =>
      execute(process.execPath, [tsc, "-p", path]).then(
        () => ({ output: "" }),
        (error: unknown) => ({ output: JSON.stringify(error) })
      )
    )
    assert.strictEqual(output, "")
  })
)

it.live("an ES module that imports the package verifies a delivery", () =>
  Effect.gen(function* () {
    const path = yield* consumer
    writeFileSync(join(path, "run.js"), RUN)
    const input = JSON.stringify([SECRET, STANDARD, BODY, NOW])
    const { stdout } = yield* Effect.promise(() => execute(process.execPath, [join(path, "run.js"), input]))
    assert.deepStrictEqual(JSON.parse(stdout), { ok: true, known: true, event: JSON.parse(BODY) })
  })
)

it.live("a CommonJS module can require the package", () =>
  Effect.gen(function* () {
    const path = yield* consumer
    writeFileSync(join(path, "run.cjs"), 'console.log(typeof require("partner-api/webhooks").verifyWebhook)')
    const { stdout } = yield* Effect.promise(() => execute(process.execPath, [join(path, "run.cjs")]))
    assert.strictEqual(stdout, "function\n")
  })
)

it.live("the bundle is one file below 10 kB without imports or platform modules", () =>
  Effect.gen(function* () {
    yield* buildOnce
    const bundle = readFileSync("dist/sdk/webhooks.js", "utf8")
    assert.notMatch(bundle, /\b(?:import|require)\b|node:|\bprocess\b|\bBuffer\b/)
    assert.isBelow(bundle.length, 10_000)
    assert.notMatch(
      readFileSync("dist/sdk/webhooks.d.ts", "utf8"),
      /\bfrom "(?!partner-api\/webhooks")|\bimport\(|<reference/
    )
  })
)
