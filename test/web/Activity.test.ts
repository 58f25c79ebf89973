import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { CreateProduct, UpdateProduct } from "../../src/domain/catalog/Product.ts"
import { performed } from "../../src/rpc/Client.ts"
import { install } from "../support/http/Api.ts"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { keyedIn } from "../support/rpc/Proposals.ts"
import { agentOf } from "../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)

describe.skipIf(isMissing("chromium"))("Activity page and history of a product", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("an undo starts with a dry run, reports later changes that conflict, and can be redone", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, page, storeId } = yield* dashboardMember()
        const lamp = yield* performed(
          client.products.create({ ...keyedIn(storeId), product: toProduct({ name: "Lamp", price: 10 }) })
        )
        const change = (patch: object) =>
          client.products.update({ ...keyedIn(storeId), id: lamp.id, patch: toPatch(patch) })
        const price = Effect.map(client.products.get({ storeId, id: lamp.id }), (now) => Number(now.price))
        yield* change({ price: 12.5, description: "long ".repeat(200) })
        yield* change({ price: 15 })

        const work = (changes: number) => page.getByRole("button", { name: `${changes} changes by Ada`, exact: true })
        const entries = page.getByRole("list", { name: "changes by Ada" }).getByRole("listitem")
        const dialog = page.getByRole("dialog")
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/activity`)
          await work(3).click()
          await entries.nth(2).waitFor()
          const row = await entries.nth(1).boundingBox()
          assert.isAtMost(row?.height ?? 0, 44)
          await entries.nth(1).getByRole("button", { name: "Details: Ada updated Lamp" }).click()
          await page.getByRole("button", { name: "Show full text" }).click()
          await assertAccessible(page)
          // The later price change conflicts with the undo of the earlier one.
          await entries.nth(1).getByRole("button", { name: /^Undo/ }).click()
          await dialog.getByText("Later changes found.").waitFor()
          await assertAccessible(page)
          await dialog.getByRole("button", { name: "Undo this change first" }).click()
          await dialog.getByText("Restores these fields of the product Lamp.", { exact: false }).waitFor()
          await assertAccessible(page)
          await dialog.getByRole("button", { name: "Undo change", exact: true }).click()
          await page.getByText("1 change undone").waitFor()
        })
        assert.strictEqual(yield* price, 12.5)
        yield* Effect.promise(async () => {
          await entries.filter({ hasText: "Ada undid a change to Lamp" }).waitFor()
          await page.getByRole("button", { name: "Redo" }).click()
          await page.getByText("Changes restored").waitFor()
        })
        assert.strictEqual(yield* price, 15)

        yield* Effect.promise(async () => {
          await page.getByLabel("Resource", { exact: true }).selectOption("Collections")
          await page.getByText("No matching activity").waitFor()
          await page.goto(`${dashboard}/activity?resource=collection`)
          await page.getByText("No matching activity").waitFor()
          await page.getByRole("button", { name: "Clear filters" }).click()
          await work(5).waitFor()
          // The session also contains an undo and a redo, which cancel each other.
          await page.getByRole("button", { name: "Undo all: 5 changes by Ada" }).click()
          await dialog.getByText("Undoes 3 changes to 1 product.", { exact: false }).waitFor()
          await assertAccessible(page)
          await dialog.getByRole("button", { name: "Undo 3 changes" }).click()
          await page.getByText("3 changes undone").waitFor()
        })
        assert.strictEqual((yield* client.store.get({ storeId })).productCount, 0)
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("the page of a product lists its changes with undo, and who set each field", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, page, storeId, ...member } = yield* dashboardMember({ width: 390 })
        const agent = yield* agentOf({ ...member, client, storeId }, { name: "Restocker" })
        const { id } = yield* performed(
          client.products.create({ ...keyedIn(storeId), product: toProduct({ name: "Lamp", price: 10 }) })
        )
        const change = { adjust: 3, reason: "Two boxes" }
        yield* performed(agent.client.inventory.change({ ...keyedIn(storeId), id, change }))
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products/${id}`)
          await page.getByLabel("Name", { exact: true }).fill("Desk lamp")
          await page.getByRole("button", { name: "Show history" }).click()
          await page.getByText("Stock: 0 → 3 · “Two boxes”").waitFor()
          await assertAccessible(page)
          await page.getByRole("tab", { name: "Who set each field" }).click()
          await page.getByRole("row", { name: /^Stock .*Restocker .*“Two boxes”.* 3$/ }).waitFor()
          await page.getByRole("row", { name: /^Price .*Ada .* €10\.00$/ }).waitFor()
          await assertAccessible(page)
          await page.getByRole("tab", { name: "Changes" }).click()
          await page.getByRole("button", { name: "Undo: Restocker updated Lamp" }).click()
          await page.getByText("Restores these fields of the product Lamp.", { exact: false }).waitFor()
          await page.getByRole("button", { name: "Undo change", exact: true }).click()
          await page.getByText("Ada undid a change to Lamp").waitFor()
          // Unsaved input stays.
          assert.strictEqual(await page.getByLabel("Name", { exact: true }).inputValue(), "Desk lamp")
        })
        assert.strictEqual((yield* client.products.get({ storeId, id })).stock, 0)
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("changes of settings, members, agents and installations are in the activity, without undo", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, page, storeId, ...member } = yield* dashboardMember()
        yield* install(storeId)
        const agent = yield* agentOf({ ...member, client, storeId }, { name: "Restocker" })
        yield* client.agents.update({ ...keyedIn(storeId), id: agent.id, patch: { budget: 50 } })
        const entries = page.getByRole("main").getByRole("listitem")
        const openGroups = async () => {
          const groups = page.getByRole("button", { name: /^\d+ changes by / })
          await groups.first().waitFor()
          for (const group of await groups.all()) await group.click()
        }
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/activity`)
          await openGroups()
          await entries.filter({ hasText: "added Ada" }).last().waitFor()
          await entries.filter({ hasText: "installed An app" }).last().waitFor()
          await entries
            .filter({ hasText: "Ada updated the agent Restocker" })
            .last()
            .getByText("Daily write limit: 1,000 → 50")
            .waitFor()
          await assertAccessible(page)

          await page.getByRole("link", { name: "Settings" }).click()
          await page.getByLabel("Name").fill("The tea shop")
          await page.getByRole("button", { name: "Save" }).click()
          await page.getByText("Settings saved").waitFor()
          await page.getByRole("link", { name: "Activity" }).click()
          await openGroups()
          await page.getByText("Name: A store → The tea shop").waitFor()
          assert.strictEqual(await page.getByRole("button", { name: /^Undo/ }).count(), 0)

          await page.getByLabel("Resource", { exact: true }).selectOption("Members")
          await entries.filter({ hasText: "added Ada" }).last().waitFor()
          await entries.filter({ hasText: "Restocker" }).first().waitFor({ state: "detached" })
          await page.getByRole("link", { name: "Home" }).click()
          await entries.filter({ hasText: "Ada updated the settings" }).waitFor()
          await assertAccessible(page)
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
