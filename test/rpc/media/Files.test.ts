import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import sharp from "sharp"
import { MediaFile } from "../../../src/domain/media/File.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import type { Client } from "../../../src/rpc/Client.ts"
import { makeProducts } from "../../support/data/Products.ts"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { agentOf, freshMember, memberOf, newKey } from "../../support/rpc/Rpc.ts"

const picture = (red: number) =>
  Effect.promise(() =>
    sharp({ create: { width: 8, height: 6, channels: 3, background: { r: red, g: 30, b: 40 } } })
      .png()
      .toBuffer()
  )

const decodeFile = Schema.decodeUnknownSync(Schema.Struct({ data: MediaFile }))

/** Sends a file as the dashboard does. */
const send = Effect.fnUntraced(function* (
  query: Readonly<Record<string, string>>,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>
) {
  const base = yield* baseUrl
  return yield* Effect.promise(async () => {
    const response = await fetch(`${base}/rpc/files?${new URLSearchParams(query).toString()}`, {
      method: "POST",
      headers: { "content-type": "application/octet-stream", "idempotency-key": randomUUID(), ...headers },
      body: new Uint8Array(body)
    })
    return { status: response.status, text: await response.text() }
  })
})

/** A member, and an upload of a picture. */
const scene = Effect.gen(function* () {
  const member = yield* freshMember()
  const { cookie, storeId } = member
  const upload = Effect.fnUntraced(function* (name: string, red: number, alt = "") {
    const answer = yield* send({ storeId, name, alt }, yield* picture(red), { cookie })
    assert.strictEqual(answer.status, 201, answer.text)
    return decodeFile(JSON.parse(answer.text)).data
  })
  return { ...member, upload }
})

const usageOf = (client: Client, storeId: StoreId, filter: { readonly search?: string; readonly unused?: boolean }) =>
  Effect.map(client.files.list({ storeId, ...filter }), ({ items }) => items.map(({ name, usage }) => [name, usage]))

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Files of members", (it) => {
  it.effect("a member uploads a picture once for each key, and reads and deletes it with the alternative text", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* scene
      const bytes = yield* picture(1)
      const query = { storeId, name: "Größe.png", alt: "A desk" }
      const headers = { cookie, "idempotency-key": randomUUID() }
      const first = yield* send(query, bytes, headers)
      assert.strictEqual(first.status, 201, first.text)
      assert.deepStrictEqual(yield* send(query, bytes, headers), first)
      assert.strictEqual((yield* send({ ...query, alt: "" }, bytes, headers)).status, 409)
      const file = decodeFile(JSON.parse(first.text)).data
      assert.deepInclude(file, { name: "Größe.png", alt: "A desk", width: 8, height: 6, contentType: "image/png" })
      const served = yield* Effect.promise(() => fetch(file.url))
      assert.strictEqual(served.status, 200)

      const { id } = file
      const changed = yield* client.files.update({ storeId, idempotencyKey: newKey(), id, alt: "An oak desk" })
      assert.deepStrictEqual(changed, { ...file, alt: "An oak desk" })
      assert.deepStrictEqual((yield* client.files.list({ storeId, search: "OAK" })).items, [{ ...changed, usage: 0 }])
      const deletion = { storeId, idempotencyKey: newKey(), id }
      assert.deepStrictEqual(yield* client.files.delete(deletion), { id, deleted: true })
      assert.deepStrictEqual(yield* client.files.delete(deletion), { id, deleted: true })
      const again = yield* Effect.flip(client.files.delete({ ...deletion, idempotencyKey: newKey() }))
      assert.deepInclude(again, { _tag: "FileNotFound", id })
      assert.deepStrictEqual((yield* client.files.list({ storeId })).items, [])
    })
  )

  it.effect("the usage counts each product once, whether it names the picture once or more often", () =>
    Effect.gen(function* () {
      const member = yield* scene
      const { client, storeId, upload } = member
      const [desk, lamp] = [yield* upload("desk.png", 1), yield* upload("lamp.png", 2)]
      yield* upload("spare.png", 3)
      const elsewhere = "https://images.example.com/desk.png"
      const [first, , , , inVariants] = yield* makeProducts(member, [
        { name: "Both", imageUrl: desk.url, media: [{ url: desk.url }, { url: lamp.url }, { url: desk.url }] },
        { name: "Media", imageUrl: elsewhere, media: [{ url: elsewhere }, { url: desk.url }] },
        { name: "Main image at an earlier address", imageUrl: desk.url.replace("http:", "https:") },
        { name: "Only described", description: `<img src="${desk.url}">` },
        { name: "Variants", variants: [{ imageUrl: lamp.url }, { imageUrl: null }, {}, { imageUrl: lamp.url }] },
        { name: "Plain" }
      ])
      const all = [
        ["spare.png", 0],
        ["lamp.png", 2],
        ["desk.png", 3]
      ]
      assert.deepStrictEqual(yield* usageOf(client, storeId, {}), all)
      assert.deepStrictEqual(yield* usageOf(client, storeId, { unused: true }), all.slice(0, 1))
      assert.deepStrictEqual(yield* usageOf(client, storeId, { unused: false }), all.slice(1))
      assert.deepStrictEqual(yield* usageOf(client, storeId, { unused: true, search: "desk" }), [])
      if (first === undefined || inVariants === undefined) return assert.fail("No product")
      for (const { id } of [first, inVariants]) {
        yield* client.products.delete({ storeId, idempotencyKey: newKey(), id })
      }
      assert.deepStrictEqual(yield* usageOf(client, storeId, { unused: true }), [
        ["spare.png", 0],
        ["lamp.png", 0]
      ])
      const page = yield* client.files.list({ storeId, unused: true, limit: 1 })
      const rest = yield* client.files.list({
        storeId,
        unused: true,
        limit: 1,
        ...(page.nextCursor && { cursor: page.nextCursor })
      })
      assert.deepStrictEqual(
        [...page.items, ...rest.items].map(({ name }) => name),
        ["spare.png", "lamp.png"]
      )
    })
  )

  it.effect(
    "other origins, strangers, requests without a session or key, and bytes that are no picture are refused",
    () =>
      Effect.gen(function* () {
        const { client, cookie, storeId, upload } = yield* scene
        const query = { storeId, name: "a.png" }
        const bytes = yield* picture(1)
        const stranger = yield* freshMember()
        const refused: ReadonlyArray<readonly [number, Record<string, string>, Record<string, string>?, Uint8Array?]> =
          [
            [403, { cookie, origin: "https://evil.example" }],
            [400, { cookie, "content-type": "text/plain" }],
            [400, { cookie, "idempotency-key": "" }],
            [400, { cookie }, { storeId }],
            [401, {}],
            [404, { cookie: stranger.cookie }],
            [415, { cookie }, query, Buffer.from("no picture")],
            [422, { cookie }, query, Buffer.alloc(0)]
          ]
        for (const [status, headers, sent = query, body = bytes] of refused) {
          const answer = yield* send(sent, body, headers)
          assert.strictEqual(answer.status, status, answer.text)
        }
        assert.deepStrictEqual((yield* client.files.list({ storeId })).items, [])

        const { id } = yield* upload("a.png", 1)
        const target = { storeId: stranger.storeId, idempotencyKey: newKey(), id }
        assert.deepStrictEqual((yield* stranger.client.files.list({ storeId: stranger.storeId })).items, [])
        assert.strictEqual((yield* Effect.flip(stranger.client.files.delete(target)))._tag, "FileNotFound")
        const { client: agent } = yield* agentOf({ client, storeId })
        assert.strictEqual((yield* Effect.flip(agent.files.list({ storeId })))._tag, "AgentRefused")
        const staff = yield* memberOf(storeId, "staff")
        assert.lengthOf((yield* staff.client.files.list({ storeId })).items, 1)
      })
  )
})
