import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { makeProducts } from "../support/data/Products.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { isMissing } from "../support/process/Programs.ts"

const paste = (cell: Locator, text: string) =>
  cell.evaluate((input, copied) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData("text/plain", copied)
    input.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
  }, text)

const addValues = async (page: Page, option: string, values: ReadonlyArray<string>) => {
  const input = page.getByRole("textbox", { name: `Values of ${option}` })
  for (const value of values) {
    await input.fill(value)
    await input.press("Enter")
  }
}

const save = async (page: Page) => {
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByLabel("Unsaved changes").waitFor({ state: "detached" })
}

describe.skipIf(isMissing("chromium"))("Variants of a product", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("option values make variants, whose cells are pasted and filled down", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, dashboard, page, storeId } = member
        const [shirt] = yield* makeProducts(member, [
          {
            name: "Shirt",
            price: 20,
            options: [{ name: "Size", values: ["S"] }],
            variants: [{ title: "S", price: 18, stock: 4, options: { Size: "S" } }]
          }
        ])
        if (shirt === undefined) return assert.fail("No product")
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products/${shirt.id}`)
          await addValues(page, "Size", ["M"])
          await page.getByRole("button", { name: "Add option" }).click()
          await page.getByLabel("Option 2", { exact: true }).fill("Color")
          await addValues(page, "Color", ["Red", "Blue", "Green"])
          await page.getByLabel("Title of variant 6").waitFor()
          await page.getByRole("button", { name: "M (3)" }).click()
          await page.getByLabel("Title of variant 2").waitFor({ state: "detached" })
          await page.getByRole("button", { name: "M (3)" }).click()
          const price = page.getByLabel("Price of variant 2", { exact: true })
          assert.strictEqual(await price.getAttribute("placeholder"), "20.00")
          await paste(price, "21.5\t7\tM-RED\r\n1,5\t8\tM-BLUE\r\n")
          await page.getByText("5 cells filled.").waitFor()
          await page.getByText("Price: Write 1.5").waitFor()
          await price.press("Control+d")
          await page.getByText("2 cells filled.").waitFor()
          await price.press("Enter")
          await page.getByLabel("Price of variant 4", { exact: true }).and(page.locator(":focus")).waitFor()
          await page.getByRole("button", { name: "Fill down Price" }).waitFor()
          await assertAccessible(page)
          await page.getByRole("list", { name: "Values of Color" }).getByRole("button", { name: "Remove Red" }).click()
          await page.getByText("2 variants have this value").waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Keep variants" }).click()
          await save(page)
        })
        const { variants } = yield* client.products.get({ storeId, id: shirt.id })
        assert.strictEqual(variants[0]?.id, shirt.variants[0]?.id)
        assert.deepStrictEqual(
          variants.map(({ id: _, ...variant }) => variant),
          [
            { title: "S / Red", price: 18, stock: 4, options: { Size: "S", Color: "Red" } },
            { title: "M / Red", price: 21.5, stock: 7, sku: "M-RED", options: { Size: "M", Color: "Red" } },
            { title: "S / Blue", options: { Size: "S", Color: "Blue" } },
            { title: "M / Blue", price: 21.5, stock: 8, sku: "M-BLUE", options: { Size: "M", Color: "Blue" } },
            { title: "S / Green", options: { Size: "S", Color: "Green" } },
            { title: "M / Green", price: 21.5, options: { Size: "M", Color: "Green" } }
          ]
        )
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
