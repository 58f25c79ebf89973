import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import type { Locator } from "playwright-core"
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "../../../src/http/client/Client.ts"
import { browser, isMissing } from "../../support/process/Programs.ts"
import {
  temporaryFolder,
  freePort,
  makeMigratedDatabase,
  runNode,
  startServer,
  waitUntil
} from "../../support/process/Process.ts"

const Demo = Schema.fromJsonString(
  Schema.Struct({
    baseUrl: Schema.String,
    accessToken: Schema.String,
    merchantEmail: Schema.String,
    merchantPassword: Schema.String,
    exampleClientId: Schema.String,
    exampleWebhookSecret: Schema.String
  })
)
const Tokens = Schema.fromJsonString(Schema.Struct({ accessToken: Schema.String, refreshToken: Schema.String }))

/** The demo with the webhook of the example app set to a free port. */
const demo = Effect.gen(function* () {
  const { url } = yield* makeMigratedDatabase
  const data = yield* temporaryFolder
  const { greeted } = yield* startServer({ DATABASE_URL: url, DATA_DIR: data, DEMO: "true" })
  yield* greeted
  const credentials = Schema.decodeSync(Demo)(readFileSync(join(data, "demo.json"), "utf8"))
  const port = yield* freePort
  const environment = { DATABASE_URL: url, WEBHOOK_ALLOW_HOSTS: "127.0.0.1" }
  const webhookOptions = ["--url", `http://127.0.0.1:${port}/webhooks`, "--event", "catalog.product.updated.v1"]
  const { code, stderr } = yield* runNode(
    "cli",
    ["apps", "webhook", "set", "--app", credentials.exampleClientId, ...webhookOptions],
    environment
  )
  assert.strictEqual(code, 0, stderr)
  return { ...credentials, port }
})

/** Starts a copy of the example with the built package. */
const startExample = Effect.fn(function* (input: Record<string, string>) {
  const path = yield* temporaryFolder
  cpSync("examples/price-tags", path, { recursive: true, filter: (file) => !file.includes("node_modules") })
  mkdirSync(join(path, "node_modules"))
  symlinkSync(process.cwd(), join(path, "node_modules/partner-api"))
  const started = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const env = { PATH: process.env["PATH"] ?? "", ...input }
      const child = spawn(process.execPath, [join(path, "server.mjs")], {
        cwd: path,
        env,
        stdio: ["ignore", "pipe", "pipe"]
      })
      const output = { all: "" }
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => void (output.all += text))
      }
      return { child, output }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )
  yield* waitUntil(
    Effect.sync(() => started.output.all),
    (all) => all.includes("Price tags  http://")
  )
  return {
    storedTokens: () => Schema.decodeSync(Tokens)(readFileSync(join(path, ".tokens.json"), "utf8")),
    output: started.output
  }
})

describe.skipIf(isMissing("chromium"))("Example app", () => {
  it.live("the example app installs on the demo store, changes a price, receives events and refreshes its token", () =>
    Effect.gen(function* () {
      const credentials = yield* demo
      const { output, storedTokens } = yield* startExample({
        PORT: String(credentials.port),
        PARTNER_API_URL: credentials.baseUrl,
        CLIENT_ID: credentials.exampleClientId,
        WEBHOOK_SECRET: credentials.exampleWebhookSecret
      })
      const chromium = yield* browser
      const other = createClient({ url: credentials.baseUrl, tokens: credentials.accessToken })

      yield* Effect.promise(async () => {
        const page = await chromium.newPage()
        await page.goto(`http://127.0.0.1:${credentials.port}/`)
        await page.getByRole("link", { name: "Install on a store" }).click()
        await page.getByLabel("E-mail address").fill(credentials.merchantEmail)
        await page.getByLabel("Password").fill(credentials.merchantPassword)
        await page.getByRole("button", { name: "Sign in" }).click()
        await page.getByRole("heading", { name: "Price tags requests access" }).waitFor()
        await page.getByRole("button", { name: "Allow" }).click()
        await page.getByText("On Demo store").waitFor()

        const [first] = (await other.products.list({ limit: 1 }).page()).items
        assert.isDefined(first)
        const { id, name, price } = first
        const press = (button: Locator, path: string) =>
          Promise.all([page.waitForResponse(`http://127.0.0.1:${credentials.port}${path}`), button.click()])
        await press(page.getByRole("row").filter({ hasText: name }).first().getByRole("button"), "/raise")
        const [raised] = (await other.products.list({ limit: 1 }).page()).items
        assert.strictEqual(raised?.price, Math.round(Number(price) * 110) / 100)
        assert.strictEqual(raised?.version, first.version + 1)

        await other.products.update(id, { name: "<b>Seen by others</b>" })
        const event = page.getByText("<b>Seen by others</b>, by app")
        while ((await event.count()) === 0) await page.reload()
        assert.strictEqual(await page.getByRole("listitem").count(), 1)

        const before = storedTokens()
        await page.getByRole("button", { name: "Renew the token" }).click()
        await page.getByText("On Demo store").waitFor()
        assert.notStrictEqual(storedTokens().accessToken, before.accessToken)
        assert.notStrictEqual(storedTokens().refreshToken, before.refreshToken)

        // A callback with an unknown state, a cross-site form and an unsigned webhook.
        const unknownState = await fetch(`http://127.0.0.1:${credentials.port}/callback?code=a&state=b`)
        assert.strictEqual(unknownState.status, 400)
        const forged = await fetch(`http://127.0.0.1:${credentials.port}/refresh`, {
          method: "POST",
          headers: { origin: "http://evil.example" }
        })
        assert.strictEqual(forged.status, 404)
        const unsigned = await fetch(`http://127.0.0.1:${credentials.port}/webhooks`, { method: "POST", body: "{}" })
        assert.strictEqual(unsigned.status, 400)
      })
      assert.notMatch(output.all, /Error/)
    })
  )
})
