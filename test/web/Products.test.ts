import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { performed } from "../../src/rpc/Client.ts"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { dashboardMember, PagesTest } from "../support/Pages.ts"
import { makeProducts } from "../support/data/Products.ts"
import { connection, databaseUrl, rowsOf } from "../support/process/Process.ts"
import { newKey } from "../support/rpc/Rpc.ts"

/** More than two pages of the list. */
const PRODUCT_COUNT = 260

describe.skipIf(isMissing("chromium"))("Products page of the dashboard", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("the list loads more on scroll and keyboard, and updates live without reloading", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, dashboard, page, storeId } = member
        const products = yield* makeProducts(
          member,
          Array.from({ length: PRODUCT_COUNT }, (_, index) => ({ name: `Product ${index}`, price: index, stock: 10 }))
        )
        const grid = page.getByRole("grid", { name: "Products" })
        const row = (name: string) =>
          grid.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) })
        yield* Effect.promise(async () => {
          await page.goto(dashboard)
          await page.getByRole("heading", { name: "Home" }).waitFor()
          const from = performance.now()
          await page.getByRole("link", { name: "Products", exact: true }).click()
          await row("Product 259").waitFor()
          process.stdout.write(`Products: rows after ${Math.round(performance.now() - from)} ms\n`)
          await page.getByText(`${PRODUCT_COUNT} products`, { exact: true }).waitFor()
          await assertAccessible(page)
          assert.isBelow(await grid.getByRole("row").count(), 60)
          await grid.getByRole("row").nth(1).focus()
          await page.keyboard.press("Space")
          await page.getByText("1 selected").waitFor()
          await page.keyboard.press("ArrowDown")
          await page.keyboard.press("Shift+Space")
          await page.getByText("2 selected").waitFor()
          await assertAccessible(page)
          // The last rows of the pages.
          for (const name of ["Product 210", "Product 10", "Product 0"]) {
            while (!(await row(name).isVisible())) await page.keyboard.press("End")
          }
          await row("Product 0").scrollIntoViewIfNeeded()
        })

        const [oldest] = products
        assert.isDefined(oldest)
        if (oldest === undefined) return
        let pages = 0
        page.on("request", (request) => {
          const body = request.postData() ?? ""
          if (body.includes("products.query") && !/"limit":1\b/.test(body)) pages++
        })
        const change = { storeId, id: oldest.id, patch: { name: "Called otherwise" } }
        yield* performed(client.products.update({ ...change, idempotencyKey: newKey() }))
        yield* Effect.promise(() => row("Called otherwise").waitFor())
        assert.strictEqual(pages, 0)
        yield* makeProducts(member, [{ name: "Quite new" }])
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Show new products" }).click()
          await row("Quite new").waitFor()
          await page.getByText(`${PRODUCT_COUNT + 1} products`).waitFor()
          assert.strictEqual(pages, 1)
          await row("Quite new").press("Enter")
          await page.getByRole("heading", { name: "Quite new" }).waitFor()
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("a change before the change stream connects is shown after it connects", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, dashboard, page, storeId } = member
        const [cup] = yield* makeProducts(member, [{ name: "Cup" }])
        assert.isDefined(cup)
        if (cup === undefined) return
        const mayConnect = yield* Deferred.make<void>()
        yield* Effect.promise(async () => {
          await page.routeWebSocket(/\/rpc$/, async (socket) => {
            await Effect.runPromise(Deferred.await(mayConnect))
            socket.connectToServer()
          })
          await page.goto(`${dashboard}/products`)
          await page.getByRole("link", { name: "Cup" }).waitFor()
        })
        const change = { storeId, id: cup.id, patch: { name: "Mug" } }
        yield* performed(client.products.update({ ...change, idempotencyKey: newKey() }))
        yield* Deferred.succeed(mayConnect, undefined)
        yield* Effect.promise(() => page.getByRole("link", { name: "Mug" }).waitFor())
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect(
      "search and filters narrow the list, the column choice is remembered, and rows are cards on a phone",
      () =>
        Effect.gen(function* () {
          const member = yield* dashboardMember()
          const { complaints, context, dashboard, page } = member
          yield* makeProducts(member, [
            { name: "Oak desk", sku: "OAK-1", stock: 3, imageUrl: "https://images.example.com/desk.png" },
            { name: "Oak chair", stock: 0, isActive: false },
            { name: "Lamp", vendorName: "Harbour", stock: 20 }
          ])
          const names = () => page.getByRole("grid").getByRole("link").allTextContents()
          yield* Effect.promise(async () => {
            await context.route("https://images.example.com/**", (route) => route.fulfill({ status: 200, body: "" }))
            await page.goto(`${dashboard}/products`)
            await page.getByRole("link", { name: "Lamp" }).waitFor()
            await page.getByLabel("Search").fill("oak")
            await page.getByText("2 of 3 products").waitFor()
            assert.deepStrictEqual(await names(), ["Oak chair", "Oak desk"])
            await page.getByLabel("Status").selectOption("Active")
            await page.getByText("1 of 3 products").waitFor()
            assert.deepStrictEqual(await names(), ["Oak desk"])
            assert.strictEqual(
              new URL(page.url()).searchParams.get("rules"),
              JSON.stringify([{ field: "isActive", relation: "equals", value: true }])
            )
            await assertAccessible(page)
            await page.getByLabel("Search").fill("nothing like it")
            await page.getByText("No products found").waitFor()
            await assertAccessible(page)
            await page.goto(`${dashboard}/products`)
            await page.getByRole("button", { name: "Columns" }).click()
            await page.getByRole("dialog").getByLabel("SKU").uncheck()
            await page.getByRole("dialog").getByLabel("Tags").check()
            await assertAccessible(page)
            await page.keyboard.press("Escape")
            await page.reload()
            await page.getByRole("columnheader", { name: "Tags" }).waitFor()
            assert.strictEqual(await page.getByRole("columnheader", { name: "SKU" }).count(), 0)
            // On a small screen each row is a card with the same columns, and a checkbox that selects it.
            await page.setViewportSize({ width: 390, height: 800 })
            const card = page.getByRole("row").filter({ hasText: "Oak desk" })
            await card.getByRole("checkbox").check()
            await page.getByText("1 selected").waitFor()
            const boxes = await page.getByRole("grid").evaluate((grid) =>
              Array.from(grid.querySelectorAll("tbody tr:not([aria-hidden])"), (row) => {
                const { height, right } = row.getBoundingClientRect()
                return { height, right, width: row.scrollWidth - row.clientWidth }
              })
            )
            assert.lengthOf(boxes, 3)
            for (const { height, right, width } of boxes) {
              assert.isAbove(height, 60)
              assert.isAtMost(right, 390)
              assert.isAtMost(width, 0)
            }
            await assertAccessible(page)
          })
          assert.deepStrictEqual(complaints(), [])
        })
    )

    it.effect("a bulk edit shows a preview, keeps refused products selected, and can be undone", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, dashboard, page, storeId } = member
        const products = yield* makeProducts(
          member,
          Array.from({ length: 12 }, (_, index) => ({ name: `Product ${index}`, price: index, tags: ["old"] }))
        )
        const pricesOf = Effect.map(client.products.list({ storeId }), ({ items }) => items.map(({ price }) => price))
        const dialog = page.getByRole("dialog")
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products`)
          await page.getByLabel("Select all loaded products").check()
          await page.getByRole("button", { name: "Edit selected" }).click()
          await page.getByLabel("Action").selectOption("Set price")
          await page.getByLabel("New price").fill("12,5")
          await page.getByRole("button", { name: "Preview changes" }).click()
          await page.getByText("Write 12.5").waitFor()
          await assertAccessible(page)
          await page.getByLabel("New price").fill("11")
        })
        const [first] = products
        if (first !== undefined) {
          yield* performed(client.products.delete({ storeId, id: first.id, idempotencyKey: newKey() }))
        }
        const before = yield* pricesOf
        yield* Effect.promise(async () => {
          await page.keyboard.press("Enter")
          await page.getByText("10 prices change, 1 unchanged, 1 refused").waitFor()
          await page.getByText("New price: €11.00").waitFor()
          await dialog.getByText("Product 0", { exact: true }).waitFor()
          await page.getByText("was not found").waitFor()
          await assertAccessible(page)
          await page.setViewportSize({ width: 390, height: 800 })
          await assertAccessible(page)
          await page.setViewportSize({ width: 1280, height: 800 })
        })
        assert.deepStrictEqual(yield* pricesOf, before)
        yield* Effect.promise(async () => {
          // The examples, the refused products and the button.
          for (const key of ["Tab", "Tab", "Tab", "Enter"]) await page.keyboard.press(key)
          await page.getByText("11 done, 1 refused.").waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Close and keep unfinished products selected" }).click()
          await page.getByText("1 selected").waitFor()
        })
        assert.deepStrictEqual(
          yield* pricesOf,
          Array.from({ length: 11 }, () => 11)
        )
        yield* Effect.promise(async () => {
          await page.getByText("10 products edited, 1 refused").waitFor()
          await page.getByRole("button", { name: "Undo" }).click()
          await page.getByText("10 products restored").waitFor()
        })
        assert.deepStrictEqual(yield* pricesOf, before)
        yield* Effect.promise(async () => {
          await page.getByLabel("Select all loaded products").check()
          await page.getByRole("button", { name: "Edit selected" }).click()
          await page.getByLabel("Action").selectOption("Add tag")
          await page.getByLabel("Tag", { exact: true }).fill("sale")
          await page.getByRole("button", { name: "Preview changes" }).click()
          await page.getByText("11 products change, 1 refused").waitFor()
          await page.getByRole("button", { name: "Cancel" }).click()
          await page.getByText("12 selected").waitFor()
        })
        const { items: sets } = yield* client.changeSets
          .list({ storeId })
          .pipe(Effect.repeat({ until: ({ items }) => items[0]?.state === "canceled" }))
        assert.lengthOf(sets, 3)
        const after = yield* client.products.list({ storeId })
        assert.isTrue(after.items.every(({ tags }) => tags.join(" ") === "old"))
        assert.deepStrictEqual(complaints(), [])
      })
    )

    it.effect("a bulk edit of many products can be stopped after its current batch", () =>
      Effect.gen(function* () {
        const member = yield* dashboardMember()
        const { client, complaints, dashboard, page, storeId } = member
        const products = yield* makeProducts(
          member,
          Array.from({ length: PRODUCT_COUNT }, (_, index) => ({ name: `Product ${index}` }))
        )
        yield* Effect.promise(async () => {
          await page.goto(`${dashboard}/products`)
          await page.getByLabel("Select all loaded products").check()
          await page.getByRole("button", { name: `Select all ${PRODUCT_COUNT} products` }).click()
          await page.getByText(`${PRODUCT_COUNT} selected`).waitFor()
          await page.getByRole("button", { name: "Edit selected" }).click()
          await page.getByLabel("Action").selectOption("Set vendor")
          await page.getByLabel("Vendor").fill("Nord")
          await page.getByRole("button", { name: "Preview changes" }).click()
          await page.getByText(`${PRODUCT_COUNT} products change`).waitFor()
        })
        // The first batch waits for this row.
        const holder = yield* connection(yield* databaseUrl)
        yield* rowsOf(holder, "begin")
        yield* rowsOf(holder, "select from products where store_id = $1 and id = $2 for update", [
          storeId,
          products[0]?.id
        ])
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: `Apply to ${PRODUCT_COUNT} products` }).click()
          await page.getByText(`0 of ${PRODUCT_COUNT} products done`).waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Stop editing" }).click()
          await page.getByText("Stopping after the current batch.").waitFor()
        })
        yield* Effect.repeat(rowsOf(holder, "select from jobs where store_id = $1 and is_canceled", [storeId]), {
          until: (rows) => rows.length > 0
        })
        yield* rowsOf(holder, "rollback")
        yield* Effect.promise(async () => {
          await page.getByText(/^Stopped: /).waitFor()
        })
        // A batch ends early, because it waited for the row.
        const [set] = (yield* client.changeSets.list({ storeId })).items
        assert.deepInclude(set, { state: "canceled" })
        const done = set?.progress.done ?? 0
        assert.isTrue(done > 0 && done < PRODUCT_COUNT, String(done))
        yield* Effect.promise(async () => {
          const left = PRODUCT_COUNT - done
          await page.getByText(`Stopped: ${done} done, 0 refused, ${left} not started.`).waitFor()
          await assertAccessible(page)
          await page.getByRole("button", { name: "Close and keep unfinished products selected" }).click()
          await page.getByText(`${left} selected`).waitFor()
          await page.getByText(`${done} products edited`).waitFor()
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
