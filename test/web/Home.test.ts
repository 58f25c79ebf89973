import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { makeProducts } from "../support/data/Products.ts"
import { putOrders } from "../support/data/Records.ts"

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

describe.skipIf(isMissing("chromium"))("Home page", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("the period in the URL decides the figures, and the chart has a table with the same sales", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { complaints, dashboard, page, storeId } = member
        const [cup] = yield* makeProducts(member, [
          { name: "Cup", stock: 2 },
          { name: "Gift card", stock: 0, trackInventory: false },
          { name: "Mug", stock: 50 }
        ])
        const lineItems = [{ name: "Cup", productId: cup?.id, quantity: 2, unitPrice: 10 }]
        yield* putOrders(storeId, [
          { number: "1001", placedAt: daysAgo(1), lineItems, financialStatus: "pending" },
          { number: "1002", placedAt: daysAgo(8), lineItems, status: "completed" },
          { number: "1003", placedAt: daysAgo(1), lineItems, currencyCode: "JPY", status: "completed" }
        ])
        const card = (name: string) =>
          page.locator("section").filter({ has: page.getByRole("heading", { name, exact: true }) })
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}?days=7`)
          await card("Sales").getByText("€20.00", { exact: true }).first().waitFor()
          await card("Sales").getByText("0% from the period before").first().waitFor()
          await card("Sales").getByText("Not included: 1 order in JPY.").waitFor()
          await page.getByRole("figure", { name: /Sales by day/ }).waitFor()
          await page.getByText("Show as table").click()
          const rows = page.getByRole("table", { name: "Sales by day" }).getByRole("row")
          assert.strictEqual(await rows.count(), 8)
          assert.strictEqual(await rows.filter({ hasText: "€20.00" }).count(), 1)
          await card("Best sellers").getByRole("link", { name: "Cup" }).waitFor()
          await card("Open orders").getByRole("link", { name: "1001" }).waitFor()
          assert.strictEqual(await card("Open orders").getByRole("listitem").count(), 1)
          await card("Low stock").getByRole("listitem").filter({ hasText: "2 left" }).waitFor()
          assert.strictEqual(await card("Low stock").getByRole("listitem").count(), 1)
          await page.getByRole("listitem").filter({ hasText: "Ada created 3 products" }).waitFor()
          await assertAccessible(page)
          await page.getByLabel("Period").selectOption("Last 30 days")
          await card("Sales").getByText("€40.00", { exact: true }).waitFor()
          assert.notInclude(page.url(), "days=")
          assert.strictEqual(await rows.count(), 31)
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
