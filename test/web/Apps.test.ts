import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { type AppPlan, Billing } from "../../src/domain/billing/Billing.ts"
import type { InstallationId } from "../../src/domain/access/Ids.ts"
import { webhookWorker } from "../../src/layers/webhooks/Worker.ts"
import { install, makeApp } from "../support/http/Api.ts"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, IsolatedPagesTest } from "../support/Pages.ts"
import { receiver } from "../support/webhooks/Receiver.ts"
import { waitForRequests, eventOf, installApp, subscriber } from "../support/webhooks/Webhooks.ts"

/** The service with its pages and a delivery worker. Hides the log lines of expected failures. */
const DeliveringPages = webhookWorker(64).pipe(
  Layer.provideMerge(IsolatedPagesTest),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn"))
)

/** A signed-in member of a store with one installed app. */
const openApp = Effect.fn(function* (options?: Parameters<typeof dashboardMember>[0]) {
  const member = yield* dashboardMember(options)
  const appId = yield* makeApp()
  const { client: app, installation } = yield* installApp(member.storeId, appId)
  const at = (id: InstallationId) => `${member.dashboard}/apps/${id}`
  return { ...member, appId, app, installation, address: at(installation.id), at }
})

const PLAN = { price: 9.9, currencyCode: "EUR", period: "month", trialDays: 0 } as const

const nameOf = (delivery: Parameters<typeof eventOf>[0]) => eventOf(delivery).data["product"]?.["name"]

describe.skipIf(isMissing("chromium"))("Apps pages of the dashboard", () => {
  layer(DeliveringPages, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("the app page lists deliveries, resends an event, and pauses and resumes deliveries", () =>
      Effect.gen(function* () {
        const { complaints, dashboard, page, storeId } = yield* dashboardMember()
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/apps`)
          await page.getByText("No apps installed").waitFor()
          await assertAccessible(page)
        })
        const { client: writer } = yield* install(storeId)
        const endpoint = yield* receiver()
        const { appId } = yield* subscriber(endpoint, { kinds: ["catalog.product.updated.v1"] })
        const { installation } = yield* installApp(storeId, appId)
        yield* writer.post("/products", { name: "Cup" })
        yield* waitForRequests(endpoint, 1)

        const dialog = page.getByRole("dialog", { name: "Delivery" })
        const rows = page.getByRole("table", { name: "Deliveries" }).getByRole("row")
        yield* Effect.promise(async () => {
          await page.reload()
          await page.getByText("Create, change and delete products").first().waitFor()
          await assertAccessible(page)
          await page.getByRole("link", { name: "An app" }).last().click()
          await page.getByRole("heading", { name: "Change the stock of products" }).waitFor()
          await assertAccessible(page)
          assert.strictEqual(page.url(), `${dashboard}/apps/${installation.id}`)

          await page.getByRole("link", { name: "Deliveries" }).click()
          await page.getByText(new URL(endpoint.url).host).waitFor()
          await rows.filter({ hasText: "Product created or updated" }).getByText("Delivered").waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: /^View details/ }).click()
          await dialog.getByText("HTTP 204").waitFor()
          await assertAccessible(page)
          await dialog.getByRole("button", { name: "Resend event" }).click()
        })
        yield* waitForRequests(endpoint, 2)
        assert.deepStrictEqual(endpoint.received.map(nameOf), ["Cup", "Cup"])
        yield* Effect.promise(async () => {
          await dialog.getByText("HTTP 204").nth(1).waitFor()
          await page.keyboard.press("Escape")
          await dialog.waitFor({ state: "detached" })

          await page.getByRole("button", { name: "Pause deliveries" }).click()
          await page.getByText(/A member of your store paused deliveries/).waitFor()
        })
        for (let n = 0; n < 21; n++) yield* writer.post("/products", { name: `Mug ${n}` })
        yield* Effect.promise(async () => {
          await rows.getByText("Paused").nth(19).waitFor()
          await page.getByRole("button", { name: "Show more" }).click()
          await rows.getByText("Delivered").waitFor()
          await page.getByLabel("Status").selectOption({ label: "Failed" })
          await page.getByText("No deliveries with this status").waitFor()
          await page.getByLabel("Status").selectOption({ label: "Paused" })
          await rows.getByText("Paused").first().waitFor()
          await assertAccessible(page)
          await page.getByLabel("Status").selectOption({ label: "Delivered" })
          await rows.getByText("Delivered").first().waitFor()
          await page.getByRole("button", { name: "Resume deliveries" }).click()
          await page.getByText("Events are delivered as they occur").waitFor()
          await rows.getByText("Delivered").nth(19).waitFor()
        })
        yield* waitForRequests(endpoint, 23)
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("the app page lists requests, and suspends, resumes and uninstalls the app", () =>
      Effect.gen(function* () {
        const { address, app, complaints, dashboard, page } = yield* openApp({ role: "staff", width: 390 })
        assert.strictEqual((yield* app.get("/products")).status, 200)
        assert.strictEqual(
          (yield* app.patch("/products/01890a5d-ac96-774b-bcce-b302099a8057", { name: "Cup" })).status,
          404
        )
        yield* Effect.promise(async () => {
          await page.goto(address)
          await page.getByRole("link", { name: "Requests" }).click()
          await page.getByText(/^PATCH .*\/products\/:id$/).waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Suspend" }).click()
          await page
            .getByRole("alertdialog")
            .getByText(/Events sent during the suspension are not delivered/)
            .waitFor()
          await assertAccessible(page)
          await page.getByRole("alertdialog").getByRole("button", { name: "Suspend" }).click()
          await page.getByText(/This app is suspended/).waitFor()
          await assertAccessible(page)
        })
        assert.strictEqual((yield* app.get("/products")).status, 403)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Resume" }).click()
          await page.getByText(/This app is suspended/).waitFor({ state: "detached" })
        })
        assert.strictEqual((yield* app.get("/products")).status, 200)
        yield* Effect.promise(async () => {
          await page.goto(`${address}/nonsense`)
          await page.getByRole("heading", { name: "Page not found" }).waitFor()
          assert.strictEqual(await page.getByRole("heading", { level: 1 }).count(), 1)
          await page.goBack()
          await page.getByRole("button", { name: "Uninstall" }).click()
          const confirmation = page.getByRole("alertdialog")
          await confirmation.getByText(/You cannot undo this/).waitFor()
          await assertAccessible(page)
          await page.keyboard.press("Escape")
          await confirmation.waitFor({ state: "detached" })
          await page.getByRole("button", { name: "Uninstall" }).click()
          await confirmation.getByRole("button", { name: "Uninstall" }).click()
          await page.getByText("No apps installed").waitFor()
          assert.strictEqual(page.url(), `${dashboard}/apps`)
          await page.goto(address)
          await page.getByRole("heading", { name: "Page not found" }).waitFor()
        })
        assert.strictEqual((yield* app.get("/products")).status, 401)
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("an owner subscribes to, switches and cancels an app plan; staff cannot see billing", () =>
      Effect.gen(function* () {
        const { address, appId, client, complaints, installation, page, storeId } = yield* openApp()
        const { setPlan } = yield* Billing
        const plans: ReadonlyArray<Omit<AppPlan, "id">> = [
          { ...PLAN, name: "Basic" },
          { ...PLAN, name: "Pro", price: 99, period: "year", trialDays: 14 }
        ]
        for (const plan of plans) yield* setPlan(appId, plan)
        const current = client.billing.current({ storeId, installationId: installation.id })
        const confirmation = page.getByRole("alertdialog")
        const subscription = page.locator("section", { has: page.getByRole("heading", { name: "Your subscription" }) })

        yield* Effect.promise(async () => {
          await page.goto(address)
          await page.getByRole("link", { name: "Billing" }).click()
          await page.getByRole("button", { name: "Subscribe: Basic" }).click()
          await confirmation.getByText("€9.90 per month").waitFor()
          await assertAccessible(page)
          await confirmation.getByRole("button", { name: "Subscribe" }).click()
          await subscription.getByText(/^Renews on/).waitFor()
          await assertAccessible(page)
        })
        assert.deepInclude(yield* current, { planName: "Basic", state: "active" })
        yield* setPlan(appId, { ...PLAN, name: "Basic", price: 12.5 })
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Switch plan: Pro" }).click()
          await confirmation.getByText(/Your Basic subscription ends now/).waitFor()
          await confirmation.getByRole("button", { name: "Switch plan" }).click()
          await subscription.getByText("€99.00 per year").waitFor()
          // The plan has a new price. The subscription kept the agreed one.
          await page.getByText("€12.50 per month").waitFor()
          await subscription.getByRole("button", { name: "Cancel subscription" }).click()
          await confirmation.getByText(/does not renew/).waitFor()
          await assertAccessible(page)
          await confirmation.getByRole("button", { name: "Cancel subscription" }).click()
          await subscription.getByText(/^Ends on/).waitFor()
          await page.getByRole("button", { name: "Subscribe: Pro" }).waitFor()
        })
        assert.deepInclude(yield* current, { planName: "Pro", state: "cancelled" })
        assert.deepStrictEqual(complaints(), [])

        const staff = yield* dashboardMember({ storeId, role: "staff" })
        yield* Effect.promise(async () => {
          await staff.page.goto(address)
          await staff.page.getByRole("link", { name: "Billing" }).click()
          await staff.page.getByText("Owners only").waitFor()
          await assertAccessible(staff.page)
        })
        assert.deepStrictEqual(staff.complaints(), [])
      })
    )
  })
})
