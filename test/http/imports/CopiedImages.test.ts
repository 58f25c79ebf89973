import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ChangeSet } from "../../../src/domain/changeSets/ChangeSet.ts"
import { FetchTimeout } from "../../../src/layers/media/RemoteFiles.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { changeGlobally } from "../../support/cells/ChosenCell.ts"
import { baseUrl } from "../../support/http/Api.ts"
import { IsolatedJobsTest, waitForState } from "../../support/http/ChangeSets.ts"
import { pictureHost } from "../../support/media/PictureHost.ts"
import { waitUntil } from "../../support/process/Process.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"
import { InternetHere } from "../../support/webhooks/Internet.ts"

const JSON_LINES = { kind: "products", format: "jsonl", copyImages: true }
const SHOPIFY = { ...JSON_LINES, format: "shopify" }

const decodeSet = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ data: ChangeSet })))

const Api = IsolatedJobsTest.pipe(Layer.provide(InternetHere), Layer.provide(Layer.succeed(FetchTimeout, 8_000)))

/** A member who imports products whose pictures are on another host. */
const scene = Effect.gen(function* () {
  const member = yield* freshMember()
  const { client, cookie, storeId } = member
  const host = yield* pictureHost
  const base = yield* baseUrl
  const send = (settings: object, file: string, dryRun = false) => {
    const query = encodeURIComponent(JSON.stringify({ storeId, dryRun, settings }))
    return Effect.promise(async () => {
      const response = await fetch(`${base}/rpc/imports?import=${query}`, {
        method: "POST",
        headers: { cookie, "content-type": "application/octet-stream" },
        body: file
      })
      return { status: response.status, text: await response.text() }
    })
  }
  const start = Effect.fnUntraced(function* (...sent: Parameters<typeof send>) {
    const { status, text } = yield* send(...sent)
    assert.strictEqual(status, 201, text)
    return decodeSet(text).data.id
  })
  const imported = Effect.fnUntraced(function* (...sent: Parameters<typeof start>) {
    const id = yield* start(...sent)
    yield* waitForState(id, "applied", "canceled", "failed")
    return yield* client.changeSets.get({ storeId, id })
  })
  const products = Effect.map(client.products.list({ storeId }), ({ items }) =>
    items.toSorted((a, b) => a.name.localeCompare(b.name))
  )
  return {
    ...member,
    host,
    send,
    start,
    imported,
    products,
    isOwn: (url: string | null) => url?.startsWith(`${base}/media/`)
  }
})

const lines = (...rows: ReadonlyArray<object>) => rows.map((row) => JSON.stringify(row)).join("\n")

layer(Api, { excludeTestServices: true, timeout: "120 seconds" })("Copied pictures of imports", (it) => {
  it.effect("an import copies each picture once, and products are written once with the URLs of the copies", () =>
    Effect.gen(function* () {
      const { client, host, imported, isOwn, products, storeId } = yield* scene
      const [one, two] = [`${host.url}/1.png`, `${host.url}/moved/2.png`]
      const video = { url: `${host.url}/3.mp4`, type: "video" }
      const file = lines(
        { externalId: "a", name: "A", imageUrl: one, media: [{ url: one, alt: "Front" }, { url: two }, video] },
        { externalId: "b", name: "B", imageUrl: two },
        { externalId: "c", name: "C" }
      )
      const checked = yield* imported(JSON_LINES, file, true)
      assert.deepStrictEqual(checked.import, {
        kind: "products",
        created: 3,
        updated: 0,
        images: { copied: 0, failed: 0, failures: [] }
      })
      assert.deepStrictEqual(host.paths, [])

      const applied = yield* imported(JSON_LINES, file)
      assert.deepInclude(applied, { state: "applied", failure: null })
      assert.deepStrictEqual(applied.import?.images, { copied: 2, failed: 0, failures: [] })
      assert.deepStrictEqual(host.paths.toSorted(), ["/1.png", "/2.png", "/moved/2.png"])
      const [a, b, c] = yield* products
      assert.isTrue(isOwn(a?.imageUrl ?? null))
      assert.deepStrictEqual(
        a?.media.map(({ alt, url }) => [alt, isOwn(url) === true]),
        [
          ["Front", true],
          [undefined, true],
          [undefined, false]
        ]
      )
      assert.strictEqual(b?.imageUrl, a?.media[1]?.url)
      assert.deepStrictEqual([a?.version, b?.version, c?.imageUrl], [1, 1, null])
      assert.strictEqual((yield* Effect.promise(() => fetch(a?.imageUrl ?? ""))).status, 200)
      assert.deepStrictEqual(
        (yield* client.files.list({ storeId })).items.map(({ name, usage }) => [name, usage]).toSorted(),
        [
          ["1.png", 1],
          ["2.png", 2]
        ]
      )

      const again = yield* imported(JSON_LINES, file)
      assert.deepStrictEqual([again.counts.unchanged, again.import?.images?.copied], [3, 0])
      assert.lengthOf(host.paths, 3)

      const undo = yield* client.changeSets.undo({ storeId, idempotencyKey: newKey(), id: applied.id })
      yield* waitForState(undo.id, "ready")
      yield* performed(client.changeSets.apply({ storeId, idempotencyKey: newKey(), id: undo.id }))
      yield* waitForState(undo.id, "applied")
      assert.deepStrictEqual(yield* products, [])
    })
  )

  it.effect("pictures that fail keep their URLs and are listed, and the rows are imported", () =>
    Effect.gen(function* () {
      const { host, imported, products } = yield* scene
      const failing = ["missing", "private", "endless", "text", "hang"].map((path) => `${host.url}/${path}`)
      const file = lines(
        ...failing.map((imageUrl, index) => ({ externalId: `${index}`, name: `${index}`, imageUrl })),
        { externalId: "5", name: "5", imageUrl: `${host.url}/1.png` },
        { externalId: "6", imageUrl: `${host.url}/2.png` }
      )
      yield* Effect.forkChild(host.hangUp(1))
      const { counts, import: result, state } = yield* imported(JSON_LINES, file)
      assert.strictEqual(state, "applied")
      assert.deepInclude(counts, { changed: 6, refused: 1 })
      assert.deepInclude(result?.images, { copied: 2, failed: failing.length })
      const reasons = new Map(result?.images?.failures.map(({ reason, url }) => [url, reason]))
      assert.sameMembers([...reasons.keys()], failing)
      assert.match(reasons.get(failing[0] ?? "") ?? "", /status 404/)
      assert.match(reasons.get(failing[1] ?? "") ?? "", /public/)
      assert.match(reasons.get(failing[2] ?? "") ?? "", /20 MiB/)
      const stored = (yield* products).map(({ imageUrl }) => imageUrl)
      assert.deepStrictEqual(stored.slice(0, -1), failing)
    })
  )

  it.effect("a Shopify file that is imported again keeps the alt texts of copied pictures and changes nothing", () =>
    Effect.gen(function* () {
      const { client, host, imported, isOwn, products, storeId } = yield* scene
      const csv = [
        "Handle,Title,Image Src,Image Position,Variant Image",
        `cup,Cup,${host.url}/1.png,1,${host.url}/1.png`,
        `cup,,${host.url}/2.png,2,`
      ].join("\n")
      assert.deepInclude((yield* imported(SHOPIFY, csv)).import?.images, { copied: 2, failed: 0 })
      const [cup] = yield* products
      if (cup === undefined) return assert.fail("No product")
      assert.isTrue(cup.media.length === 2 && cup.media.every(({ url }) => isOwn(url)))
      const media = cup.media.map((medium, index) => ({ ...medium, alt: `Alt ${index}` }))
      yield* performed(client.products.update({ storeId, idempotencyKey: newKey(), id: cup.id, patch: { media } }))
      assert.strictEqual((yield* imported(SHOPIFY, csv)).counts.unchanged, 1)
      assert.lengthOf(host.paths, 2)
      assert.deepStrictEqual((yield* products)[0]?.media, media)
    })
  )

  it.effect("a runner that loses its job stores nothing more, and the next one fetches only what is not stored", () =>
    Effect.gen(function* () {
      const { client, host, products, start, storeId } = yield* scene
      const sql = yield* SqlClient.SqlClient
      const urls = [1, 2, 3].map((red) => `${host.url}/${red}.png`)
      const hanging = `${host.url}/hang`
      const rows = [...urls, hanging].map((imageUrl, index) => ({
        externalId: `${index}`,
        name: `${index}`,
        imageUrl
      }))
      const id = yield* start(JSON_LINES, lines(...rows))
      yield* waitUntil(sql`select from files where store_id = ${storeId}`, ({ length }) => length === 3)
      yield* waitUntil(
        Effect.sync(() => host.paths),
        (paths) => paths.includes("/hang")
      )
      // As after a SIGKILL, whose lease ends.
      yield* sql`update jobs set lease = null, next_at = now() where store_id = ${storeId}`
      yield* host.hangUp(2)
      yield* waitForState(id, "applied")
      const { import: result } = yield* client.changeSets.get({ storeId, id })
      assert.deepInclude(result?.images, { copied: 3, failed: 1 })
      assert.deepStrictEqual(host.paths.toSorted(), ["/1.png", "/2.png", "/3.png", "/hang", "/hang"])
      assert.deepStrictEqual(
        (yield* products).map(({ version }) => version),
        [1, 1, 1, 1]
      )
      assert.lengthOf((yield* client.files.list({ storeId })).items, 3)
    })
  )

  it.effect("a canceled import fetches no further pictures, and keeps its rows so far", () =>
    Effect.gen(function* () {
      const { client, host, products, start, storeId } = yield* scene
      const rows = Array.from({ length: 30 }, (_, index) => ({
        externalId: `${index}`,
        name: `${index}`,
        imageUrl: index < 25 ? `${host.url}/1.png` : `${host.url}/${index}/hang`
      }))
      const id = yield* start(JSON_LINES, lines(...rows))
      yield* waitUntil(
        Effect.sync(() => host.paths),
        (paths) => paths.some((path) => path.endsWith("hang"))
      )
      yield* performed(client.changeSets.cancel({ storeId, idempotencyKey: newKey(), id }))
      yield* waitForState(id, "canceled")
      assert.lengthOf(yield* products, 25)
      assert.isAtMost(host.paths.filter((path) => path.endsWith("hang")).length, 4)
    })
  )

  it.effect("an import without copyImages fetches nothing, and imports of other kinds refuse it", () =>
    Effect.gen(function* () {
      const { host, imported, products, send } = yield* scene
      const file = lines({ externalId: "a", name: "A", imageUrl: `${host.url}/1.png` })
      const { import: result } = yield* imported({ kind: "products", format: "jsonl" }, file)
      assert.deepStrictEqual(result, { kind: "products", created: 1, updated: 0 })
      assert.deepStrictEqual([host.paths, (yield* products)[0]?.imageUrl], [[], `${host.url}/1.png`])
      for (const kind of ["collections", "orders", "customers"]) {
        const answer = yield* send({ ...JSON_LINES, kind }, file)
        assert.strictEqual(answer.status, 400, answer.text)
        assert.include(answer.text, "copyImages: must be false")
      }
    })
  )

  it.effect("when the plan allows no more bytes, no further picture is fetched", () =>
    Effect.gen(function* () {
      const { host, imported, storeId } = yield* scene
      const sql = yield* SqlClient.SqlClient
      yield* changeGlobally(
        (sql) =>
          sql`insert into plans select (jsonb_populate_record(p, '{"name":"tiny","media_limit":1}')).* from plans p limit 1`
      )
      yield* sql`update stores set plan = 'tiny' where id = ${storeId}`
      const rows = Array.from({ length: 12 }, (_, index) => ({
        externalId: `${index}`,
        name: `${index}`,
        imageUrl: `${host.url}/${index}.png`
      }))
      const { import: result, state } = yield* imported(JSON_LINES, lines(...rows))
      assert.strictEqual(state, "applied")
      assert.deepInclude(result?.images, { copied: 0, failed: 12 })
      assert.isAtMost(host.paths.length, 4)
    })
  )
})
