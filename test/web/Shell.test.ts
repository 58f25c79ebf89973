import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { CreateProduct } from "../../src/domain/catalog/Product.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { isMissing } from "../support/process/Programs.ts"
import { makeProducts } from "../support/data/Products.ts"
import { keyedIn } from "../support/rpc/Proposals.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)

describe.skipIf(isMissing("chromium"))("Frame of the pages", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("a page that is opened offline waits, and opens by itself when the browser is online again", () =>
      Effect.gen(function* () {
        const { context, dashboard, page } = yield* dashboardMember()
        yield* Effect.promise(async () => {
          await page.goto(dashboard)
          await page.getByRole("heading", { name: "Home" }).waitFor()
          await context.setOffline(true)
          await page.getByRole("link", { name: "Agents" }).click()
          await page.getByText("You are offline.").waitFor()
          await page.waitForURL(`${dashboard}/agents`)
          await assertAccessible(page)
          await context.setOffline(false)
          await page.getByRole("heading", { name: "Agents", exact: true }).waitFor()
        })
      })
    )

    it.effect("Ctrl+S and Enter save, the focus stays, and the link back keeps the filter", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, page, storeId } = yield* dashboardMember()
        yield* client.products.create({ ...keyedIn(storeId), product: toProduct({ name: "Cup" }) })
        const price = page.getByLabel("Price", { exact: true })
        const isFocused = () => price.evaluate((input) => input.matches(":focus"))
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products?search=Cup`)
          await page.getByRole("link", { name: "Cup" }).click()
          await price.fill("4")
          await page.keyboard.press("Control+s")
          await page.getByText("Product saved").first().waitFor()
          assert.isTrue(await isFocused())
          await price.fill("5")
          await page.keyboard.press("Enter")
          await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" })
          assert.isTrue(await isFocused())
          await page.getByRole("main").getByRole("link", { name: "Products" }).click()
          await page.getByRole("link", { name: "Cup" }).waitFor()
        })
        assert.include(page.url(), "search=Cup")
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("a button that disappears passes the focus to a control beside it", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { complaints, dashboard, page } = member
        yield* makeProducts(
          member,
          Array.from({ length: 60 }, (_, index) => ({ name: `Cup ${index}` }))
        )
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products`)
          await page.getByText("60 products", { exact: true }).waitFor()
          await page.getByLabel("Select all loaded products").check()
          await page.getByRole("button", { name: "Select all 60 products" }).press("Enter")
          await page.getByText("60 selected").waitFor()
          await page.getByRole("button", { name: "Edit selected products" }).and(page.locator(":focus")).waitFor()
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("`/` and Ctrl+K open the command palette, and Enter opens a page or a product", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, page, storeId } = yield* dashboardMember()
        yield* client.products.create({ ...keyedIn(storeId), product: toProduct({ name: "Blue vase" }) })
        const input = page.getByRole("combobox", { name: "Search" })
        yield* Effect.promise(async () => {
          await page.goto(dashboard)
          await page.getByRole("heading", { name: "Home" }).waitFor()
          await page.keyboard.press("/")
          await input.waitFor()
          await assertAccessible(page)
          await page.keyboard.press("Escape")
          await input.waitFor({ state: "detached" })
          await page.keyboard.press("Control+k")
          await input.fill("invite")
          await page.keyboard.press("Enter")
          await page.locator("[aria-current=page]", { hasText: "Members" }).waitFor()
          await page.getByLabel("E-mail").first().focus()
          await page.keyboard.press("Control+k")
          await input.fill("blue")
          await page.getByRole("option", { name: "Blue vase" }).waitFor()
          await assertAccessible(page)
          await page.keyboard.press("Enter")
          await page.getByRole("heading", { name: "Blue vase" }).waitFor()
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("each tab has an address, Back opens the tab before, and an unknown tab is not found", () =>
      Effect.gen(function* () {
        const { complaints, dashboard, page } = yield* dashboardMember()
        const settings = `${dashboard}/settings`
        yield* Effect.promise(async () => {
          await page.goto(`${settings}?tab=members`)
          await page.waitForURL(`${settings}/members`)
          await page.getByRole("table", { name: "Members" }).waitFor()
          const tabs = page.getByRole("navigation", { name: "Settings" })
          await tabs.getByRole("link", { name: "Sessions" }).click()
          await page.getByRole("table", { name: "Your sessions" }).waitFor()
          await assertAccessible(page)
          assert.strictEqual(page.url(), `${settings}/sessions`)
          assert.strictEqual(await tabs.locator("[aria-current=page]").innerText(), "Sessions")
          await page.goBack()
          await page.getByRole("table", { name: "Members" }).waitFor()
          assert.strictEqual(page.url(), `${settings}/members`)
          await page.goto(`${settings}/nonsense`)
          await page.getByRole("heading", { name: "Page not found" }).waitFor()
          await page.getByRole("link", { name: "Orders" }).waitFor()
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("the theme is applied before the first script", () =>
      Effect.gen(function* () {
        const { complaints, dashboard, page } = yield* dashboardMember()
        const scheme = () => page.evaluate("getComputedStyle(document.documentElement).colorScheme")
        yield* Effect.promise(async () => {
          await page.goto(dashboard)
          await page.getByRole("combobox", { name: "Theme" }).selectOption("Dark")
          assert.strictEqual(await scheme(), "dark")
          await page.route("**/*.js", (route) => route.abort())
          await page.reload({ waitUntil: "commit" })
          await page.getByText("Loading…").waitFor()
          assert.strictEqual(await scheme(), "dark")
        })
        assert.deepStrictEqual(
          complaints().filter((text) => !text.includes("ERR_FAILED")),
          []
        )
      })
    )
  })
})
