import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { CreateProduct, UpdateProduct } from "../../src/domain/catalog/Product.ts"
import { performed } from "../../src/rpc/Client.ts"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { keyedIn, proposePrice } from "../support/rpc/Proposals.ts"
import { agentOf } from "../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)

describe.skipIf(isMissing("chromium"))("Home, agents and proposals pages", () => {
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
            await card("Update Cup").getByRole("row", { name: "Price €3.00 €7.00" }).waitFor()
            await card("Create Mug").getByText("Mug", { exact: true }).waitFor()
            await assertAccessible(page)
            await page.getByRole("button", { name: "Reject: Create Mug" }).click()
            await page.getByRole("button", { name: "Reject proposal", exact: true }).click()
            await page.getByText("Enter a reason").waitFor()
            await assertAccessible(page)
            await page.getByLabel("Reason").fill("We sell no mugs")
            await page.getByRole("button", { name: "Reject proposal", exact: true }).click()
            await page.getByText("Rejected: Create Mug").waitFor()
            await page.getByRole("button", { name: "Approve: Update Cup", exact: true }).click()
            await page.getByText("Approved: Update Cup").waitFor()
            await page.getByText("No proposals to review").waitFor()
          })
          assert.strictEqual((yield* get).price, 7)
          const [decided] = (yield* agent.client.proposals.list({ storeId, pending: false })).items
          assert.strictEqual(decided?.reason, "We sell no mugs")

          const jug = yield* performed(
            client.products.create({ ...keyedIn(storeId), product: toProduct({ name: "Jug", price: 3 }) })
          )
          yield* proposePrice(agent.client, storeId, jug.id, 8)
          const other = { id: jug.id, patch: toPatch({ price: 9 }), reason: "Jugs sell well" }
          yield* agent.client.products.update({ ...keyedIn(storeId), ...other })
          yield* Effect.promise(async () => {
            await page.reload()
            await page.getByText("Reason of Helper: “Jugs sell well”").waitFor()
            await page.getByRole("button", { name: "Approve 2 proposals…" }).click()
            await assertAccessible(page)
            await page.getByRole("button", { name: "Approve 2 proposals", exact: true }).click()
            // The first approval changed the price that the second proposal is based on.
            await page.getByText("1 proposal approved. “Update Jug” was refused").waitFor()
            await assertAccessible(page)
            await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click()
            await page.getByRole("button", { name: "Reject: Update Jug" }).waitFor()
          })
          assert.strictEqual((yield* client.products.get({ storeId, id: jug.id })).price, 8)

          const jugs = toPatch({ name: "Big jug", price: 12, tags: ["kitchen"], metafields: { source: "supplier" } })
          yield* agent.client.products.update({
            ...keyedIn(storeId),
            id: jug.id,
            patch: jugs,
            reason: "The supplier renamed it"
          })
          yield* Effect.promise(async () => {
            await page.reload()
            await page.getByText("Reason of Helper: “The supplier renamed it”").waitFor()
            await page.getByRole("button", { name: "Edit and approve: Update Jug" }).click()
            const dialog = page.getByRole("dialog")
            await dialog.getByLabel("Name").fill("Large jug")
            await dialog.getByLabel("Price").fill("a lot")
            await dialog.getByRole("button", { name: "Approve with these values" }).click()
            await dialog.getByText(/Write a number/).waitFor()
            await assertAccessible(page)
            await dialog.getByLabel("Price").fill("11.5")
            await dialog.getByRole("button", { name: "Approve with these values" }).click()
            await page.getByText("Approved with your values: Update Jug").waitFor()
          })
          const edited = { name: "Large jug", price: 11.5, tags: ["kitchen"], metafields: { source: "supplier" } }
          assert.deepInclude(yield* client.products.get({ storeId, id: jug.id }), edited)

          yield* proposePrice(agent.client, storeId, cup.id, 9)
          yield* Effect.promise(async () => {
            await page.reload()
            await card("Update Cup").getByRole("row", { name: "Price €7.00 €9.00" }).waitFor()
          })
          // The card updates live when the product changes. A sold unit does not outdate a price.
          yield* client.products.update({ ...keyedIn(storeId), id: cup.id, patch: toPatch({ stock: 4, price: 7.5 }) })
          yield* Effect.promise(async () => {
            await card("Update Cup").getByText("Changed since the proposal was made.").waitFor()
            await card("Update Cup").getByText("Price from €7.00 to €7.50").waitFor()
            assert.isTrue(await page.getByRole("button", { name: "Approve: Update Cup", exact: true }).isDisabled())
            await assertAccessible(page)
            await page.getByRole("link", { name: "Decided" }).click()
            await page.getByRole("row", { name: /Create Mug.*Rejected.*We sell no mugs/ }).waitFor()
            await page.getByRole("row", { name: /Update Large jug.*Approved with edits/ }).waitFor()
            await assertAccessible(page)
          })
          assert.deepStrictEqual(complaints(), [])
        })
    )
  })
})
