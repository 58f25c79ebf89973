import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import type { Locator } from "playwright-core"
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "../../../src/http/client/Client.ts"
import { browser, isMissing } from "../../support/process/Programs.ts"
import { folder, freePort, ownDatabase, runNode, startServer, watch } from "../../support/process/Process.ts"

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
const Kept = Schema.fromJsonString(Schema.Struct({ accessToken: Schema.String, refreshToken: Schema.String }))

/** The demo, and the example's app there, whose webhooks go to a free port instead of its own. */
const demo = Effect.gen(function* () {
  const { url } = yield* ownDatabase
  const data = yield* folder
  const { greeted } = yield* startServer({ DATABASE_URL: url, DATA_DIR: data, DEMO: "true" })
  yield* greeted
  const facts = Schema.decodeSync(Demo)(readFileSync(join(data, "demo.json"), "utf8"))
  const port = yield* freePort
  const given = { DATABASE_URL: url, WEBHOOK_ALLOW_HOSTS: "127.0.0.1" }
  const to = ["--url", `http://127.0.0.1:${port}/webhooks`, "--event", "catalog.product.updated.v1"]
  const { code, stderr } = yield* runNode(
    "cli",
    ["apps", "webhook", "set", "--app", facts.exampleClientId, ...to],
    given
  )
  assert.strictEqual(code, 0, stderr)
  return { ...facts, port }
})

/** `npm install` and `npm start` in a copy of the example, with the built package. */
const startExample = Effect.fn(function* (given: Record<string, string>) {
  const path = yield* folder
  cpSync("examples/price-tags", path, { recursive: true, filter: (file) => !file.includes("node_modules") })
  mkdirSync(join(path, "node_modules"))
  symlinkSync(process.cwd(), join(path, "node_modules/partner-api"))
  const started = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const env = { PATH: process.env["PATH"] ?? "", ...given }
      const child = spawn(process.execPath, ["server.mjs"], { cwd: path, env, stdio: ["ignore", "pipe", "pipe"] })
      const said = { all: "" }
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => void (said.all += text))
      }
      return { child, said }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )
  yield* watch(
    Effect.sync(() => started.said.all),
    (all) => all.includes("Price tags  http://")
  )
  return { kept: () => Schema.decodeSync(Kept)(readFileSync(join(path, ".tokens.json"), "utf8")), said: started.said }
})

describe.skipIf(isMissing("chromium"))("the example app", () => {
  it.live(
    "is installed on the demo store, changes a price, receives events and refreshes its token",
    () =>
      Effect.gen(function* () {
        const facts = yield* demo
        const { kept, said } = yield* startExample({
          PORT: String(facts.port),
          PARTNER_API_URL: facts.baseUrl,
          CLIENT_ID: facts.exampleClientId,
          WEBHOOK_SECRET: facts.exampleWebhookSecret
        })
        const chromium = yield* browser
        const other = createClient({ url: facts.baseUrl, tokens: facts.accessToken })

        yield* Effect.promise(async () => {
          const page = await chromium.newPage()
          await page.goto(`http://127.0.0.1:${facts.port}/`)
          await page.getByRole("link", { name: "Install on a store" }).click()
          await page.getByLabel("E-mail address").fill(facts.merchantEmail)
          await page.getByLabel("Password").fill(facts.merchantPassword)
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("heading", { name: "Price tags requests access" }).waitFor()
          await page.getByRole("button", { name: "Allow" }).click()
          await page.getByText("On Demo store").waitFor()

          const [first] = (await other.products.list({ limit: 1 }).page()).items
          assert.isDefined(first)
          const { id, name, price } = first
          const press = (button: Locator, path: string) =>
            Promise.all([page.waitForResponse(`http://127.0.0.1:${facts.port}${path}`), button.click()])
          await press(page.getByRole("row").filter({ hasText: name }).first().getByRole("button"), "/raise")
          const [raised] = (await other.products.list({ limit: 1 }).page()).items
          assert.strictEqual(raised?.price, Math.round(Number(price) * 110) / 100)
          assert.strictEqual(raised?.version, first.version + 1)

          await other.products.update(id, { name: "<b>Seen by others</b>" })
          const heard = page.getByText("<b>Seen by others</b>, by app")
          while ((await heard.count()) === 0) await page.reload()
          assert.strictEqual(await page.getByRole("listitem").count(), 1)

          const before = kept()
          await page.getByRole("button", { name: "Renew the token" }).click()
          await page.getByText("On Demo store").waitFor()
          assert.notStrictEqual(kept().accessToken, before.accessToken)
          assert.notStrictEqual(kept().refreshToken, before.refreshToken)

          // A callback that this browser did not ask for, and a form of another site.
          const stray = await fetch(`http://127.0.0.1:${facts.port}/callback?code=a&state=b`)
          assert.strictEqual(stray.status, 400)
          const forged = await fetch(`http://127.0.0.1:${facts.port}/refresh`, {
            method: "POST",
            headers: { origin: "http://evil.example" }
          })
          assert.strictEqual(forged.status, 404)
          const unsigned = await fetch(`http://127.0.0.1:${facts.port}/webhooks`, { method: "POST", body: "{}" })
          assert.strictEqual(unsigned.status, 400)
        })
        assert.notMatch(said.all, /Error/)
      }),
    180_000
  )
})
