import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { MediaFile } from "../../../src/domain/media/File.ts"
import { Files } from "../../../src/domain/media/Files.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import { makeProducts } from "../../support/data/Products.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { countFiles, fetchBytes, picture } from "../../support/http/Files.ts"
import { sendFile } from "../../support/rpc/Files.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"

/** A member, whose plan may hold some bytes. */
const scene = Effect.fn(function* (mediaLimit = 1_000_000) {
  const sql = yield* SqlClient.SqlClient
  const { purge } = yield* Files
  const plan = randomUUID()
  yield* changeGlobally(
    (sql) => sql`insert into plans (name, product_limit, media_limit) values (${plan}, 100, ${mediaLimit})`
  )
  const member = yield* freshMember({ plan })
  const { client, storeId } = member
  const keyed = () => ({ storeId, idempotencyKey: newKey() })
  const upload = Effect.fn(function* (name: string, red: number) {
    return yield* sendFile(member, { name, alt: "" }, yield* picture("png", red))
  })
  const product = Effect.fn(function* (input: object) {
    const [made] = yield* makeProducts(member, [{ name: "Desk", ...input }])
    return made === undefined ? assert.fail("No product") : made
  })
  return {
    ...member,
    sql,
    keyed,
    upload,
    product,
    delete: ({ id }: MediaFile) => client.files.delete({ ...keyed(), id }),
    /** Deletes unused bytes as if files had been deleted `hours` ago. */
    purgeAfter: Effect.fn(function* (hours: number) {
      yield* sql`
        update media_objects set unused_since = unused_since - ${hours} * interval '1 hour',
          kept_until = kept_until - ${hours} * interval '1 hour'
        where store_id = ${storeId}
      `
      yield* Effect.repeat(purge, { while: (deleted) => deleted > 0 })
    }),
    undoNewest: Effect.gen(function* () {
      const [entry] = (yield* client.activity.list({ storeId, limit: 1 })).items
      if (entry === undefined) return assert.fail("No entry")
      return yield* client.activity.undo({ ...keyed(), id: entry.id })
    }),
    statusOf: ({ url }: MediaFile) => Effect.map(fetchBytes(url), ({ status }) => status),
    files: Effect.map(client.files.list({ storeId }), ({ items }) =>
      items.map(({ alt, name, url, usage }) => ({ alt, name, url, usage }))
    )
  }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Files and undo", (it) => {
  it.effect(
    "undo of a deleted product makes its deleted pictures files again, after their bytes were unused for a day",
    () =>
      Effect.gen(function* () {
        const { client, files, keyed, product, purgeAfter, sql, statusOf, storeId, undoNewest, upload, ...at } =
          yield* scene()
        const [main, side, other] = [
          yield* upload("Main.png", 1),
          yield* upload("side.png", 2),
          yield* upload("o.png", 3)
        ]
        const media = [
          { url: main.url, alt: "From above" },
          { url: side.url },
          { url: other.url.replace(/[0-9a-f]{64}/, "a".repeat(64)) }
        ]
        const { id } = yield* product({ imageUrl: main.url, media })
        assert.strictEqual((yield* fetchBytes(main.url.replace(/\/([^/]+)$/, "/64/$1"))).status, 200)
        yield* client.products.delete({ ...keyed(), id })
        yield* Effect.forEach([main, side, other], at.delete)
        yield* purgeAfter(25)
        yield* purgeAfter(399 * 24)
        assert.deepInclude(yield* countFiles(storeId), { files: 0, objects: 2, used: 0 })
        assert.deepStrictEqual(yield* sql`select stored::integer from media_usage where store_id = ${storeId}`, [
          { stored: 0 }
        ])
        assert.deepStrictEqual(yield* sql`select key from media_sizes where store_id = ${storeId}`, [])
        assert.strictEqual(yield* statusOf(main), 404)

        yield* undoNewest
        assert.deepStrictEqual(yield* Effect.forEach([main, side, other], statusOf), [200, 200, 404])
        const names = (yield* files).toSorted((a, b) => a.name.localeCompare(b.name))
        assert.deepStrictEqual(names, [
          { name: "main.png", alt: "From above", url: main.url, usage: 1 },
          { name: "side.png", alt: "", url: side.url, usage: 1 }
        ])
        const bytes = main.bytes + side.bytes
        assert.deepStrictEqual(
          yield* sql`select used::integer, stored::integer from media_usage where store_id = ${storeId}`,
          [{ used: bytes, stored: bytes }]
        )
      })
  )

  it.effect("undo of an update brings back the pictures that it removed, and no others", () =>
    Effect.gen(function* () {
      const { client, files, keyed, product, purgeAfter, statusOf, undoNewest, upload, ...at } = yield* scene()
      const [former, stays] = [yield* upload("former.png", 1), yield* upload("stays.png", 2)]
      const { id } = yield* product({ imageUrl: former.url, media: [{ url: stays.url }] })
      yield* client.products.update({ ...keyed(), id, patch: { imageUrl: null } })
      yield* Effect.forEach([former, stays], at.delete)
      yield* purgeAfter(25)
      yield* undoNewest
      assert.deepStrictEqual(yield* Effect.forEach([former, stays], statusOf), [200, 404])
      assert.lengthOf(yield* files, 1)
      // The product still names the other one, so an undo of its later deletion can bring it back.
      yield* purgeAfter(25)
      yield* client.products.delete({ ...keyed(), id })
      yield* undoNewest
      assert.strictEqual(yield* statusOf(stays), 200)
    })
  )

  it.effect("bytes are deleted with the last journal entry that names them", () =>
    Effect.gen(function* () {
      const { client, keyed, product, purgeAfter, sql, storeId, upload, ...at } = yield* scene()
      const file = yield* upload("a.png", 1)
      const { id } = yield* product({ imageUrl: file.url })
      yield* client.products.delete({ ...keyed(), id })
      yield* at.delete(file)
      yield* purgeAfter(25)
      assert.deepInclude(yield* countFiles(storeId), { objects: 1 })
      yield* sql`truncate journal`
      yield* purgeAfter(401 * 24)
      assert.deepInclude(yield* countFiles(storeId), { objects: 0 })
      assert.deepStrictEqual(yield* sql`select key from media_deletions`, [])
    })
  )

  it.effect("kept bytes have the limit of the plan, the oldest are deleted first, and they block no upload", () =>
    Effect.gen(function* () {
      const size = (yield* picture("png", 1)).length
      const { client, files, keyed, product, purgeAfter, sql, statusOf, storeId, undoNewest, upload, ...at } =
        yield* scene(size * 2 + 20)
      const kept: Array<MediaFile> = []
      for (const red of [1, 2, 3]) {
        const file = yield* upload(`${red}.png`, red)
        const { id } = yield* product({ imageUrl: file.url })
        yield* at.delete(file)
        yield* client.products.delete({ ...keyed(), id })
        kept.push(file)
        yield* purgeAfter(25)
      }
      const hashes = yield* sql`select hash from media_objects where store_id = ${storeId} order by unused_since`
      assert.deepStrictEqual(
        hashes.map(({ hash }) => hash),
        kept.slice(1).map(({ url }) => url.split("/").at(-2))
      )
      // Without space in the plan, the product returns and its URL stays without bytes.
      const live = [yield* upload("live.png", 101), yield* upload("live-2.png", 102)]
      yield* undoNewest
      assert.deepStrictEqual(yield* Effect.forEach([...live, ...kept], statusOf), [200, 200, 404, 404, 404])
      assert.lengthOf(yield* files, 2)
      // An upload of kept bytes counts once.
      yield* Effect.forEach(live, at.delete)
      const again = yield* upload("again.png", 3)
      assert.strictEqual(yield* statusOf(again), 200)
      assert.deepStrictEqual(
        yield* sql`select used::integer, stored::integer from media_usage where store_id = ${storeId}`,
        [{ used: again.bytes, stored: again.bytes + live.reduce((sum, { bytes }) => sum + bytes, 0) }]
      )
    })
  )
})
