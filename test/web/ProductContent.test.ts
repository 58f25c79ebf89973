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

describe.skipIf(isMissing("chromium"))("Variants and description of a product", () => {
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
          await page.getByLabel("Name of option 2", { exact: true }).fill("Color")
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

    it.effect("a description stays byte for byte until it is edited, and HTML with unknown parts has its source", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, dashboard, page, storeId } = member
        const description = "<p>Solid  <b>walnut</b>\n</p><ul><li>Oiled"
        const [desk, table] = yield* makeProducts(member, [
          { name: "Desk", description },
          { name: "Table", description: '<div class="note">Oak</div>' }
        ])
        if (desk === undefined || table === undefined) return assert.fail("No products")
        const box = page.getByRole("textbox", { name: "Description", exact: true })
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products/${desk.id}`)
          await box.getByText("walnut").waitFor()
          await assertAccessible(page)
          await box.focus()
          await page.getByRole("button", { name: "Bold" }).waitFor()
          await box.and(page.locator("[contenteditable]:focus")).waitFor()
          await assertAccessible(page)
          await page.keyboard.type("x")
          await page.getByLabel("Unsaved changes").waitFor()
          await page.keyboard.press("Control+z")
          await page.getByLabel("Unsaved changes").waitFor({ state: "detached" })
          await page.getByLabel("Name", { exact: true }).fill("Walnut desk")
          await save(page)
        })
        assert.strictEqual((yield* client.products.get({ storeId, id: desk.id })).description, description)

        yield* Effect.promise(async () => {
          await box.getByText("Oiled").click()
          await page.keyboard.press("Shift+Home")
          await page.getByRole("button", { name: "Bold" }).click()
          await save(page)
        })
        assert.strictEqual(
          (yield* client.products.get({ storeId, id: desk.id })).description,
          "<p>Solid <strong>walnut</strong></p><ul><li><strong>Oiled</strong></li></ul>"
        )

        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Edit source" }).click()
          await box.fill("<p>Ash</p>")
          await page.getByRole("button", { name: "Edit formatted text" }).click()
          await box.getByText("Ash").waitFor()
          await page.getByRole("button", { name: "Discard" }).click()
          await box.getByText("Oiled").waitFor()
          await page.goto(`${dashboard}/products/${table.id}`)
          await page.getByText("This HTML has parts that the text editor does not know").waitFor()
          assert.strictEqual(await box.inputValue(), '<div class="note">Oak</div>')
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
