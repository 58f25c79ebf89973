import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Page } from "playwright-core"
import { type CollectionId, CreateCollection, UpdateCollection } from "../../src/domain/catalog/Collection.ts"
import { CreateProduct, type ProductId } from "../../src/domain/catalog/Product.ts"
import type { StoreId } from "../../src/domain/Store.ts"
import { type Client, performed } from "../../src/rpc/Client.ts"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { newKey } from "../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)
const toPatch = Schema.decodeUnknownSync(UpdateCollection)

const keyedIn = (storeId: StoreId) => ({ storeId, idempotencyKey: newKey() })

/** A signed-in member of a store with products of these names, tags and prices. */
const shop = Effect.fn(function* (products: ReadonlyArray<readonly [name: string, tag: string, price: number]>) {
  const member = yield* dashboardMember()
  const { client, storeId } = member
  const created = yield* Effect.forEach(products, ([name, tag, price]) =>
    client.products.create({ ...keyedIn(storeId), product: toProduct({ name, price, tags: [tag] }) }).pipe(performed)
  )
  const make = (collection: object) =>
    client.collections.create({ ...keyedIn(storeId), collection: toCollection(collection) }).pipe(performed)
  const nameOf = (id: ProductId) => created.find((product) => product.id === id)?.name
  /** Names of the products of a collection. */
  const productNamesOf = (id: CollectionId) =>
    Effect.map(client.collections.get({ storeId, id }), ({ productIds }) => productIds.map(nameOf))
  return { ...member, ids: created.map(({ id }) => id), make, productNamesOf }
})

const HOUSE = [
  ["Oak desk", "oak", 400],
  ["Oak stool", "oak", 40],
  ["Pine shelf", "pine", 60]
] as const

/** Names of the products in a list of the page. */
const namesIn = (page: Page, list: string) =>
  page.getByRole("region", { name: list }).getByRole("listitem").getByRole("link").allTextContents()

const titlesOf = (client: Client, storeId: StoreId) =>
  Effect.map(client.collections.list({ storeId }), ({ items }) => items.map(({ title }) => title))

describe.skipIf(isMissing("chromium"))("Collections pages of the dashboard", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("the form of an automated collection previews matching products and explains them before creation", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, ids, page, storeId } = yield* shop(HOUSE)
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/collections`)
          await page.getByText("No collections yet").waitFor()
          await assertAccessible(page)
          await page.getByRole("link", { name: "Create collection" }).first().click()
          await page.getByRole("heading", { name: "Create collection" }).waitFor()
          await page.getByLabel("Collection type").selectOption("automated")
          await page.getByRole("button", { name: "Add rule" }).press("Enter")
          // Adding a rule focuses it.
          await page.keyboard.press("Tab")
          await page.keyboard.press("Tab")
          await page.getByText("Complete the rules to see the products that match").waitFor()
          await page.keyboard.type("OAK")
          await page.getByText("2 products match").waitFor()
          assert.deepStrictEqual(await namesIn(page, "Matching products"), ["Oak desk", "Oak stool"])
          await page.getByRole("button", { name: "Add rule" }).click()
          const second = page.getByRole("listitem", { name: "Rule 2" })
          await second.getByLabel("Field").selectOption("price")
          await second.getByLabel("Condition").selectOption("less_than")
          await second.getByLabel("Value").fill("100")
          await page.getByText("1 product matches").waitFor()
          await page.getByLabel("Find a product").fill("desk")
          await page.getByRole("option", { name: "Oak desk" }).waitFor()
          await page.keyboard.press("Enter")
          await page.getByText("Oak desk is not included: it does not match 1 of 2 rules").waitFor()
          await page.getByText("Current value: 400").waitFor()
          await assertAccessible(page)
          await page.getByLabel("Products must match").selectOption("any")
          await page.getByText("3 products match").waitFor()
          await page.getByText("Oak desk is included: it matches at least one rule").waitFor()
          await page.getByRole("button", { name: "Explain Pine shelf" }).click()
          const row = page.getByRole("listitem").filter({ hasText: "Pine shelf" })
          await row.getByText("Pine shelf is included").waitFor()
          await row.getByLabel("Explanation of Pine shelf").and(page.locator(":focus")).waitFor()
          await assertAccessible(page)
          await second.getByLabel("Value").fill("1oo")
          await page.getByText("Complete the rules to see the products that match").waitFor()
          assert.strictEqual(await page.getByRole("region", { name: "Matching products" }).count(), 0)
          await second.getByLabel("Value").fill("100")
        })
        // The list of matches updates when another client creates a product.
        const lamp = toProduct({ name: "Oak lamp", price: 500, tags: ["oak"] })
        const { id: lampId } = yield* client.products.create({ ...keyedIn(storeId), product: lamp }).pipe(performed)
        yield* Effect.promise(async () => {
          await page.getByText("4 products match").waitFor()
          await page.getByRole("button", { name: "Create collection" }).click()
          await page.getByText("Enter 1 to 255 characters").waitFor()
          assert.isTrue(await page.getByLabel("Title", { exact: true }).evaluate((field) => field.matches(":focus")))
          await page.keyboard.type("Cheap, or of oak")
          await page.getByRole("button", { name: "Create collection" }).click()
          await page.getByRole("heading", { name: "Cheap, or of oak" }).waitFor()
          // Saved rules name the change with which a product entered the collection, unsaved ones do not.
          await page.getByRole("button", { name: "Explain Oak lamp" }).click()
          await page.getByText(/^Included since .+, by a change of the collection\./).waitFor()
          await assertAccessible(page)
          await page.getByRole("listitem", { name: "Rule 2" }).getByLabel("Value").fill("101")
          await page.getByText("Included since").waitFor({ state: "detached" })
          await page.getByRole("button", { name: "Discard" }).click()
          await page.getByRole("link", { name: "View changes of the collection" }).click()
          await page.getByRole("heading", { name: "Activity" }).waitFor()
          assert.match(page.url(), /activity\?resource=collection&resourceId=/)
        })
        const [collection] = (yield* client.collections.list({ storeId })).items
        assert.deepInclude(collection, {
          type: "automated",
          disjunctive: true,
          rules: [
            { field: "tags", relation: "equals", value: "OAK" },
            { field: "price", relation: "less_than", value: 100 }
          ],
          productIds: [...ids, lampId]
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("the list shows pictures and numbers of products, is searched and sorted, and the URL keeps both", () =>
      Effect.gen(function* () {
        const { client, complaints, context, dashboard, ids, make, page, storeId } = yield* shop([HOUSE[2]])
        const picture = "https://images.example.com/desk.png"
        const desk = toProduct({ name: "Oak desk", tags: ["oak"], imageUrl: picture })
        yield* client.products.create({ ...keyedIn(storeId), product: desk })
        yield* make({ title: "Oak", rules: [{ field: "tags", relation: "equals", value: "oak" }] })
        yield* make({ title: "Favourites", productIds: ids })
        yield* make({ title: "Acorns and oak", productIds: [] })
        const titles = () => page.getByRole("table").getByRole("link").allTextContents()
        yield* Effect.promise(async () => {
          await context.route("https://images.example.com/**", (route) => route.fulfill({ status: 200, body: "" }))
          await Promise.all([page.waitForRequest(picture), page.goto(`${dashboard}/collections`)])
          await page.getByText("3 collections", { exact: true }).waitFor()
          assert.deepStrictEqual(await titles(), ["Acorns and oak", "Favourites", "Oak"])
          const oak = page.getByRole("row").filter({ hasText: "Automated, 1 rule" })
          assert.strictEqual(await oak.getByRole("cell").nth(2).textContent(), "1")
          await page.getByLabel("Search").fill("OAK")
          await page.getByText("2 of 3 collections").waitFor()
          await page.getByRole("button", { name: "Title" }).click()
          await page.locator("[aria-sort=ascending]").waitFor()
          await page.setViewportSize({ width: 390, height: 800 })
          await page.reload()
          await page.getByText("2 of 3 collections").waitFor()
          assert.deepStrictEqual(await titles(), ["Acorns and oak", "Oak"])
          await assertAccessible(page)
          await page.getByLabel("Search").fill("nothing")
          await page.getByText("No collections found").waitFor()
          await page.getByRole("button", { name: "Clear filters" }).click()
          await page.getByText("3 collections", { exact: true }).waitFor()
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("a manual collection is reordered by keyboard, menu and drag, and saved in that order", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, ids, make, page, productNamesOf, storeId } = yield* shop([
          ...HOUSE,
          ["Brass lamp", "brass", 80]
        ])
        const { id } = yield* make({ title: "Favourites", productIds: ids.slice(0, 3) })
        const grip = (name: string) => page.getByRole("button", { name: `Move ${name}` })
        const names = () => namesIn(page, "Products in order")
        const save = async () => {
          await page.getByRole("button", { name: "Save" }).click()
          await page.getByRole("region", { name: "Unsaved changes" }).waitFor({ state: "hidden" })
        }
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/collections/${id}`)
          await grip("Oak desk").focus()
          await page.keyboard.press("ArrowDown")
          await page.getByText("Oak desk moved to position 2 of 3").waitFor()
          await page.keyboard.press("ArrowDown")
          await page.getByText("Oak desk moved to position 3 of 3").waitFor()
          await assertAccessible(page)
          assert.isTrue(await grip("Oak desk").evaluate((button) => button.matches(":focus")))
          await save()
        })
        assert.deepStrictEqual(yield* productNamesOf(id), ["Oak stool", "Pine shelf", "Oak desk"])

        yield* Effect.promise(async () => {
          await grip("Oak desk").scrollIntoViewIfNeeded()
          const [from, to] = [await grip("Oak desk").boundingBox(), await grip("Oak stool").boundingBox()]
          if (from === null || to === null) return assert.fail("There is nothing to drag")
          await page.mouse.move(from.x + 8, from.y + 8)
          await page.mouse.down()
          await page.mouse.move(to.x + 8, to.y + 12, { steps: 5 })
          const row = page.getByRole("listitem").filter({ hasText: "Oak desk" })
          await row.getByText("1", { exact: true }).waitFor()
          await page.mouse.up()
          await page.getByText("Oak desk moved to position 1 of 3").waitFor()
          await page.getByLabel("Add a product").fill("brass")
          await page.getByRole("option", { name: "Brass lamp" }).click()
          await page.getByText("Brass lamp added at position 4").waitFor()
          await page.getByRole("button", { name: "Actions for Brass lamp" }).click()
          await page.getByRole("menuitem", { name: "Move up" }).click()
          await page.getByText("Brass lamp moved to position 3 of 4").waitFor()
          await page.getByRole("button", { name: "Actions for Oak stool" }).click()
          await page.getByRole("menuitem", { name: "Remove" }).click()
          await page.getByText("Oak stool removed").waitFor()
          assert.deepStrictEqual(await names(), ["Oak desk", "Brass lamp", "Pine shelf"])
          await save()
        })
        assert.deepStrictEqual(yield* productNamesOf(id), ["Oak desk", "Brass lamp", "Pine shelf"])

        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Delete" }).click()
          await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click()
          await page.getByText("No collections yet").waitFor()
        })
        assert.deepStrictEqual(yield* titlesOf(client, storeId), [])
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("saving changed rules first lists the added and removed products", () =>
      Effect.gen(function* () {
        const { complaints, dashboard, make, page, productNamesOf } = yield* shop(HOUSE)
        const { id } = yield* make({ title: "Oak", rules: [{ field: "tag", relation: "equals", value: "oak" }] })
        const value = page.getByRole("listitem", { name: "Rule 1" }).getByLabel("Value")
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/collections/${id}`)
          await value.fill("pine")
          await page.getByText("1 product matches").waitFor()
          await page.getByRole("button", { name: "Save" }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByText("The collection changes from 2 products to 1 product").waitFor()
          await dialog.getByText("Pine shelf").waitFor()
          await assertAccessible(page)
          await dialog.getByRole("tab", { name: "Removed (2)" }).click()
          await dialog.getByText("Oak desk").waitFor()
          await dialog.getByText("Oak stool").waitFor()
          await dialog.getByRole("button", { name: "Continue editing" }).click()
        })
        assert.deepStrictEqual(yield* productNamesOf(id), ["Oak desk", "Oak stool"])
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Save" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
          await page.getByText("Oak saved").waitFor()
        })
        assert.deepStrictEqual(yield* productNamesOf(id), ["Pine shelf"])
        assert.deepStrictEqual(complaints(), [])
      })
    )

    for (const isLive of [true, false]) {
      it.effect(
        `a concurrent save of a collection is merged with the unsaved input ${isLive ? "immediately" : "on save without a change stream"}`,
        () =>
          Effect.gen(function* () {
            const { client, complaints, dashboard, ids, make, page, storeId } = yield* shop(HOUSE)
            const { id } = yield* make({ title: "Favourites", productIds: ids })
            yield* Effect.promise(async () => {
              // Without the change stream, the page detects the conflict on save.
              if (!isLive) await page.routeWebSocket(/rpc/, () => {})
              await page.goto(`${dashboard}/collections/${id}`)
              await page.getByLabel("Title", { exact: true }).fill("Best of the house")
              await page.getByLabel("Description", { exact: true }).fill("What we like most")
            })
            const patch = toPatch({ title: "Our favourites", slug: "ours" })
            yield* client.collections.update({ ...keyedIn(storeId), id, patch }).pipe(performed)
            yield* Effect.promise(async () => {
              if (!isLive) await page.getByRole("button", { name: "Save" }).click()
              await page.getByRole("heading", { name: "Someone else saved this collection" }).waitFor()
              await page.getByText("Their changes to these fields are kept: Slug").waitFor()
              await page.getByText("Our favourites").first().waitFor()
              await assertAccessible(page)
              assert.isTrue(await page.getByRole("button", { name: "Save" }).isDisabled())
              await page.getByRole("button", { name: "Continue editing" }).click()
              assert.strictEqual(await page.getByLabel("Title", { exact: true }).inputValue(), "Best of the house")
              assert.strictEqual(await page.getByLabel("Slug").inputValue(), "ours")
              // Leaving with unsaved changes requires a confirmation.
              await page.getByRole("link", { name: "Collections" }).first().click()
              await page.getByText("Leave this page?").waitFor()
              await page.getByRole("button", { name: "Cancel" }).click()
              await page.getByRole("button", { name: "Save" }).click()
              await page.getByText("Best of the house saved").waitFor()
            })
            assert.deepInclude(yield* client.collections.get({ storeId, id }), {
              title: "Best of the house",
              description: "What we like most",
              slug: "ours",
              productIds: ids,
              version: 3
            })
            assert.deepStrictEqual(complaints(), [])
          })
      )
    }
  })
})
