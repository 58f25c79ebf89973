import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { baseUrl, makeStore } from "../support/http/Api.ts"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible, openWindow } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
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
