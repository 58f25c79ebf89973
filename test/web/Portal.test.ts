import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { verifyWebhook } from "../../src/http/client/Webhooks.ts"
import { webhookWorker } from "../../src/layers/webhooks/Worker.ts"
import { baseUrl, install, makeStore } from "../support/http/Api.ts"
import { assertAccessible, openWindow } from "../support/process/Chromium.ts"
import { developer } from "../support/rpc/Developers.ts"
import { InternetHere, publicReceiver } from "../support/webhooks/Internet.ts"
import { IsolatedPagesTest as PagesTest, windowOf } from "../support/Pages.ts"
import { temporaryFolder } from "../support/process/Process.ts"
import { isMissing, runInBash } from "../support/process/Programs.ts"
import { receiver } from "../support/webhooks/Receiver.ts"
import { newKey } from "../support/rpc/Rpc.ts"
import { makeMerchant, PASSWORD } from "../support/rpc/Merchants.ts"
import { waitForRequests } from "../support/webhooks/Webhooks.ts"
import { installing } from "../support/data/Writes.ts"

/** The pages and a delivery worker. Public host names resolve to this machine. */
const PortalTest = webhookWorker(8).pipe(Layer.provideMerge(PagesTest), Layer.provide(InternetHere))

const linesOf = (page: Page, title: string) => page.getByRole("region", { name: title, exact: true }).innerText()

const Store = Schema.Struct({ data: Schema.Struct({ id: Schema.String, name: Schema.String }) })
const storeIn = Schema.decodeUnknownSync(Schema.fromJsonString(Store))

/** Allows the access that the app requests. Returns the callback URL. */
const allowAccess = async (page: Page) => {
  await page.getByRole("heading", { name: "Restocker requests access" }).waitFor()
  await page.getByText("Change the stock of products").waitFor()
  await page.getByRole("button", { name: "Allow" }).click()
  await page.waitForURL(/callback\?code=/)
  return page.url()
}

interface Program {
  readonly run: (agree: (address: string) => Promise<string>, clientSecret: string) => Promise<{ readonly id: string }>
}

/** A program of the SDK lines, with this project's client. The merchant's consent runs between its two halves. */
const programOf = (directory: string, lines: string): Promise<Program> => {
  const [imports = "", ...rest] = lines.split("\n")
  const client = fileURLToPath(new URL("../../src/http/client/Client.ts", import.meta.url))
  const body = rest.join("\n").replace("// at the redirect URI", "const callback = await agree(address)\n$&")
  const text = `${imports.replace("partner-api/client", client)}
export const run = async (agree: (address: string) => Promise<string>, clientSecret: string) => {
${body.replace("console.log(store.name)", "return store")}
}`
  const file = join(directory, "steps.ts")
  writeFileSync(file, text)
  return import(file)
}

const openTab = (page: Page, name: string) => page.getByRole("link", { name }).click()

/** A signed-in developer with one app. */
const signedInDeveloper = Effect.gen(function* () {
  const owner = yield* developer
  const app = yield* owner.create()
  const window = yield* windowOf(owner.cookie)
  return { ...owner, ...window, app, address: `${window.url}/developers/apps/${app.id}` }
})

/** True if a program that the first steps use is missing. */
const hasNoShell = isMissing("bash") || isMissing("basenc") || isMissing("curl") || isMissing("openssl")

describe.skipIf(isMissing("chromium"))("Developer portal", () => {
  layer(PortalTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect.skipIf(hasNoShell)("a developer registers an app, and its first steps authorize it on a store", () =>
      Effect.gen(function* () {
        const base = yield* baseUrl
        const storeId = yield* makeStore()
        const merchant = yield* makeMerchant([storeId])
        const callback = yield* receiver(() => ({
          status: 200,
          headers: { "content-type": "text/html" },
          body: "Hi"
        }))
        const { complaints, page } = yield* openWindow({ width: 1280 })
        const merchantWindow = yield* openWindow()
        const steps = yield* temporaryFolder
        const secret = yield* Effect.promise(async () => {
          await page.goto(`${base}/developers`)
          await page.getByRole("link", { name: "Sign up" }).click()
          await page.getByLabel("Name").fill("Grace")
          await page.getByLabel("E-mail address").fill(merchant.email)
          await page.getByLabel("Password").fill("short")
          await page.keyboard.press("Enter")
          await page.getByText("must have 12 to 256 characters").waitFor()
          await assertAccessible(page)
          await page.getByLabel("Password").fill(PASSWORD)
          await page.keyboard.press("Enter")
          await page.getByRole("alert").getByText("already exists").waitFor()
          await page.getByLabel("E-mail address").fill(`${randomUUID()}@example.com`)
          await page.keyboard.press("Enter")
          await page.getByText("No apps yet").waitFor()
          await assertAccessible(page)

          await page.getByRole("link", { name: "Register app" }).click()
          await page.getByLabel("Website").fill("http://app.example.com")
          await page.getByRole("button", { name: "Register" }).click()
          await page.getByText("Enter 1 to 100 characters").waitFor()
          await page.getByText("must be an absolute https URL").waitFor()
          await assertAccessible(page)
          await page.getByLabel("Name").fill("Restocker")
          await page.getByLabel("Website").fill("")
          await page.getByLabel("Redirect URIs").fill("http://app.example.com/")
          await page.getByLabel("Change the stock of products").check()
          await page.getByRole("button", { name: "Register" }).click()
          await page.getByText("The redirect URI http://app.example.com/ must").waitFor()
          await page.getByLabel("Redirect URIs").fill(`${callback.url}/callback`)
          await page.getByRole("button", { name: "Register" }).click()
          await page.getByRole("heading", { name: "Restocker registered" }).waitFor()
          const shown = await page.getByLabel("Client secret").inputValue()
          await page.getByRole("link", { name: "Get started" }).click()
          await page.getByText("The secret is shown once").waitFor()
          await page.getByRole("button", { name: "Leave page" }).click()
          await page.getByText("Read the store.").waitFor()
          return shown
        })
        yield* Effect.promise(async () => {
          const values = (await linesOf(page, "Values")).replace(/app_secret_…/, secret)
          const authorization = await runInBash(
            values,
            await linesOf(page, "Request authorization"),
            'echo "$verifier"'
          )
          const [address = "", verifier = ""] = authorization.stdout.trim().split("\n")

          await merchantWindow.page.goto(address)
          await merchantWindow.page.getByLabel("E-mail address").fill(merchant.email)
          await merchantWindow.page.getByLabel("Password").fill(PASSWORD)
          await merchantWindow.page.keyboard.press("Enter")
          const code = new URL(await allowAccess(merchantWindow.page)).searchParams.get("code") ?? ""

          const exchange = (await linesOf(page, "Exchange code")).replace("…", code)
          const quiet = exchange.replace('echo "$tokens"', "")
          const result = await runInBash(values, `verifier=${verifier}`, quiet, await linesOf(page, "First request"))
          assert.strictEqual(storeIn(result.stdout).data.id, storeId)

          const { run } = await programOf(steps, await linesOf(page, "SDK"))
          const agree = async (to: string) => {
            await merchantWindow.page.goto(to)
            return allowAccess(merchantWindow.page)
          }
          assert.strictEqual((await run(agree, secret)).id, storeId)

          await openTab(page, "Installations")
          await page.getByRole("cell", { name: "See products, Change the stock of products" }).waitFor()
          await assertAccessible(page)
          assert.notInclude(await page.content(), storeId)
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("a webhook is set up and tested, and its deliveries are listed and resent", () =>
      Effect.gen(function* () {
        const endpoint = yield* publicReceiver(() => ({ status: 200, body: "Thank you <b>very</b> much" }))
        const { address, app, complaints, page } = yield* signedInDeveloper
        const secret = yield* Effect.promise(async () => {
          await page.goto(`${address}/deliveries`)
          await page.getByText("This app has no webhook").waitFor()
          await openTab(page, "Webhook")
          // Deletions send no event (contract, section 6).
          const kinds = page.getByRole("group", { name: "Events" })
          assert.deepStrictEqual((await kinds.innerText()).split(/\n+/), [
            "Events",
            "Product created or updated",
            "catalog.product.updated.v1",
            "Collection created or updated",
            "catalog.collection.updated.v1"
          ])
          await page.getByLabel("URL").fill("https://10.0.0.1/hooks")
          await page.getByRole("button", { name: "Set up webhook" }).click()
          await page.getByText("The webhook URL has the address 10.0.0.1").waitFor()
          await assertAccessible(page)
          await page.getByLabel("URL").fill(endpoint.url)
          await page.getByRole("button", { name: "Set up webhook" }).click()
          const shown = await page.getByLabel("Signing secret", { exact: true }).inputValue()
          await page.getByRole("button", { name: "Send test event" }).click()
          await page.getByText("Delivered").waitFor()
          await page.getByText("Healthy", { exact: true }).waitFor()
          await page.getByText("Thank you <b>very</b> much").waitFor()
          await assertAccessible(page)
          return shown
        })
        const [test = assert.fail("It came")] = endpoint.received
        const verified = yield* Effect.promise(() => verifyWebhook(secret, test.headers, test.body))
        assert.deepInclude(verified, { ok: true, known: false })

        const storeId = yield* makeStore()
        const granted = { scopes: ["read_products"], capabilities: [] } as const
        yield* Effect.flatMap(installing, ({ install }) => install({ storeId, appId: app.id, ...granted }))
        const { client: writer } = yield* install(storeId)
        yield* writer.post("/products", { name: "Cup" })
        yield* waitForRequests(endpoint, 2)
        yield* Effect.promise(async () => {
          await openTab(page, "Deliveries")
          await page.getByRole("button", { name: "Leave page" }).click()
          const delivered = page.getByRole("cell", { name: "Delivered", exact: true })
          while ((await delivered.count()) === 0) await page.getByRole("button", { name: "Refresh" }).click()
          await assertAccessible(page)
          await page.getByRole("button", { name: /^View details of/ }).click()
          const details = page.getByRole("dialog", { name: "catalog.product.updated.v1" })
          await details.getByText("HTTP 200").waitFor()
          await details.getByText("Thank you <b>very</b> much").waitFor()
          await assertAccessible(page)
          await details.getByRole("button", { name: "Resend event" }).click()
          await details.waitFor({ state: "hidden" })
          await page.getByLabel("Status").selectOption("Failed")
          await page.getByText("No deliveries with this status").waitFor()
        })
        yield* waitForRequests(endpoint, 3)
        yield* Effect.promise(async () => {
          await openTab(page, "Webhook")
          await page.getByRole("button", { name: "Pause webhook" }).click()
          await page.getByText("You or the service operator paused it.").waitFor()
          await page.getByRole("button", { name: "Resume webhook…" }).click()
          await page.getByLabel("Pending deliveries").selectOption("Skip")
          await assertAccessible(page)
          await page.getByRole("button", { name: "Resume webhook", exact: true }).click()
          await page.getByText("Healthy", { exact: true }).waitFor()
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("settings can be changed, and each new secret is shown once", () =>
      Effect.gen(function* () {
        const { address, app, client, complaints, page } = yield* signedInDeveloper
        yield* client.appWebhooks.set({
          idempotencyKey: newKey(),
          id: app.id,
          url: "https://app.example.com/hooks",
          kinds: ["catalog.product.updated.v1"]
        })
        const shown = yield* Effect.promise(async () => {
          await page.goto(`${address}/settings`)
          await page.getByLabel("Name").fill("Stock keeper")
          await assertAccessible(page)
          await openTab(page, "Client secret")
          await openTab(page, "Settings")
          await page.keyboard.press("Control+s")
          await page.getByRole("heading", { name: "Stock keeper" }).waitFor()

          await openTab(page, "Client secret")
          await page.getByRole("button", { name: "Create new secret" }).click()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Create secret" }).click()
          const clientSecret = await page
            .getByLabel("Client secret", { exact: true })
            .and(page.locator("input"))
            .inputValue()
          await page.getByRole("cell", { name: "When replaced" }).waitFor()
          await assertAccessible(page)

          await openTab(page, "Webhook")
          await page.getByRole("button", { name: "Leave page" }).click()
          await page.getByRole("button", { name: "Rotate signing secret…" }).click()
          await page.getByLabel("Current secret").selectOption("Expire now (the secret leaked)")
          await page.getByRole("button", { name: "Rotate secret", exact: true }).click()
          const signing = await page.getByLabel("New signing secret").inputValue()
          await page.reload()
          await openTab(page, "Client secret")
          const content = await page.content()
          return { clientSecret, signing, content }
        })
        assert.match(shown.clientSecret, /^app_secret_[\w-]{43}$/)
        assert.notStrictEqual(shown.clientSecret, app.clientSecret)
        assert.match(shown.signing, /^whsec_/)
        assert.notInclude(shown.content, shown.clientSecret)
        assert.lengthOf((yield* client.apps.get({ id: app.id })).secrets, 2)
        assert.strictEqual((yield* client.appWebhooks.get({ id: app.id })).liveSecrets, 1)
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect('apps of other developers and unknown apps show "Page not found"', () =>
      Effect.gen(function* () {
        const { app } = yield* signedInDeveloper
        const { cookie } = yield* developer
        const { complaints, page, url } = yield* windowOf(cookie)
        yield* Effect.promise(async () => {
          for (const id of [app.id, randomUUID(), "nonsense"]) {
            await page.goto(`${url}/developers/apps/${id}`)
            await page.getByRole("heading", { name: "Page not found" }).waitFor()
          }
          await page.goto(`${url}/developers`)
          await page.getByText("No apps yet").waitFor()
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
