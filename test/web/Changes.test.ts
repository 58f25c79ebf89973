import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { makeProducts } from "../support/data/Products.ts"
import { keyedIn } from "../support/rpc/Proposals.ts"

describe.skipIf(isMissing("chromium"))("Pages of bulk changes", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("a set is applied and undone on its page, Activity opens it, and left previews are discarded", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, dashboard, page, storeId } = member
        yield* makeProducts(member, [
          { name: "Cup", price: 10 },
          { name: "Jug", price: 20 },
          { name: "Plate", price: 1 }
        ])
        const prices = Effect.map(client.products.list({ storeId }), ({ items }) =>
          items.map(({ price }) => price).toSorted((a, b) => a - b)
        )
        const create = (note: string) =>
          client.changeSets.create({
            ...keyedIn(storeId),
            mode: "each",
            note,
            where: { rules: [] },
            change: { price: { add: -5 } }
          })
        const { id } = yield* create("Sale")
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/changes/${id}`)
          await page.getByRole("heading", { name: "Sale" }).waitFor()
          await page.getByText("2 prices change, 1 refused").waitFor()
          await page.getByText("New prices: lowest 5, highest 15").waitFor()
          await page.getByText("No app is notified").waitFor()
          await page.getByRole("list", { name: "Refused" }).getByRole("link", { name: "Plate" }).waitFor()
          await assertAccessible(page)
          await page.setViewportSize({ width: 390, height: 800 })
          await assertAccessible(page)
          await page.getByRole("button", { name: "Apply 2 changes" }).click()
          await page.getByText("2 changed, 0 unchanged, 1 refused").waitFor()
          await page.getByLabel("Outcome").selectOption("Updated")
          const rows = page.getByRole("table", { name: "Rows" })
          await rows.getByRole("link", { name: "Jug" }).waitFor()
          await rows.getByRole("row", { name: /Cup[^]*Updated/ }).waitFor()
          assert.strictEqual(await rows.getByRole("row").count(), 3)
          await assertAccessible(page)
        })
        assert.deepStrictEqual(yield* prices, [1, 5, 15])
        yield* Effect.promise(async () => {
          await page.setViewportSize({ width: 1280, height: 800 })
          await page.goto(dashboard)
          await page.getByRole("link", { name: "made 2 changes" }).click()
          await page.getByRole("heading", { name: "Sale" }).waitFor()
          await page.goto(`${dashboard}/activity`)
          await page.getByRole("link", { name: "made 2 changes" }).waitFor()
          await assertAccessible(page)
          await page.getByRole("link", { name: "Undo the whole change" }).click()
          await page.getByRole("heading", { name: "Sale" }).waitFor()
          await page.getByRole("button", { name: "Undo the whole change" }).click()
          await page.getByRole("heading", { name: "Undo of a change" }).waitFor()
          await page.getByRole("button", { name: "Apply 2 changes" }).click()
          await page.getByText("2 changed, 0 unchanged, 0 refused").waitFor()
        })
        assert.deepStrictEqual(yield* prices, [1, 10, 20])
        yield* create("Left")
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "All bulk changes" }).click()
          await page.getByRole("button", { name: "Discard Left" }).click()
          await page.getByText("Canceled").waitFor()
          await assertAccessible(page)
        })
        assert.lengthOf((yield* client.changeSets.list({ storeId, unfinished: true })).items, 0)
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
