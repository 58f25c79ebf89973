import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { MAIN } from "../../../src/domain/cells/Cells.ts"
import { newToken, sha256 } from "../../../src/layers/Secrets.ts"
import { CellsTest, inCell, NORTH, storeIn } from "../../support/cells/CellsTest.ts"
import { moveTo } from "../../support/cells/Moving.ts"
import { baseUrl, dataOf, makeClient, pageOf } from "../../support/http/Api.ts"
import { tokensOf } from "../../support/oauth/Oauth.ts"
import { scene } from "../../support/oauth/Scene.ts"

const countProducts = (store: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`select id from products where store_id = ${store}`
    return rows.length
  })

layer(CellsTest, { excludeTestServices: true, timeout: "60 seconds" })("Tokens of earlier releases", (it) => {
  it.effect("access and refresh tokens that do not name their store work while it moves, and in each cell", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const sql = yield* SqlClient.SqlClient
      const { storeId } = yield* storeIn(MAIN)
      const access = newToken()
      yield* sql`update access_tokens set token_hash = ${sha256(access)} where store_id = ${storeId}`
      const client = makeClient(base, Redacted.value(access))

      let created = 0
      const create = Effect.gen(function* () {
        const answer = yield* client.post("/products", { name: `Product ${created}` }, { key: `product-${created}` })
        assert.strictEqual(answer.status, 201, answer.text)
        created += 1
      })
      yield* create
      yield* moveTo(NORTH, storeId, () => create)
      yield* create
      assert.deepStrictEqual(
        [yield* countProducts(storeId), yield* inCell(NORTH, countProducts(storeId))],
        [0, created]
      )
      // On the way back rows arrive in main, which does not serve them yet.
      yield* moveTo(MAIN, storeId, () => create)
      yield* create
      assert.deepStrictEqual(
        [yield* countProducts(storeId), yield* inCell(NORTH, countProducts(storeId))],
        [created, 0]
      )
      assert.lengthOf(pageOf(yield* client.get("/products")).items, created)
      const replayed = yield* client.post("/products", { name: "Product 0" }, { key: "product-0" })
      assert.strictEqual(dataOf(replayed)["name"], "Product 0")
    })
  )

  it.effect("the successors of such a refresh token work in the cell that the store moved to", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { agree, app, base, refresh, storeId, token } = yield* scene()
      yield* token(yield* agree(app))
      const first = newToken()
      yield* sql`update refresh_tokens set token_hash = ${sha256(first)} where store_id = ${storeId}`
      yield* moveTo(NORTH, storeId)

      let presented = Redacted.value(first)
      for (let n = 0; n < 2; n++) {
        const answer = yield* refresh(presented)
        const { access_token, refresh_token } = tokensOf(answer)
        assert.strictEqual((yield* makeClient(base, access_token).get("/store")).status, 200)
        presented = refresh_token
      }
    })
  )
})
