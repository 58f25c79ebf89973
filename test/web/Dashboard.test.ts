import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { CreateProduct, UpdateProduct } from "../../src/domain/catalog/Product.ts"
import { performed } from "../../src/rpc/Client.ts"
import { install } from "../support/http/Api.ts"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { keyedIn, proposePrice } from "../support/rpc/Proposals.ts"
import { agentOf } from "../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)

describe.skipIf(isMissing("chromium"))("Home, activity, agents and proposals pages", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("the home page shows first steps and updates live with new activity", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, page, storeId } = yield* dashboardMember()
        yield* Effect.promise(async () => {
          await page.goto(dashboard)
          await page.getByRole("link", { name: "Create product" }).waitFor()
          await page.getByText("No apps installed").waitFor()
          await assertAccessible(page)
        })
        yield* client.products.create({ ...keyedIn(storeId), product: toProduct({ name: "Lantern" }) })
        yield* Effect.promise(async () => {
          await page.getByRole("listitem").filter({ hasText: "Ada created Lantern" }).waitFor()
          await page.getByText("1 of ").waitFor()
          await assertAccessible(page)
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

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

        const entries = page.getByRole("listitem").filter({ hasText: /Ada (updated|created|undid)/ })
        const dialog = page.getByRole("dialog")
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/activity`)
          await entries.nth(2).waitFor()
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
          await entries.nth(4).waitFor()
        })
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
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/activity`)
          await entries.filter({ hasText: "added Ada" }).waitFor()
          await entries.filter({ hasText: "installed An app" }).waitFor()
          await entries.filter({ hasText: "Ada created the agent Restocker" }).waitFor()
          await entries.filter({ hasText: /Ada updated the agent Restocker.*Daily write limit1,00050/s }).waitFor()
          await assertAccessible(page)

          await page.getByRole("link", { name: "Settings" }).click()
          await page.getByLabel("Name").fill("The tea shop")
          await page.getByRole("button", { name: "Save" }).click()
          await page.getByText("Settings saved").waitFor()
          await page.getByRole("link", { name: "Activity" }).click()
          await entries.filter({ hasText: /Ada updated the settings.*NameA storeThe tea shop/s }).waitFor()
          assert.strictEqual(await page.getByRole("button", { name: /^Undo/ }).count(), 0)

          await page.getByLabel("Resource", { exact: true }).selectOption("Members")
          await entries.filter({ hasText: "added Ada" }).waitFor()
          await entries.filter({ hasText: "Restocker" }).first().waitFor({ state: "detached" })
          await page.getByRole("link", { name: "Home" }).click()
          await entries.filter({ hasText: "Ada updated the settings" }).waitFor()
          await assertAccessible(page)
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("an agent gets a token that is shown once, its changes can be undone, and it can be revoked", () =>
      Effect.gen(function* () {
        const { client, complaints, dashboard, page, storeId, ...member } = yield* dashboardMember()
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/agents`)
          await page.getByRole("button", { name: "Create agent" }).first().click()
          await page.getByRole("dialog").waitFor()
          await assertAccessible(page)
          await page.getByLabel("Daily write limit").fill("many")
          await page.getByRole("button", { name: "Create agent" }).click()
          await page.getByText("Enter 1 to 100 characters").waitFor()
          await page.getByText("Write a whole number, such as 1234 or 1,234").waitFor()
          await page.getByLabel("Name").fill("Restocker")
          await page.getByLabel("Daily write limit").fill("1,000")
          await page.getByRole("button", { name: "Create agent" }).click()
          await page.getByRole("heading", { name: "Restocker created" }).waitFor()
          await assertAccessible(page)
        })
        const token = yield* Effect.promise(() => page.getByLabel("Token", { exact: true }).inputValue())
        assert.match(token, /^agent_/)
        const [created = assert.fail("It was made")] = (yield* client.agents.list({ storeId })).items
        assert.deepInclude(created, { name: "Restocker", budget: 1000, proposalsOnly: true })
        yield* Effect.promise(async () => {
          assert.include(await page.getByLabel("Configuration", { exact: true }).textContent(), `Bearer ${token}`)
          await page.getByRole("button", { name: "Done" }).click()
          await page.getByRole("link", { name: "Restocker" }).waitFor()
          assert.notInclude(await page.content(), token)
        })

        const writer = yield* agentOf({ ...member, client, storeId }, { name: "Writer" })
        for (const name of ["Cup", "Jug"]) {
          yield* writer.client.products.create({ ...keyedIn(storeId), product: toProduct({ name }) })
        }
        const { id } = (yield* client.products.list({ storeId })).items[1] ?? assert.fail("The agent made two")
        yield* performed(client.products.update({ ...keyedIn(storeId), id, patch: { price: 4 } }))
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/agents/${writer.id}`)
          await page.getByText("Writer Agent created Jug").waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Undo changes…" }).click()
          await page.getByText("This undo would overwrite them").waitFor()
          await page.getByRole("alert").getByText("Ada updated Jug (Price)").waitFor()
          await assertAccessible(page)
          await page.keyboard.press("Escape")
        })
        const [change = assert.fail("It was changed")] = (yield* client.activity.list({ storeId })).items
        yield* performed(client.activity.undo({ ...keyedIn(storeId), id: change.id }))
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Undo changes…" }).click()
          await page.getByText("Undoes 2 changes to 2 products. If one change cannot be undone, none is.").waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Undo 2 changes" }).click()
          await page.getByText("2 changes undone").waitFor()
        })
        assert.strictEqual((yield* client.store.get({ storeId })).productCount, 0)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Redo" }).click()
          await page.getByText("Changes restored").waitFor()
        })
        assert.strictEqual((yield* client.store.get({ storeId })).productCount, 2)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Revoke" }).click()
          await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click()
          await page.getByText("Writer revoked").waitFor()
          await page.getByText("Revoked", { exact: true }).waitFor()
        })
        const refused = yield* Effect.flip(writer.client.products.list({ storeId }))
        assert.strictEqual(refused._tag, "InvalidToken")
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect(
      "a proposal shows current and proposed values, is approved or rejected with a reason, and reports outdated products",
      () =>
        Effect.gen(function* () {
          const { client, complaints, dashboard, page, storeId, ...member } = yield* dashboardMember()
          const agent = yield* agentOf({ ...member, client, storeId }, { proposalsOnly: true })
          const cup = yield* performed(
            client.products.create({ ...keyedIn(storeId), product: toProduct({ name: "Cup", price: 3 }) })
          )
          const get = client.products.get({ storeId, id: cup.id })
          yield* proposePrice(agent.client, storeId, cup.id, 7)
          yield* agent.client.products.create({ ...keyedIn(storeId), product: toProduct({ name: "Mug" }) })
          const card = (name: string) =>
            page
              .getByRole("region")
              .or(page.locator("section"))
              .filter({ has: page.getByRole("heading", { name, exact: true }) })
          yield* Effect.promise(async () => {
            await page.goto(`${dashboard}/proposals`)
            await card("Update Cup").getByRole("row", { name: "Price 3 7" }).waitFor()
            await card("Create Mug").getByText("Mug", { exact: true }).waitFor()
            await assertAccessible(page)
            await page.getByRole("button", { name: "Reject: Create Mug" }).click()
            await page.getByRole("button", { name: "Reject proposal", exact: true }).click()
            await page.getByText("Enter a reason").waitFor()
            await assertAccessible(page)
            await page.getByLabel("Reason").fill("We sell no mugs")
            await page.getByRole("button", { name: "Reject proposal", exact: true }).click()
            await page.getByText("Rejected: Create Mug").waitFor()
            await page.getByRole("button", { name: "Approve: Update Cup" }).click()
            await page.getByText("Approved: Update Cup").waitFor()
            await page.getByText("No proposals to review").waitFor()
          })
          assert.strictEqual((yield* get).price, 7)
          const [decided] = (yield* agent.client.proposals.list({ storeId, pending: false })).items
          assert.strictEqual(decided?.reason, "We sell no mugs")

          yield* proposePrice(agent.client, storeId, cup.id, 9)
          yield* Effect.promise(async () => {
            await page.reload()
            await card("Update Cup").getByRole("row", { name: "Price 7 9" }).waitFor()
          })
          // The card updates live when the product changes.
          yield* client.products.update({ ...keyedIn(storeId), id: cup.id, patch: toPatch({ stock: 4 }) })
          yield* Effect.promise(async () => {
            await card("Update Cup").getByText("Changed since the proposal was made.").waitFor()
            await card("Update Cup").getByText("Stock from 0 to 4").waitFor()
            assert.isTrue(await page.getByRole("button", { name: "Approve: Update Cup" }).isDisabled())
            await assertAccessible(page)
            await page.getByRole("tab", { name: "Decided" }).click()
            await page.getByRole("row", { name: /Create Mug.*Rejected.*We sell no mugs/ }).waitFor()
            await assertAccessible(page)
          })
          assert.deepStrictEqual(complaints(), [])
        })
    )
  })
})
