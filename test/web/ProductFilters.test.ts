import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { STOCKS } from "../../src/web/features/products/list/listView.ts"
import { makeProducts } from "../support/data/Products.ts"

/** More than two pages of the list. The older half is out of stock, which is not on the first page. */
const PRODUCTS = Array.from({ length: 120 }, (_, index) => ({
  name: `Product ${index}`,
  price: (index * 7) % 120,
  stock: index < 60 ? 0 : 10
}))

const soldOut = { rules: [{ field: "tags", relation: "equals", value: "sold-out" }], limit: 1 }

describe.skipIf(isMissing("chromium"))("Filters of the products page", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("filters match products that are not loaded, and all matches are edited and undone at once", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, dashboard, page, storeId } = member
        yield* makeProducts(member, PRODUCTS)
        const tagged = Effect.map(client.products.query({ storeId, ...soldOut }), ({ total }) => total)
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products`)
          await page.getByText("120 products", { exact: true }).waitFor()
          await page.getByLabel("Stock", { exact: true }).selectOption("Out of stock")
          await page.getByText("60 of 120 products").waitFor()
          await page.getByRole("link", { name: "Product 59", exact: true }).waitFor()
          const download = page.waitForEvent("download")
          await page.getByRole("button", { name: "Export…" }).click()
          await page.getByRole("dialog", { name: "Export 60 products" }).waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Export", exact: true }).click()
          const file = await download
          assert.strictEqual(file.suggestedFilename(), "products.csv")
          assert.lengthOf(readFileSync(await file.path(), "utf8").split("\r\n"), 62)
          await page.getByText("60 rows exported. Your browser saves the file.").waitFor()
          await page.keyboard.press("Escape")
          await page.getByRole("list", { name: "Filters" }).getByText("Stock is at most 0").waitFor()
          await page.getByLabel("Select all loaded products").check()
          await page.getByText("50 selected").waitFor()
          await page.getByRole("button", { name: "Export…" }).click()
          await page.getByRole("dialog", { name: "Export 50 products" }).waitFor()
          await page.keyboard.press("Escape")
          await page.getByRole("button", { name: "Select all 60 matching products" }).click()
          await page.getByText("60 selected").waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Edit selected" }).click()
          await page.getByLabel("Action").selectOption("Add tag")
          await page.getByLabel("Tag", { exact: true }).fill("sold-out")
          await page.getByRole("button", { name: "Preview changes" }).click()
          await page.getByText("60 products change").waitFor()
          await page.getByRole("button", { name: "Apply to 60 products" }).click()
          await page.getByText("60 products edited").waitFor()
        })
        assert.strictEqual(yield* tagged, 60)
        const { items: sets } = yield* client.changeSets.list({ storeId })
        assert.deepStrictEqual(
          sets.map(({ where }) => where),
          [{ rules: STOCKS.out, disjunctive: false }]
        )
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Undo" }).click()
          await page.getByText("60 products restored").waitFor()
        })
        assert.strictEqual(yield* tagged, 0)
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("all matches of a search are edited by their ids, and an untracked product is not out of stock", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, dashboard, page, storeId } = member
        yield* makeProducts(member, [
          ...PRODUCTS,
          { name: "Lamp", stock: 0 },
          { name: "Gift product", stock: 0, trackInventory: false }
        ])
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products`)
          await page.getByLabel("Search").fill("product")
          await page.getByText("121 of 122 products").waitFor()
          await page.getByText("Not tracked").waitFor()
          await page.getByLabel("Stock", { exact: true }).selectOption("Out of stock")
          await page.getByText("60 of 122 products").waitFor()
          await page.getByLabel("Select all loaded products").check()
          await page.getByRole("button", { name: "Select all 60 matching products" }).click()
          await page.getByRole("button", { name: "Edit selected" }).click()
          await page.getByLabel("Action").selectOption("Add tag")
          await page.getByLabel("Tag", { exact: true }).fill("sold-out")
          await page.getByRole("button", { name: "Preview changes" }).click()
          await page.getByRole("button", { name: "Apply to 60 products" }).click()
          await page.getByText("60 products edited").waitFor()
        })
        assert.strictEqual((yield* client.products.query({ storeId, ...soldOut })).total, 60)
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("columns sort all products, and back and forward follow filters and sort order", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { complaints, dashboard, page } = member
        yield* makeProducts(member, PRODUCTS)
        const first = () => page.getByRole("grid").getByRole("link").first().textContent()
        const sorted = (by: string, order: string) =>
          page
            .getByRole("columnheader", { name: by })
            .and(page.locator(`[aria-sort=${order}]`))
            .waitFor()
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products`)
          await page.getByText("120 products", { exact: true }).waitFor()
          assert.strictEqual(await first(), "Product 119")
          await page.getByRole("button", { name: "Price", exact: true }).press("Enter")
          await sorted("Price", "ascending")
          await page.getByRole("link", { name: "Product 0", exact: true }).waitFor()
          assert.strictEqual(await first(), "Product 0")
          await page.getByRole("button", { name: "Price" }).click()
          await sorted("Price", "descending")
          await page.getByRole("link", { name: "Product 17", exact: true }).waitFor()
          assert.strictEqual(await first(), "Product 17")
          await page.getByLabel("Stock", { exact: true }).selectOption("In stock")
          await page.getByText("60 of 120 products").waitFor()
          await page.goBack()
          await page.getByText("120 products", { exact: true }).waitFor()
          await sorted("Price", "descending")
          assert.strictEqual(await page.getByLabel("Stock", { exact: true }).inputValue(), "")
          await page.goForward()
          await page.getByText("60 of 120 products").waitFor()
          assert.strictEqual(await page.getByLabel("Stock", { exact: true }).inputValue(), "in")
          await page.reload()
          await page.getByText("60 of 120 products").waitFor()
          await sorted("Price", "descending")
          await page.setViewportSize({ width: 390, height: 800 })
          await assertAccessible(page)
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("a filter has any rules of collections, and becomes a view that can be changed, or a collection", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, dashboard, page, storeId } = member
        yield* makeProducts(member, PRODUCTS)
        const dialog = page.getByRole("dialog")
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products`)
          await page.getByRole("button", { name: "Add filter" }).click()
          await dialog.getByLabel("Field").selectOption("Price")
          await dialog.getByLabel("Condition").selectOption("is at least")
          await dialog.getByRole("button", { name: "Apply filters" }).click()
          await dialog.getByText("Enter a value").waitFor()
          await assertAccessible(page)
          await dialog.getByLabel("Value").fill("100")
          await page.keyboard.press("Enter")
          await page.getByText("20 of 120 products").waitFor()
          await page.getByRole("button", { name: "Save as view" }).click()
          await dialog.getByRole("button", { name: "Save as view" }).click()
          await dialog.getByText("Enter a name").waitFor()
          await dialog.getByLabel("Name").fill("Expensive")
          await dialog.getByLabel("Share with all members").check()
          await assertAccessible(page)
          await page.keyboard.press("Enter")
          await page.getByText("Expensive saved").waitFor()
          const views = page.getByRole("navigation", { name: "Views" })
          await views.getByRole("link", { name: "Expensive" }).and(page.locator("[aria-current=page]")).waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Remove filter: Price is at least 100" }).click()
          await page.getByText("120 products", { exact: true }).waitFor()
          await views.getByRole("link", { name: "Expensive" }).click()
          await page.getByText("20 of 120 products").waitFor()
          await page.setViewportSize({ width: 390, height: 800 })
          await assertAccessible(page)
        })
        const saved = yield* client.views.list({ storeId, resource: "products" })
        assert.deepStrictEqual(
          saved.map(({ isShared, name }) => [name, isShared]),
          [["Expensive", true]]
        )
        yield* Effect.promise(async () => {
          await page.setViewportSize({ width: 1280, height: 800 })
          await page.getByRole("button", { name: "Price", exact: true }).click()
          await page.getByLabel("Stock", { exact: true }).selectOption("In stock")
          await page.getByText("11 of 120 products").waitFor()
          await page.getByRole("button", { name: "Edit columns" }).click()
          await dialog.getByText("Update the view to keep these columns.").waitFor()
          await dialog.getByLabel("SKU").uncheck()
          await dialog.getByLabel("Vendor").uncheck()
          await page.keyboard.press("Escape")
          await page.getByRole("button", { name: "Update view" }).click()
          await dialog.getByLabel("Name").fill("Expensive in stock")
          await assertAccessible(page)
          await page.keyboard.press("Enter")
          await page.getByText("Expensive in stock saved").waitFor()
          const renamed = page.getByRole("link", { name: "Expensive in stock" })
          await renamed.and(page.locator("[aria-current=page]")).waitFor()
          await page.getByRole("link", { name: "All products" }).click()
          await page.getByRole("columnheader", { name: "SKU" }).waitFor()
          await renamed.click()
          await page.getByText("11 of 120 products").waitFor()
          await page.getByRole("columnheader", { name: "SKU" }).waitFor({ state: "detached" })
        })
        const [updated] = yield* client.views.list({ storeId, resource: "products" })
        assert.deepInclude(updated, {
          name: "Expensive in stock",
          isShared: true,
          columns: ["isActive", "stock", "price"],
          query: {
            rules: [{ field: "price", relation: "greater_or_equal", value: 100 }, ...STOCKS.in],
            sort: "price"
          }
        })
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Create collection" }).click()
          await dialog.getByLabel("Title").fill("Best of all")
          await page.keyboard.press("Enter")
          await page.getByRole("heading", { name: "Best of all" }).waitFor()
          await page.getByText("11 products").first().waitFor()
          await page.goBack()
          await page.getByRole("button", { name: "Delete view" }).click()
          await page.getByText("View deleted").waitFor()
        })
        assert.lengthOf(yield* client.views.list({ storeId, resource: "products" }), 0)
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
