import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { putCustomers, putOrders } from "../support/data/Records.ts"

/** An address with the names that Shopify gives to its fields. */
const OTTAWA = { first_name: "Zoe", last_name: "Example", address1: "3 Example Street", zip: "K2P 1L4", buzzer: "7" }

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
          { name: "Ada Example", email: "ada@example.com", tags: ["regular"], addresses: [PORTO, OTTAWA] }
        ])
        yield* putOrders(storeId, [
          {
            number: "1042",
            placedAt: "2026-03-01T12:00:00Z",
            currencyCode: "JPY",
            financialStatus: "partially_paid",
            customerId: ada?.id,
            email: "ada@example.com",
            shippingAddress: PORTO,
            billingAddress: OTTAWA,
            note: "Please ring <b>twice</b>.",
            shipping: 49,
            lineItems: [{ name: "Oak desk, 120 cm", sku: "DESK-120", quantity: 3, unitPrice: 1000, discount: 100 }]
          },
          // Imported in another order than they were placed.
          ...Array.from({ length: 50 }, (_, index) => ({
            number: `${2049 - index}`,
            placedAt: new Date(Date.UTC(2026, 1, 28 - index)).toISOString()
          }))
        ])
        yield* Effect.promise(async () => {
          await page.reload()
          const rows = page.getByRole("table").getByRole("row")
          await page.getByRole("link", { name: "1042" }).waitFor()
          assert.strictEqual(await rows.count(), 51)
          await page.getByRole("button", { name: "Show more" }).click()
          await page.getByRole("link", { name: "2000" }).waitFor()
          assert.strictEqual(await rows.count(), 52)
          await page.getByText("51 orders", { exact: true }).waitFor()
          assert.deepStrictEqual((await rows.getByRole("link").allTextContents()).slice(0, 3), ["1042", "2049", "2048"])
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
          for (const line of ["Zoe Example", "3 Example Street", "K2P 1L4", "buzzer: 7"]) {
            await page.getByText(line).waitFor()
          }
          await assertAccessible(page)
          await page.getByRole("link", { name: "Ada Example" }).click()
          await page.getByRole("heading", { name: "Ada Example" }).waitFor()
          await page.getByText("regular").waitFor()
          await page.getByText("3 Example Street").waitFor()
          await page.getByText("¥2,949", { exact: true }).first().waitFor()
          await page.getByRole("table", { name: "Latest orders" }).getByRole("link", { name: "1042" }).waitFor()
          await assertAccessible(page)
          await page.goBack()
          await page.getByRole("heading", { name: "Order 1042" }).waitFor()
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect(
      "orders are found by number, status and date, also those that are not loaded, and the URL keeps the filters",
      () =>
        Effect.gen(function* () {
          const { complaints, dashboard, page, storeId } = yield* dashboardMember()
          const [ada] = yield* putCustomers(storeId, [{ name: "Ada Example" }])
          yield* putOrders(storeId, [
            ...Array.from({ length: 60 }, (_, index) => ({
              number: `${2000 + index}`,
              placedAt: new Date(Date.UTC(2026, 0, 1, 12, index)).toISOString(),
              lineItems: [{ name: "Cup", quantity: 1, unitPrice: 100 - index }]
            })),
            { number: "Old-1", placedAt: "2020-05-04T12:00:00Z", status: "cancelled", customerId: ada?.id },
            { number: "Old-2", placedAt: "2020-05-05T12:00:00Z", email: "ada@example.com" }
          ])
          const numbers = () => page.getByRole("table").getByRole("link").allTextContents()
          const search = () => new URL(page.url()).search
          yield* Effect.promise(async () => {
            await page.goto(`${dashboard}/orders`)
            await page.getByText("62 orders", { exact: true }).waitFor()
            await page.getByLabel("Search").fill("old-1")
            await page.getByText("1 of 62 orders").waitFor()
            assert.deepStrictEqual(await numbers(), ["Old-1"])
            await page.getByLabel("Search").fill("ADA@")
            await page.getByRole("link", { name: "Old-2" }).waitFor()
            await page.getByText("1 of 62 orders").waitFor()
            assert.deepStrictEqual(await numbers(), ["Old-2"])
            await page.getByLabel("Search").fill("")
            await page.getByText("62 orders", { exact: true }).waitFor()
            await page.getByLabel("Status").selectOption("Cancelled")
            await page.getByText("1 of 62 orders").waitFor()
            assert.strictEqual(search(), "?status=cancelled")
            await assertAccessible(page)
            await page.getByLabel("Status").selectOption("Any status")
            await page.getByLabel("Placed from").fill("2020-05-04")
            await page.getByLabel("Placed until").fill("2020-05-05")
            await page.getByText("2 of 62 orders").waitFor()
            assert.deepStrictEqual(await numbers(), ["Old-2", "Old-1"])
            await page.getByRole("button", { name: "Placed" }).click()
            await page
              .getByRole("columnheader", { name: "Placed" })
              .and(page.locator("[aria-sort=ascending]"))
              .waitFor()
            await page.getByText("2 of 62 orders").waitFor()
            assert.deepStrictEqual(await numbers(), ["Old-1", "Old-2"])
            await page.reload()
            await page.getByText("2 of 62 orders").waitFor()
            assert.deepStrictEqual(await numbers(), ["Old-1", "Old-2"])
            await page.getByRole("button", { name: "Last 30 days" }).click()
            await page.getByText("No orders found").waitFor()
            await page.goBack()
            await page.getByText("2 of 62 orders").waitFor()
            await page.getByRole("button", { name: "Clear filters" }).click()
            await page.getByText("62 orders", { exact: true }).waitFor()
            await page.getByRole("button", { name: "Total" }).click()
            await page
              .getByRole("columnheader", { name: "Total" })
              .and(page.locator("[aria-sort=descending]"))
              .waitFor()
            // The list shows the former order until the new one arrives, and its count after that.
            await page.getByText("62 orders", { exact: true }).waitFor()
            assert.strictEqual((await numbers())[0], "2000")

            await page.goto(`${dashboard}/customers/${ada?.id}`)
            await page.getByRole("link", { name: "Old-1" }).waitFor()
            await page.goto(`${dashboard}/orders?customerId=${ada?.id}`)
            await page.getByText("1 of 62 orders").waitFor()
            assert.deepStrictEqual(await numbers(), ["Old-1"])
            await page.setViewportSize({ width: 390, height: 800 })
            await assertAccessible(page)
          })
          assert.deepStrictEqual(complaints(), [])
        })
    )

    it.effect("customers are searched and sorted on a small screen, and back and forward follow the search", () =>
      Effect.gen(function* () {
        const { complaints, dashboard, page, storeId } = yield* dashboardMember({ width: 390 })
        yield* putCustomers(storeId, [
          { name: "Ada Example", email: "ada@example.com" },
          { company: "Example Books" },
          { name: "Zoe", email: "zoe@example.org" }
        ])
        const names = () => page.getByRole("table").getByRole("link").allTextContents()
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/customers`)
          await page.getByText("3 customers", { exact: true }).waitFor()
          assert.deepStrictEqual(await names(), ["Zoe", "Example Books", "Ada Example"])
          await assertAccessible(page)
          await page.getByRole("button", { name: "Customer", exact: true }).press("Enter")
          await page.locator("[aria-sort=ascending]").waitFor()
          await page.getByText("3 customers", { exact: true }).waitFor()
          assert.deepStrictEqual(await names(), ["Ada Example", "Zoe", "Example Books"])
          await page.getByLabel("Search").fill("ADA@")
          await page.getByText("1 of 3 customers").waitFor()
          assert.deepStrictEqual(await names(), ["Ada Example"])
          await page.goBack()
          await page.getByText("3 customers", { exact: true }).waitFor()
          assert.strictEqual(await page.getByLabel("Search").inputValue(), "")
          await page.goForward()
          await page.getByText("1 of 3 customers").waitFor()
          assert.strictEqual(await page.getByLabel("Search").inputValue(), "ADA@")
          await page.getByLabel("Search").fill("nobody")
          await page.getByText("No customers found").waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Clear filters" }).click()
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
