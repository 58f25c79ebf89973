import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { putCustomers, putOrders } from "../support/data/Records.ts"

const PORTO = { name: "Ada Example", line1: "1 Example Street", postalCode: "4000-001", city: "Porto" }

describe.skipIf(isMissing("chromium"))("Orders and customers pages", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("orders are paginated, and an order shows its lines, amounts and customer", () =>
      Effect.gen(function* () {
        const { complaints, dashboard, page, storeId } = yield* dashboardMember()
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/orders`)
          await page.getByText("No orders yet").waitFor()
          await assertAccessible(page)
        })
        const [ada] = yield* putCustomers(storeId, [
          { name: "Ada Example", email: "ada@example.com", tags: ["regular"], addresses: [PORTO] }
        ])
        yield* putOrders(storeId, [
          {
            number: "1042",
            currencyCode: "JPY",
            financialStatus: "partially_paid",
            customerId: ada?.id,
            email: "ada@example.com",
            shippingAddress: PORTO,
            note: "Please ring <b>twice</b>.",
            shipping: 49,
            lineItems: [{ name: "Oak desk, 120 cm", sku: "DESK-120", quantity: 3, unitPrice: 1000, discount: 100 }]
          },
          ...Array.from({ length: 50 }, (_, index) => ({ number: `${2000 + index}` }))
        ])
        yield* Effect.promise(async () => {
          await page.reload()
          const rows = page.getByRole("table").getByRole("row")
          await page.getByRole("link", { name: "1042" }).waitFor()
          assert.strictEqual(await rows.count(), 51)
          await page.getByRole("button", { name: "Show more" }).click()
          await page.getByRole("link", { name: "2049" }).waitFor()
          assert.strictEqual(await rows.count(), 52)
          await assertAccessible(page)

          await page.getByRole("link", { name: "1042" }).click()
          await page.getByRole("heading", { name: "Order 1042" }).waitFor()
          for (const text of [
            "Open",
            "Partially paid",
            "¥1,000",
            "¥2,900",
            "¥2,949",
            "¥100",
            "Please ring <b>twice</b>."
          ]) {
            await page.getByText(text, { exact: true }).first().waitFor()
          }
          await page.getByText("1 Example Street").waitFor()
          await assertAccessible(page)
          await page.getByRole("link", { name: "Ada Example" }).click()
          await page.getByRole("heading", { name: "Ada Example" }).waitFor()
          await page.getByText("regular").waitFor()
          await page.getByText("2,949").waitFor()
          await assertAccessible(page)
          await page.goBack()
          await page.getByRole("heading", { name: "Order 1042" }).waitFor()
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("customers are filtered by date on a small screen, and the URL keeps the date", () =>
      Effect.gen(function* () {
        const { complaints, dashboard, page, storeId } = yield* dashboardMember({ width: 390 })
        yield* putCustomers(storeId, [{ name: "Ada Example" }, { company: "Example Books" }])
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/customers`)
          await page.getByRole("link", { name: "Example Books" }).waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Last 7 days" }).click()
          await page.getByRole("link", { name: "Ada Example" }).waitFor()
          assert.match(page.url(), /since=/)
          await page.getByLabel("Created or updated since").fill("2999-01-01")
          await page.getByText("No customers created or updated since this date").waitFor()
          await assertAccessible(page)
          await page.reload()
          await page.getByText("No customers created or updated since this date").waitFor()
          await page.getByRole("button", { name: "Show all" }).click()
          await page.getByRole("link", { name: "Ada Example" }).click()
          await page.getByRole("heading", { name: "Ada Example" }).waitFor()
          await page.goto(`${dashboard}/orders/${storeId}`)
          await page.getByRole("heading", { name: "Page not found" }).waitFor()
          await page.goto(`${dashboard}/customers/nobody`)
          await page.getByRole("heading", { name: "Page not found" }).waitFor()
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
