import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { setOf } from "../../support/http/ChangeSets.ts"
import { makeClient } from "../../support/http/Api.ts"
import { ChromiumTest, openWindow } from "../../support/process/Chromium.ts"
import { isMissing } from "../../support/process/Programs.ts"
import {
  createTokens,
  makeMigratedDatabase,
  rowsOf,
  servicesOn,
  startServer,
  temporaryFolder,
  waitUntil
} from "../../support/process/Process.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { sessionOf } from "../../support/rpc/Rpc.ts"

const PRODUCTS = 1_000
const SHOWN = PRODUCTS.toLocaleString("en")

const CHANGED = `
  select count(*)::integer as changed from products where store_id = $1 and (document ->> 'price')::numeric = 2
`

describe.skipIf(isMissing("chromium"))("A bulk edit of the dashboard", () => {
  it.live("continues after its server is killed, with its progress, and changes each product once", () =>
    Effect.gen(function* () {
      const { client: db, url } = yield* makeMigratedDatabase
      const testScope = yield* Effect.scope
      const environment = { DATABASE_URL: url, DATA_DIR: yield* temporaryFolder }
      const startOn = Effect.fnUntraced(function* (port: number) {
        const scope = yield* Scope.fork(testScope)
        const server = yield* Scope.provide(startServer({ ...environment, PORT: String(port) }), scope)
        return { port: server.port, base: server.base, kill: Scope.close(scope, Exit.void) }
      })
      const server = yield* startOn(0)
      const { storeId, tokens } = yield* createTokens(url, 1)
      const client = makeClient(server.base, tokens[0])
      // From the database, because a client may ask 100 times a minute.
      const setIn = (id: string, state: string) =>
        waitUntil(rowsOf(db, "select state from change_sets where id = $1", [id]), ([row]) => row?.["state"] === state)
      const creation = setOf(
        yield* client.post("/change-sets", {
          mode: "each",
          operations: Array.from({ length: PRODUCTS }, (_, n) => ({
            op: "product.create",
            product: { name: `Cup ${n}`, price: 1 }
          }))
        })
      )
      yield* setIn(creation.id, "ready")
      yield* client.post(`/change-sets/${creation.id}/apply`, {})
      yield* setIn(creation.id, "applied")

      const cookie = yield* makeMerchant([storeId]).pipe(
        Effect.flatMap(({ email }) => sessionOf(email)),
        Effect.provide(servicesOn(url))
      )
      const { context, page } = yield* openWindow({ width: 1280 })
      const [name = "", value = ""] = cookie.split("=", 2)
      yield* Effect.promise(async () => {
        await context.addCookies([{ name, value, url: server.base }])
        await page.goto(`${server.base}/dashboard/${storeId}/products`)
        await page.getByLabel("Select all loaded products").check()
        await page.getByRole("button", { name: `Select all ${SHOWN} products` }).click()
        await page.getByRole("button", { name: "Edit selected" }).click()
        await page.getByLabel("Action").selectOption("Set price")
        await page.getByLabel("New price").fill("2")
        await page.getByRole("button", { name: "Preview changes" }).click()
        await page.getByRole("button", { name: `Apply to ${SHOWN} products` }).click()
      })
      const progress = Effect.map(rowsOf(db, CHANGED, [storeId]), ([row]) => Number(row?.["changed"]))
      const before = yield* waitUntil(progress, (changed) => changed > 0)
      yield* server.kill
      assert.isBelow(before, PRODUCTS)
      assert.isBelow(yield* progress, PRODUCTS)
      // The lease of the killed runner ends by itself; the test does not wait for it.
      yield* rowsOf(db, "update jobs set next_at = now() where lease is not null")
      yield* startOn(server.port)
      yield* Effect.promise(() => page.getByText(`${SHOWN} products edited`).waitFor())
      assert.strictEqual(yield* progress, PRODUCTS)
      const versions = `
        select p.version::integer, count(*)::integer as products, count(distinct j.resource_id)::integer as entries
        from products p
        join journal j on j.store_id = p.store_id and j.resource_id = p.id and j.change_set_id <> $2
        where p.store_id = $1 group by 1
      `
      assert.deepStrictEqual(yield* rowsOf(db, versions, [storeId, creation.id]), [
        { version: 2, products: PRODUCTS, entries: PRODUCTS }
      ])
    }).pipe(Effect.provide(ChromiumTest))
  )
})
