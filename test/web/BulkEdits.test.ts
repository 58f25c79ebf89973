import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { makeProducts } from "../support/data/Products.ts"

describe.skipIf(isMissing("chromium"))("Bulk edits on pages", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("a change of prices shows examples of products and variants; the variants can be left out", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, dashboard, page, storeId } = member
        yield* makeProducts(member, [
          { name: "Hat", price: 20, variants: [{ title: "S", price: 20 }, { title: "M" }, { title: "L", price: 30 }] }
        ])
        const pricesOf = Effect.map(client.products.list({ storeId }), ({ items: [hat] }) => [
          hat?.price,
          ...(hat?.variants ?? []).map(({ price }) => price)
        ])
        const openEdit = async () => {
          await page.getByLabel("Select Hat").check()
          await page.getByRole("button", { name: "Edit selected" }).click()
          await page.getByLabel("Action").selectOption("Change price by percent")
          await page.getByLabel("Percent", { exact: true }).fill("-10")
        }
        const apply = async () => {
          await page.getByRole("button", { name: "Apply to 1 product" }).click()
          await page.getByText("1 product edited").last().waitFor()
          await page.getByRole("dialog", { name: "Edit" }).waitFor({ state: "detached" })
          // The progress above the list has ended, too.
          assert.strictEqual(await page.getByText("0 of 1 done").count(), 0)
        }
        const samples = page.getByRole("region", { name: "Examples" })
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products`)
          await openEdit()
          assert.isTrue(await page.getByLabel("Also change variants").isChecked())
          await assertAccessible(page)
          await page.getByRole("button", { name: "Preview changes" }).click()
          await page.getByText("New prices: lowest €18.00, highest €27.00").waitFor()
          const rows = await samples.getByRole("row").allInnerTexts()
          assert.deepStrictEqual(
            rows.slice(1).map((row) => row.split(/\s*[\t\n]\s*/)),
            [
              ["Hat", "€20.00", "€18.00", "-10%"],
              ["Hat · S", "€20.00", "€18.00", "-10%"],
              ["Hat · L", "€30.00", "€27.00", "-10%"]
            ]
          )
          await assertAccessible(page)
          await page.setViewportSize({ width: 390, height: 800 })
          await assertAccessible(page)
          await page.setViewportSize({ width: 1280, height: 800 })
          await apply()
        })
        assert.deepStrictEqual(yield* pricesOf, [18, 18, undefined, 27])
        yield* Effect.promise(async () => {
          await openEdit()
          await page.getByLabel("Also change variants").uncheck()
          await page.getByRole("button", { name: "Preview changes" }).click()
          await samples.getByText("€16.20").waitFor()
          await apply()
        })
        assert.deepStrictEqual(yield* pricesOf, [16.2, 18, undefined, 27])
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
