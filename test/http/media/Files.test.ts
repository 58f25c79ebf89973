import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createConnection } from "node:net"
import { once } from "node:events"
import { randomUUID } from "node:crypto"
import sharp from "sharp"
import { Files } from "../../../src/domain/media/Files.ts"
import { type Answer, ApiTest, baseUrl, type Client, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"

const PLAIN = { width: 8, height: 6, channels: 3, background: { r: 200, g: 30, b: 40 } } as const
const picture = (format: "jpeg" | "png" | "webp" | "avif" | "gif", red = 200) =>
  Effect.promise(() =>
    sharp({ create: { ...PLAIN, background: { r: red, g: 30, b: 40 } } })
      .toFormat(format)
      .toBuffer()
  )

const SVG = Buffer.from('<?xml version="1.0"?>\n<!-- a -->\n<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')

/** Sends bytes, and decodes the JSON response. */
const upload = (
  client: Client,
  body: Uint8Array | FormData,
  { key = randomUUID(), query = "", type = "image/png" }: { key?: string; query?: string; type?: string } = {}
) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async (): Promise<Answer> => {
      const response = await fetch(`${base}/api/platform/v1/files${query}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${client.token}`,
          "idempotency-key": key,
          ...(body instanceof FormData ? {} : { "content-type": type })
        },
        body: body instanceof FormData ? body : new Uint8Array(body)
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
    })
  )

const fetchBytes = (url: unknown, headers: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(String(url), { headers })
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
  })

const Page = Schema.Struct({
  files: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  nextCursor: Schema.NullOr(Schema.String)
})
const pageOf = ({ json }: Answer) => Schema.decodeUnknownSync(Page)(json)

const count = (storeId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql`select
        (select count(*)::integer from files where store_id = ${storeId}) as files,
        (select count(*)::integer from media_objects where store_id = ${storeId}) as objects,
        (select used::integer from media_usage where store_id = ${storeId}) as used`,
      ([row]) => row
    )
  )

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Files", (it) => {
  it.effect.each(["jpeg", "png", "webp", "avif", "gif"] as const)(
    "a picture of type %s is stored with type and dimensions, and served byte for byte",
    (format) =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        const bytes = yield* picture(format)
        const answer = yield* upload(client, bytes, { query: "?name=Desk.png&alt=A%20desk", type: "text/plain" })
        assert.strictEqual(answer.status, 201, answer.text)
        const { createdAt: _, id, url, ...rest } = dataOf(answer)
        assert.deepStrictEqual(rest, {
          contentType: `image/${format}`,
          bytes: bytes.length,
          width: 8,
          height: 6,
          alt: "A desk",
          name: "Desk.png"
        })
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
      assert.deepStrictEqual(yield* count(storeId), { files: 0, objects: 0, used: null })
    })
  )

  it.effect("a picture whose header is cut, and one of 900 megapixels, are refused", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const png = yield* picture("png")
      assert.strictEqual((yield* upload(client, png.subarray(0, 20))).status, 422)
      const bomb = Buffer.from(png)
      bomb.writeUInt32BE(30_000, 16)
      bomb.writeUInt32BE(30_000, 20)
      const answer = yield* upload(client, bomb)
      assert.strictEqual(answer.status, 422, answer.text)
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
      const found = pageOf(yield* client.get(`/files?search=${encodeURIComponent("СТОЛ")}`))
      assert.deepStrictEqual(found.files, [file])
      const other = new FormData()
      other.append("alt", "none")
      assert.include(errorOf(yield* upload(client, other)).error, "no file")
    })
  )

  it.effect("lists are newest first and have pages", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const ids: Array<unknown> = []
      for (const red of [1, 2, 3]) ids.unshift(dataOf(yield* upload(client, yield* picture("png", red)))["id"])
      const first = pageOf(yield* client.get("/files?limit=2"))
      const second = pageOf(yield* client.get(`/files?limit=2&cursor=${first.nextCursor}`))
      assert.deepStrictEqual(
        [...first.files, ...second.files].map(({ id }) => id),
        ids
      )
      assert.isNull(second.nextCursor)
    })
  )

  it.effect("the same bytes sent in parallel are one object and count once", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const bytes = yield* picture("png")
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => upload(client, bytes)),
        { concurrency: 8 }
      )
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
      assert.strictEqual(new Set(answers.map((answer) => dataOf(answer)["url"])).size, 1)
      assert.deepStrictEqual(yield* count(storeId), { files: 8, objects: 1, used: bytes.length })
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
      assert.deepInclude(yield* count(storeId), { files: 1 })
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
      assert.deepStrictEqual(yield* count(storeId), { files: 0, objects: 0, used: null })
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
      assert.deepStrictEqual(yield* count(storeId), { files: 0, objects: 1, used: 0 })
    })
  )

  it.effect("the limit of the plan is exact under parallel uploads", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pictures = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (red) => picture("png", red))
      const size = pictures[0]?.length ?? 0
      const plan = randomUUID()
      yield* sql`insert into plans (name, product_limit, media_limit) values (${plan}, 1, ${size * 3})`
      const { client, storeId } = yield* freshClient({ plan })
      const answers = yield* Effect.forEach(pictures, (bytes) => upload(client, bytes), { concurrency: 6 })
      assert.lengthOf(
        answers.filter(({ status }) => status === 201),
        3
      )
      const refused = answers.filter(({ status }) => status === 422)
      assert.lengthOf(refused, 3)
      for (const answer of refused) assert.include(errorOf(answer).error, "delete files or upgrade the plan")
      assert.deepInclude(yield* count(storeId), { files: 3, used: size * 3 })
    })
  )

  it.effect("unused bytes are deleted after a day, and not if they are uploaded meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { purge } = yield* Files
      const { client, storeId } = yield* freshClient()
      const bytes = yield* picture("png")
      const age = sql`
        update media_objects set unused_since = now() - interval '25 hours' where store_id = ${storeId} and unused_since is not null
      `
      for (let round = 0; round < 6; round++) {
        const { id } = dataOf(yield* upload(client, bytes))
        yield* client.delete(`/files/${String(id)}`)
        yield* purge
        assert.deepInclude(yield* count(storeId), { objects: 1 })
        yield* age
        const [answer] = yield* Effect.all([upload(client, bytes), purge, purge], { concurrency: 3 })
        const served = yield* fetchBytes(dataOf(answer)["url"])
        assert.isTrue(served.bytes.equals(bytes), `round ${round}: ${served.status}`)
        yield* client.delete(`/files/${String(dataOf(answer)["id"])}`)
        yield* age
        yield* purge
        assert.deepStrictEqual(yield* count(storeId), { files: 0, objects: 0, used: 0 })
      }
    })
  )
})
