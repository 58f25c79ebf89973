import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createConnection } from "node:net"
import { once } from "node:events"
import { randomUUID } from "node:crypto"
import type { Grants } from "../../../src/domain/access/AccessRule.ts"
import { createClient } from "../../../src/http/client/Client.ts"
import { ApiTest, baseUrl, dataOf, errorOf, freshClient, install } from "../../support/http/Api.ts"
import { countFiles, fetchBytes, filesOf, makePng, picture, SVG, upload } from "../../support/http/Files.ts"

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Files", (it) => {
  it.effect.each(["jpeg", "png", "webp", "avif", "gif"] as const)(
    "a picture of type %s is stored with type and dimensions, and served byte for byte",
    (format) =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        const bytes = yield* picture(format)
        const answer = yield* upload(client, bytes, { query: "?name=Desk.png&alt=A%20desk", type: "text/plain" })
        assert.strictEqual(answer.status, 201, answer.text)
        const { color, createdAt: _, id, url, ...rest } = dataOf(answer)
        assert.deepStrictEqual(rest, {
          contentType: `image/${format}`,
          bytes: bytes.length,
          width: 8,
          height: 6,
          alt: "A desk",
          name: "Desk.png"
        })
        assert.match(String(color), /^#[0-9a-f]{6}$/)
        const served = yield* fetchBytes(url)
        assert.strictEqual(served.status, 200)
        assert.isTrue(served.bytes.equals(bytes))
        assert.strictEqual(served.headers.get("content-type"), `image/${format}`)
        assert.deepStrictEqual(dataOf(yield* client.get(`/files/${String(id)}`)), dataOf(answer))
      })
  )

  it.effect("an SVG is served as a download, without dimensions and without scripts", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const file = dataOf(yield* upload(client, SVG))
      assert.deepInclude(file, { contentType: "image/svg+xml", width: null, height: null })
      const { headers } = yield* fetchBytes(file["url"])
      assert.strictEqual(headers.get("content-disposition"), "attachment")
      assert.strictEqual(headers.get("content-security-policy"), "default-src 'none'; sandbox")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
    })
  )

  const heic = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from("ftypheic\0\0\0\0mif1heic"), Buffer.alloc(200)])
  it.effect.each([
    ["an empty file", Buffer.alloc(0), 422, "The file is empty; send its bytes"],
    ["text", Buffer.from("hello"), 415, "it is of an unknown type"],
    ["a page that contains an SVG", Buffer.from("<html><svg></svg></html>"), 415, "it is of an unknown type"],
    ["a PDF", Buffer.from("%PDF-1.7\n"), 415, "it is application/pdf"],
    ["HEIC", heic, 415, "convert the file to JPEG"],
    ["a file above 20 MiB", Buffer.alloc(20 * 1024 * 1024 + 1), 413, "must be at most 20 MiB"]
  ] as const)("%s is refused", ([, bytes, status, text]) =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const answer = yield* upload(client, bytes)
      assert.strictEqual(answer.status, status, answer.text)
      assert.include(errorOf(answer).error, text)
      assert.deepStrictEqual(yield* countFiles(storeId), { files: 0, objects: 0, used: null })
    })
  )

  it.effect("a picture whose header is cut is refused", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const answer = yield* upload(client, (yield* picture("png")).subarray(0, 20))
      assert.strictEqual(answer.status, 422)
      assert.include(errorOf(answer).error, "is damaged or incomplete")
    })
  )

  it.effect("a valid picture of 30,000 × 30,000 pixels is refused by its header, also without its pixels", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const bomb = makePng(30_000, 30_000)
      assert.isBelow(bomb.length, 200_000)
      for (const bytes of [bomb, bomb.subarray(0, 100)]) {
        const answer = yield* upload(client, bytes)
        assert.strictEqual(answer.status, 422)
        assert.include(errorOf(answer).error, "The picture has 30000 × 30000 pixels; it must have at most 50,000,000")
      }
      assert.deepStrictEqual(yield* countFiles(storeId), { files: 0, objects: 0, used: null })
      const large = dataOf(yield* upload(client, makePng(10_000, 5_000)))
      assert.deepInclude(large, { width: 10_000, height: 5_000 })
    })
  )

  it.effect("without read_files nothing is read, and without write_files nothing is changed", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const bytes = yield* picture("png")
      const path = `/files/${String(dataOf(yield* upload(client, bytes))["id"])}`
      const statuses = (scopes: Grants["scopes"]) =>
        Effect.gen(function* () {
          const { client } = yield* install(storeId, { scopes })
          const answers = [
            yield* client.get("/files"),
            yield* client.get(path),
            yield* upload(client, bytes),
            yield* client.delete(path)
          ]
          return answers.map(({ status }) => status)
        })
      assert.deepStrictEqual(yield* statuses(["write_products", "read_products"]), [403, 403, 403, 403])
      assert.deepStrictEqual(yield* statuses(["read_files"]), [200, 200, 403, 403])
      assert.deepStrictEqual(yield* statuses(["write_files"]), [403, 403, 201, 200])
    })
  )

  it.effect("a name, text or search with NUL is refused", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const form = new FormData()
      form.append("file", new Blob([SVG]), "x.svg")
      form.append("alt", "a\0b")
      for (const answer of [
        yield* upload(client, SVG, { query: "?name=a%00b" }),
        yield* upload(client, SVG, { query: "?alt=a%00b" }),
        yield* upload(client, form),
        yield* client.get("/files?search=a%00b")
      ]) {
        assert.strictEqual(answer.status, 400, answer.text)
        assert.include(answer.text, "must not contain the NUL character")
      }
    })
  )

  it.effect("a form with a name of many scripts is stored, and its URL is readable", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const form = new FormData()
      const name = 'Стол 机 Bürö "quoted" 😀.PNG'
      form.append("file", new Blob([new Uint8Array(yield* picture("png"))], { type: "image/png" }), "x.png")
      form.append("name", name)
      form.append("alt", "مكتب")
      const file = dataOf(yield* upload(client, form))
      assert.deepInclude(file, { name, alt: "مكتب" })
      assert.match(String(file["url"]), /\/media\/[0-9a-f]{64}\/stol-[a-z0-9-]+\.png$/)
      const found = filesOf(yield* client.get(`/files?search=${encodeURIComponent("СТОЛ")}`))
      assert.deepStrictEqual(found.files, [file])
      const other = new FormData()
      other.append("alt", "none")
      assert.include(errorOf(yield* upload(client, other)).error, "no file")
    })
  )

  it.effect("the SDK uploads, reads, lists and deletes files", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const sdk = createClient({ url: yield* baseUrl, tokens: client.token ?? "" })
      const bytes = new Uint8Array(yield* picture("png"))
      yield* Effect.promise(async () => {
        const created = await sdk.files.create(bytes, { name: "desk.png", alt: "Oak" }, { idempotencyKey: "one" })
        assert.include(created.data, { contentType: "image/png", name: "desk.png", alt: "Oak", bytes: bytes.length })
        const again = await sdk.files.create(
          new Blob([bytes]),
          { name: "desk.png", alt: "Oak" },
          { idempotencyKey: "one" }
        )
        assert.deepInclude(again, { data: created.data, isReplayed: true })
        const { id } = created.data
        assert.deepStrictEqual((await sdk.files.get(id)).data, created.data)
        assert.deepStrictEqual((await sdk.files.list({ search: "oak" }).page()).items, [created.data])
        assert.deepStrictEqual((await sdk.files.delete(id)).data, { id, deleted: true })
      })
    })
  )

  it.effect("lists are newest first and have pages", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const ids: Array<unknown> = []
      for (const red of [1, 2, 3]) ids.unshift(dataOf(yield* upload(client, yield* picture("png", red)))["id"])
      const first = filesOf(yield* client.get("/files?limit=2"))
      const second = filesOf(yield* client.get(`/files?limit=2&cursor=${first.nextCursor}`))
      assert.deepStrictEqual(
        [...first.files, ...second.files].map(({ id }) => id),
        ids
      )
      assert.isNull(second.nextCursor)
    })
  )

  it.effect("a repeated key returns the first response, and another file with it is refused", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const key = randomUUID()
      const bytes = yield* picture("png")
      const first = yield* upload(client, bytes, { key })
      const again = yield* upload(client, bytes, { key })
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.strictEqual((yield* upload(client, yield* picture("png", 1), { key })).status, 409)
      assert.deepInclude(yield* countFiles(storeId), { files: 1 })
    })
  )

  it.effect("a connection that is cut in the middle leaves nothing", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const bytes = yield* picture("png")
      const { host, hostname, port } = new URL(yield* baseUrl)
      yield* Effect.promise(async () => {
        const socket = createConnection(Number(port), hostname)
        await once(socket, "connect")
        socket.write(
          `POST /api/platform/v1/files HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${client.token}\r\n` +
            `idempotency-key: a\r\ncontent-length: ${bytes.length + 10}\r\n\r\n`
        )
        socket.end(bytes)
        socket.resume()
        await once(socket, "close")
      })
      assert.deepStrictEqual(yield* countFiles(storeId), { files: 0, objects: 0, used: null })
      assert.strictEqual((yield* upload(client, bytes, { key: "a" })).status, 201)
    })
  )

  it.effect("files are served in ranges, with validators, and not after their deletion", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const bytes = yield* picture("png")
      const { id, url } = dataOf(yield* upload(client, bytes))
      const range = (text: string) => fetchBytes(url, { range: `bytes=${text}` })
      for (const [text, expected] of [
        ["2-5", bytes.subarray(2, 6)],
        ["10-", bytes.subarray(10)],
        ["-4", bytes.subarray(-4)]
      ] as const) {
        const part = yield* range(text)
        assert.strictEqual(part.status, 206)
        assert.isTrue(part.bytes.equals(expected), text)
      }
      const outside = yield* range(`${bytes.length}-`)
      assert.strictEqual(outside.status, 416)
      assert.strictEqual(outside.headers.get("content-range"), `bytes */${bytes.length}`)
      const whole = yield* fetchBytes(url)
      assert.strictEqual(whole.headers.get("cache-control"), "public, max-age=31536000, immutable")
      assert.isNull(whole.headers.get("set-cookie"))
      const etag = String(whole.headers.get("etag"))
      assert.strictEqual((yield* fetchBytes(url, { "if-none-match": etag })).status, 304)

      assert.deepStrictEqual((yield* client.delete(`/files/${String(id)}`)).json, { data: { id, deleted: true } })
      assert.strictEqual((yield* fetchBytes(url)).status, 404)
      assert.strictEqual((yield* fetchBytes(`${yield* baseUrl}/media/${"a".repeat(64)}/x.png`)).status, 404)
      assert.strictEqual((yield* client.delete(`/files/${String(id)}`)).status, 404)
      assert.deepStrictEqual(yield* countFiles(storeId), { files: 0, objects: 1, used: 0 })
    })
  )
})
