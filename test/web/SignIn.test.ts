import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { baseUrl, makeStore } from "../support/http/Api.ts"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible, openWindow } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { makeProducts } from "../support/data/Products.ts"
import { makeMerchant, PASSWORD } from "../support/rpc/Merchants.ts"

describe.skipIf(isMissing("chromium"))("Sign-in to the dashboard", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("sign-in works by keyboard and returns to the requested page", () =>
      Effect.gen(function* () {
        const store = yield* makeStore()
        const { email } = yield* makeMerchant([store])
        const { complaints, page } = yield* openWindow()
        const base = yield* baseUrl
        yield* Effect.promise(async () => {
          await page.goto(`${base}/dashboard/${store}/settings`)
          await page.getByRole("heading", { name: "Sign in" }).waitFor()
          await assertAccessible(page)
          await page.getByLabel("E-mail address").fill(email)
          await page.getByLabel("Password").fill("not the password")
          await page.keyboard.press("Enter")
          await page.getByText("The e-mail address or the password is wrong").waitFor()
          await assertAccessible(page)
          await page.getByLabel("Password").fill(PASSWORD)
          await page.keyboard.press("Enter")
          await page.getByRole("heading", { name: "Settings" }).waitFor()
          assert.strictEqual(page.url(), `${base}/dashboard/${store}/settings`)
          await page.getByRole("button", { name: "Sign out" }).click()
          await page.getByRole("heading", { name: "Sign in" }).waitFor()
          await page.goto(`${base}/dashboard`)
          await page.getByRole("heading", { name: "Sign in" }).waitFor()
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("an ended session leads to sign-in, and back to the page afterwards", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, email, page } = yield* dashboardMember()
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products`)
          await page.getByRole("heading", { name: "Products" }).waitFor()
        })
        for (const { sessionId } of yield* client.sessions.list({})) yield* client.sessions.end({ sessionId })
        yield* Effect.promise(async () => {
          await page.reload()
          await page.getByLabel("E-mail address").fill(email)
          await page.getByLabel("Password").fill(PASSWORD)
          await page.keyboard.press("Enter")
          await page.getByRole("heading", { name: "Products" }).waitFor()
          assert.strictEqual(page.url(), `${dashboard}/products`)
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("a session that ends while a form is open is renewed over it, and the save goes on", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, context, dashboard, email, page, storeId, url } = member
        const [product] = yield* makeProducts(member, [{ name: "Desk" }])
        const other = yield* makeMerchant([storeId])
        const name = page.getByLabel("Name", { exact: true })
        const dialog = page.getByRole("dialog", { name: "Your session has ended" })
        const toast = page.getByText("Product saved")
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products/${product?.id}`)
          await name.fill("Desk of oak")
        })
        for (const { sessionId } of yield* client.sessions.list({})) yield* client.sessions.end({ sessionId })
        yield* Effect.promise(async () => {
          await page.keyboard.press("Control+s")
          await dialog.waitFor()
          await assertAccessible(page)
          // Closed, the form keeps the input, and the next save asks again.
          await page.keyboard.press("Escape")
          await page.getByText("Your session has expired").waitFor()
          assert.strictEqual(await name.inputValue(), "Desk of oak")
          await name.press("Control+s")
          assert.strictEqual(await dialog.getByLabel("E-mail address").inputValue(), email)
          await page.locator(":focus").and(dialog.getByLabel("Password")).fill(PASSWORD)
          await page.keyboard.press("Enter")
          await toast.first().waitFor()
          await dialog.waitFor({ state: "detached" })
          await page.locator(":focus").and(name).waitFor()
          assert.strictEqual(await name.inputValue(), "Desk of oak")

          await name.fill("Desk of pine")
          await context.clearCookies()
          await page.keyboard.press("Control+s")
          await dialog.getByLabel("E-mail address").fill(other.email)
          await dialog.getByLabel("Password").fill(PASSWORD)
          const reloaded = page.waitForEvent("load")
          await page.keyboard.press("Enter")
          await reloaded
          await name.waitFor()
          assert.strictEqual(await name.inputValue(), "Desk of oak")
          assert.strictEqual(page.url(), `${url}/dashboard/${storeId}/products/${product?.id}`)
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect('stores of others and unknown paths show "Page not found"', () =>
      Effect.gen(function* () {
        const { complaints, page, url } = yield* dashboardMember()
        const otherStore = yield* makeStore()
        for (const path of [`${otherStore}`, `${otherStore}/products`, "nonsense"]) {
          yield* Effect.promise(async () => {
            await page.goto(`${url}/dashboard/${path}`)
            await page.getByRole("heading", { name: "Page not found" }).waitFor()
          })
        }
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("unknown ids of a store show that they are not found, beside the menu", () =>
      Effect.gen(function* () {
        const { complaints, dashboard, page } = yield* dashboardMember()
        for (const kind of ["products", "collections", "orders", "customers", "apps", "agents"]) {
          yield* Effect.promise(async () => {
            await page.goto(`${dashboard}/${kind}/abc`)
            await page.getByRole("heading", { name: "Page not found" }).waitFor()
            await page.getByRole("navigation").getByRole("link", { name: "Home" }).waitFor()
          })
        }
        yield* Effect.promise(() => assertAccessible(page))
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
