import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { StoreId } from "../../src/domain/Store.ts"
import { type Client, performed } from "../../src/rpc/Client.ts"
import { makeStore } from "../support/http/Api.ts"
import { isMissing } from "../support/process/Programs.ts"
import { assertAccessible } from "../support/process/Chromium.ts"
import { makeMerchant } from "../support/rpc/Merchants.ts"
import { PagesTest, windowOf } from "../support/Pages.ts"
import { makeProducts } from "../support/data/Products.ts"
import { putCustomers, putOrders } from "../support/data/Records.ts"
import { agentOf, clientOf, newKey, sessionOf } from "../support/rpc/Rpc.ts"

/** Pages of a store, each with a text that it shows for resources of a name. */
const PAGES: ReadonlyArray<readonly [page: string, shown: (name: string) => string]> = [
  ["Home", (name) => `${name} cup`],
  ["Products", (name) => `${name} cup`],
  ["Collections", (name) => `${name} cups`],
  ["Orders", (name) => `${name}-1`],
  ["Customers", (name) => `${name} Example`],
  ["Apps", () => "No apps installed"],
  ["Agents", (name) => `${name} helper`],
  ["Proposals", (name) => `${name} mug`],
  ["Activity", (name) => `${name} cup`]
]

/** Creates resources of every kind in a store, all with the same name. */
const createResources = (client: Client, storeId: StoreId, name: string) =>
  Effect.gen(function* () {
    const member = { client, storeId }
    yield* makeProducts(member, [{ name: `${name} cup` }])
    const collection = { title: `${name} cups` }
    yield* performed(client.collections.create({ storeId, idempotencyKey: newKey(), collection }))
    yield* putOrders(storeId, [{ number: `${name}-1` }])
    yield* putCustomers(storeId, [{ name: `${name} Example` }])
    const { client: helper } = yield* agentOf(member, { name: `${name} helper`, proposalsOnly: true })
    yield* helper.products.create({ storeId, idempotencyKey: newKey(), product: { name: `${name} mug` } })
  })

describe.skipIf(isMissing("chromium"))("Switching between stores", () => {
  layer(PagesTest, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    it.effect("every page shows only the selected store, also after switching on a small screen", () =>
      Effect.gen(function* () {
        const stores = { Heron: yield* makeStore(), Linnet: yield* makeStore() }
        const { email } = yield* makeMerchant([stores.Heron, stores.Linnet])
        const cookie = yield* sessionOf(email)
        const client = yield* clientOf(cookie)
        for (const [name, storeId] of Object.entries(stores)) yield* createResources(client, storeId, name)
        const { complaints, page, url } = yield* windowOf(cookie, { width: 390 })

        const visit = async (name: string, other: string, look = async () => {}) => {
          for (const [title, shown] of PAGES) {
            if (title !== "Home") {
              await page.getByLabel("Menu").click()
              await page
                .getByRole("navigation")
                .getByRole("link", { name: title, exact: title !== "Proposals" })
                .click()
            }
            await page.getByRole("heading", { name: title, level: 1 }).waitFor()
            await page.getByText(shown(name)).first().waitFor()
            assert.notInclude(await page.getByRole("main").innerText(), other)
            await look()
          }
        }
        const switchTo = (store: StoreId) => page.getByLabel("Store").selectOption(store)
        const requestBodies: Array<string> = []
        page.on("request", (request) => requestBodies.push(request.postData() ?? ""))
        yield* Effect.promise(async () => {
          await page.goto(`${url}/dashboard/${stores.Heron}`)
          await visit("Heron", "Linnet", () => assertAccessible(page))
          await switchTo(stores.Linnet)
          await page.getByRole("heading", { name: "Home" }).waitFor()
          await page.getByText("Linnet cup").first().waitFor()
          requestBodies.length = 0
          await visit("Linnet", "Heron")
          assert.deepStrictEqual(
            requestBodies.filter((text) => text.includes(stores.Heron)),
            []
          )
          await switchTo(stores.Heron)
          await page.getByText("Heron cup").first().waitFor()
          await visit("Heron", "Linnet")
        })
        assert.deepStrictEqual(complaints(), [])
      })
    )
  })
})
