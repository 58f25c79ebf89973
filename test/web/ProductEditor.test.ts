import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { CreateCollection } from "../../src/domain/catalog/Collection.ts"
import type { Page } from "playwright-core"
import { performed } from "../../src/rpc/Client.ts"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { makeProducts } from "../support/data/Products.ts"
import { newKey } from "../support/rpc/Rpc.ts"

const toCollection = Schema.decodeUnknownSync(CreateCollection)

/** Waits for the response to an announcement of a form. */
const announced = (page: Page, isOpen: boolean) =>
  page.waitForResponse((response) => response.request().postData()?.includes(`"isOpen":${isOpen}`) === true)

describe.skipIf(isMissing("chromium"))("Product editor", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect(
      "a product is created, edited and deleted, and leaving with unsaved changes requires a confirmation",
      () =>
        Effect.gen(function* () {
          const { client, complaints, dashboard, page, storeId } = yield* dashboardMember()
          const saved = Effect.map(client.products.list({ storeId }), ({ items }) => items[0])
          yield* Effect.promise(async () => {
            await page.goto(`${dashboard}/products/new`)
            await page.getByLabel("Price", { exact: true }).fill("19,50")
            await page.getByRole("button", { name: "Create product" }).click()
            await page.getByText("Enter 1 to 255 characters").waitFor()
            await page.getByText("Write 19.50").waitFor()
            await page.locator("input:focus[aria-invalid]").waitFor()
            await assertAccessible(page)
            await page.getByLabel("Name", { exact: true }).fill("Desk")
            await page.getByLabel("Price", { exact: true }).fill("0.12")
            await page.getByRole("button", { name: "Create product" }).click()
            await page.getByRole("heading", { name: "Desk", level: 1 }).waitFor()
          })
          assert.deepStrictEqual((yield* saved)?.price, 0.12)

          yield* Effect.promise(async () => {
            await page.getByRole("button", { name: "Add vendor or tags" }).click()
            await page.getByLabel("Tags").fill("oak")
            await page.keyboard.press("Enter")
            await page.getByRole("button", { name: "Add option" }).click()
            await page.getByLabel("Name of option 1", { exact: true }).fill("Width")
            await page.getByRole("textbox", { name: "Values of Width" }).fill("120")
            await page.keyboard.press("Enter")
            await page.getByRole("textbox", { name: "Values of Width" }).fill("160")
            await page.keyboard.press("Enter")
            await page.getByLabel("Price of variant 2", { exact: true }).fill("20")
            await page.getByLabel("Stock of variant 2").fill("7")
            await page.getByRole("button", { name: "Add question" }).click()
            await page.getByLabel("Question 1", { exact: true }).fill("Assembled?")
            await page.getByLabel("Answer 1").fill("No")
            await page.getByRole("button", { name: "Add custom data" }).click()
            await page.getByLabel("Metafields").fill("{ care: 1 }")
            await page.getByRole("button", { name: "Add shipping details" }).click()
            await page.getByLabel("Weight").and(page.locator(":focus")).waitFor()
            await page.getByLabel("Length").fill("160")
            await page.getByLabel("Unit").selectOption("centimeters (cm)")
            await page.getByRole("button", { name: "Save", exact: true }).click()
            await page.getByText("is not valid JSON").waitFor()
            await assertAccessible(page)
            await page.getByLabel("Metafields").fill('{ "care": 0.12345678901234568 }')
            await page.getByRole("link", { name: "Products", exact: true }).click()
            await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click()
            await page.getByRole("button", { name: "Save", exact: true }).click()
            await page.getByText("Product saved").waitFor()
            await page.getByLabel("Unsaved changes").waitFor({ state: "detached" })
          })
          const product = yield* saved
          assert.deepStrictEqual(
            [product?.tags, product?.options, product?.faqs, product?.dimensions, product?.version],
            [
              ["oak"],
              [{ name: "Width", values: ["120", "160"] }],
              [{ question: "Assembled?", answer: "No" }],
              { length: 160, unit: "cm" },
              2
            ]
          )
          assert.deepStrictEqual(
            product?.variants.map(({ id: _, ...variant }) => variant),
            [
              { title: "120", options: { Width: "120" } },
              { title: "160", price: 20, stock: 7, options: { Width: "160" } }
            ]
          )
          yield* Effect.promise(async () => {
            assert.include(await page.getByLabel("Metafields").inputValue(), "0.12345678901234568")
            await assertAccessible(page)
            await page.getByRole("button", { name: "Delete" }).click()
            await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
            await page.getByText("No products yet").waitFor()
          })
          assert.deepStrictEqual(complaints(), [])
        })
    )

    it.effect("concurrent edits in two windows are merged, and the user resolves conflicts", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, dashboard, page, storeId } = member
        const [created] = yield* makeProducts(member, [{ name: "Desk", vendorName: "Nobody" }])
        assert.isDefined(created)
        if (created === undefined) return
        const { id } = created
        const other = yield* Effect.promise(() => page.context().newPage())
        yield* Effect.promise(async () => {
          for (const window of [page, other]) {
            await window.goto(`${dashboard}/products/${id}`)
            await window.getByLabel("Name", { exact: true }).waitFor()
          }
          await page.getByLabel("Name", { exact: true }).fill("Mine")
          await page.getByLabel("Vendor").fill("Me")
          await other.getByLabel("Product type").fill("Furniture")
          await other.getByRole("button", { name: "Save", exact: true }).click()
          await page.getByText("Someone else changed: Product type").waitFor()
          assert.strictEqual(await page.getByLabel("Vendor").inputValue(), "Me")
          await other.getByLabel("Name", { exact: true }).fill("Theirs")
          await other.getByLabel("SKU").fill("A-1")
          await other.getByRole("button", { name: "Save", exact: true }).click()
          await page.getByText("Save to compare").waitFor()
          await page.getByRole("button", { name: "Save", exact: true }).click()
          const dialog = page.getByRole("dialog", { name: "Someone else changed this product" })
          await dialog.getByText("Theirs", { exact: true }).last().waitFor()
          await assertAccessible(page)
          await dialog.getByLabel("Your version").check()
          await dialog.getByRole("button", { name: "Save selected versions" }).click()
          await page.getByRole("heading", { name: "Mine", level: 1 }).waitFor()
        })
        const { name, productType, sku, vendorName } = yield* client.products.get({ storeId, id })
        assert.deepStrictEqual(
          { name, productType, sku, vendorName },
          {
            name: "Mine",
            productType: "Furniture",
            sku: "A-1",
            vendorName: "Me"
          }
        )
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("a form names the other members who have it open, until they leave it", () =>
      Effect.gen(function* () {
        const ada = yield* dashboardMember()
        const { storeId } = ada
        const bob = yield* dashboardMember({ storeId, role: "staff", width: 390 })
        const [product] = yield* makeProducts(ada, [{ name: "Desk" }])
        const collection = { title: "Desks", productIds: [] }
        const { id } = yield* performed(
          ada.client.collections.create({ storeId, idempotencyKey: newKey(), collection: toCollection(collection) })
        )
        yield* ada.client.presence.announce({ storeId, kind: "collection", id, isOpen: true })
        yield* ada.client.presence.announce({ storeId, kind: "store", id: storeId, isOpen: true })
        yield* Effect.promise(async () => {
          const note = bob.page.getByText(/^Ada has this form open since \d{1,2}:\d{2}/)
          const opened = announced(ada.page, true)
          await ada.page.goto(`${ada.dashboard}/products/${product?.id}`)
          await opened
          await bob.page.goto(`${bob.dashboard}/products/${product?.id}`)
          await note.waitFor()
          await assertAccessible(bob.page)
          const left = announced(ada.page, false)
          await ada.page.getByRole("link", { name: "Products" }).first().click()
          await left
          const reopened = announced(bob.page, true)
          await bob.page.reload()
          await reopened
          await bob.page.getByRole("heading", { name: "Desk", level: 1 }).waitFor()
          assert.isFalse(await note.isVisible())
          for (const path of [`collections/${id}`, "settings"]) {
            await bob.page.goto(`${bob.dashboard}/${path}`)
            await note.waitFor()
          }
        })
        assert.deepStrictEqual([...ada.complaints(), ...bob.complaints()], [])
      })
    )

    it.effect("a form with values that make no sense names what to do, and the created product can be duplicated", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, page, storeId } = yield* dashboardMember()
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products/new`)
          await page.getByLabel("Name", { exact: true }).fill("Desk")
          await page.getByLabel("Price", { exact: true }).fill("20")
          await page.getByLabel("Sale price", { exact: true }).fill("99")
          await page.getByRole("button", { name: "Add vendor or tags" }).click()
          await page.getByLabel("Product kind").selectOption("Gift card")
          await page.getByLabel("Currency").selectOption("Swiss Franc (CHF)")
          await page.getByRole("button", { name: "Add option" }).click()
          await page.getByLabel("Tags").fill("a, b,a")
          await page.getByRole("button", { name: "Create product" }).click()
          await page.getByText("Enter a sale price below the price, or clear it").waitFor()
          await page.getByText("Enter a name, such as Size, or remove the option").waitFor()
          await page.getByLabel("Sale price", { exact: true }).and(page.locator(":focus")).waitFor()
          await assertAccessible(page)
          await page.getByLabel("Sale price", { exact: true }).fill("19")
          await page.getByLabel("Name of option 1", { exact: true }).fill("Size")
          await page.getByRole("button", { name: "Create product" }).click()
          await page.getByRole("heading", { name: "Desk", level: 1 }).waitFor()
        })
        const desk = { productKind: "gift_card", currencyCode: "CHF", discountedPrice: 19, tags: ["a", "b"] }
        const [product] = (yield* client.products.list({ storeId })).items
        assert.deepInclude(product, desk)

        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Duplicate product" }).click()
          await page.getByRole("heading", { name: "Create product", level: 1 }).waitFor()
          await page.getByLabel("Vendor").fill("Nord")
          await page.getByRole("button", { name: "Add shipping details" }).click()
          await page.getByLabel("Country of origin").selectOption("Portugal")
          await page.getByRole("button", { name: "Create product" }).click()
          await page.getByRole("heading", { name: "Desk copy", level: 1 }).waitFor()
        })
        const { items } = yield* client.products.list({ storeId })
        const copy = items.find(({ name }) => name === "Desk copy")
        assert.deepInclude(copy, { ...desk, slug: "desk-copy", vendorName: "Nord", countryOfOrigin: "PT" })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("stock is adjusted or set, and setting it fails if the stock has changed", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, dashboard, page, storeId } = member
        const [created, rug, giftCard] = yield* makeProducts(member, [
          { name: "Desk", stock: 10 },
          {
            name: "Rug",
            stock: 80,
            variants: [
              { title: "Wide", stock: 4 },
              { title: "Narrow", stock: 0.5 }
            ]
          },
          { name: "Gift card", trackInventory: false }
        ])
        if (created === undefined || rug === undefined || giftCard === undefined) return assert.fail("No products")
        const { id } = created
        const dialog = page.getByRole("dialog", { name: "Update stock", exact: true })
        const sell = performed(
          client.inventory.change({ storeId, id, idempotencyKey: newKey(), change: { adjust: -1 } })
        )
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products/${id}`)
          await page.getByRole("button", { name: "Update stock", exact: true }).click()
          await page.getByLabel("Quantity to add").fill("-2")
          await page.getByLabel("Reason").fill("Two were broken")
          await assertAccessible(page)
          await dialog.getByRole("button", { name: "Update stock" }).click()
          await page.getByText("8 in stock").waitFor()
          await dialog.waitFor({ state: "detached" })
          await page.getByRole("button", { name: "Update stock", exact: true }).click()
          await page.getByLabel("Action", { exact: true }).selectOption("Set to")
          await page.getByLabel("New quantity").fill("6")
          // A sale between reading and setting the stock.
          await page.route("**/rpc", async (route) => {
            if (route.request().postData()?.includes('"expectedStock":8') === true) await Effect.runPromise(sell)
            await route.continue()
          })
          await dialog.getByRole("button", { name: "Update stock" }).click()
          await page.getByText("The stock is 7, not the expected value").waitFor()
          await dialog.getByText("7 in stock").waitFor()
          await assertAccessible(page)
          await dialog.getByRole("button", { name: "Update stock" }).click()
          await dialog.waitFor({ state: "detached" })
          await page.goto(`${dashboard}/products/${rug.id}`)
          await page.getByText("4.5 in stock in 2 variants").waitFor()
          assert.strictEqual(await page.getByRole("button", { name: "Update stock", exact: true }).count(), 0)
          await page.getByRole("button", { name: "Update stock of variant 1: 4" }).click()
          await page.getByLabel("Quantity to add").fill("3")
          await dialog.getByRole("button", { name: "Update stock" }).click()
          await page.getByRole("button", { name: "Update stock of variant 1: 7" }).waitFor()
          await page.getByText("7.5 in stock in 2 variants").waitFor()
          await assertAccessible(page)
          await page.goto(`${dashboard}/products/${giftCard.id}`)
          await page.getByText("Stock is not tracked").waitFor()
          await assertAccessible(page)
        })
        const { stock } = yield* client.products.get({ storeId, id })
        const { variants } = yield* client.products.get({ storeId, id: rug.id })
        assert.deepStrictEqual([stock, variants[0]?.stock], [6, 7])
        const { items } = yield* client.activity.list({ storeId })
        assert.isTrue(items.some(({ reason }) => reason === "Two were broken"))
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
