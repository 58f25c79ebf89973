import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { deflateSync, crc32 } from "node:zlib"
import sharp, { type Sharp } from "sharp"
import { Files } from "../../../src/domain/media/Files.ts"
import { ApiTest, baseUrl, type Client, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"

const BROWSER = "image/avif,image/webp,image/apng,image/*,*/*;q=0.8"

/** A picture that is red on the left and blue on the right. */
const halves = (width = 800, height = 400) =>
  sharp({ create: { width, height, channels: 3, background: "#c81e28" } }).composite([
    { input: { create: { width: width / 4, height, channels: 3, background: "#1e28c8" } }, gravity: "east" }
  ])

const toBuffer = (picture: Sharp) => Effect.promise(() => picture.toBuffer())

const upload = (client: Client, body: Uint8Array) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/api/platform/v1/files?name=desk`, {
        method: "POST",
        headers: { authorization: `Bearer ${client.token}`, "idempotency-key": randomUUID() },
        body: new Uint8Array(body)
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
    })
  )

const uploaded = Effect.fn(function* (picture: Uint8Array) {
  const { client, storeId } = yield* freshClient()
  const answer = yield* upload(client, picture)
  assert.strictEqual(answer.status, 201, answer.text)
  return { client, storeId, file: dataOf(answer), url: String(dataOf(answer)["url"]) }
})

/** URL of a width: the width is the last segment but one. */
const sized = (url: string, width: number | string) => url.replace(/\/([^/]+)$/, `/${width}/$1`)

const fetchBytes = (url: string, headers: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, { headers })
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
  })

const metadataOf = (bytes: Buffer) => Effect.promise(() => sharp(bytes).metadata())

/** Makes a chunk of a PNG, with its checksum. */
const chunk = (type: string, data: Uint8Array) => {
  const body = Buffer.concat([Buffer.from(type), data])
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([size, body, sum])
}

/** A valid PNG of black pixels, one bit each. */
const blackPng = (width: number, height: number) => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const pixels = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height), { level: 9 })
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0))
  ])
}

const sizesOf = (storeId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      select width, content_type as type, bytes from media_sizes where store_id = ${storeId} order by width, content_type
    `
  )

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Sizes of pictures", (it) => {
  it.effect.each([
    [BROWSER, "image/avif", "heif"],
    ["image/webp,*/*", "image/webp", "webp"],
    ["image/avif;q=0, IMAGE/WEBP;q=0.5", "image/webp", "webp"],
    ["image/*,*/*", "image/jpeg", "jpeg"],
    ["", "image/jpeg", "jpeg"]
  ] as const)("with Accept %s, a picture is %s", ([accept, type, format]) =>
    Effect.gen(function* () {
      const { url } = yield* uploaded(yield* toBuffer(halves().jpeg()))
      const { bytes, headers, status } = yield* fetchBytes(sized(url, 320), { accept })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), type)
      assert.strictEqual(headers.get("vary")?.toLowerCase(), "accept")
      assert.strictEqual(headers.get("cache-control"), "public, max-age=31536000, immutable")
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(headers.get("content-security-policy"), "default-src 'none'; sandbox")
      assert.strictEqual(headers.get("content-length"), String(bytes.length))
      assert.deepInclude(yield* metadataOf(bytes), { format, width: 320, height: 160 })
    })
  )

  it.effect("a transparent picture stays transparent", () =>
    Effect.gen(function* () {
      const png = sharp({
        create: { width: 400, height: 400, channels: 4, background: { r: 0, g: 90, b: 0, alpha: 0.3 } }
      })
      const { url } = yield* uploaded(yield* toBuffer(png.png()))
      for (const accept of ["*/*", "image/webp", BROWSER]) {
        const { bytes } = yield* fetchBytes(sized(url, 160), { accept })
        assert.isTrue((yield* metadataOf(bytes)).hasAlpha, accept)
      }
    })
  )

  it.effect("orientation is applied, and metadata with places is removed", () =>
    Effect.gen(function* () {
      const exif = { IFD0: { Copyright: "Somebody" }, IFD3: { GPSLatitudeRef: "N", GPSLatitude: "52/1 30/1 0/1" } }
      const original = yield* toBuffer(halves().withExif(exif).withMetadata({ orientation: 6 }).jpeg())
      assert.isDefined((yield* metadataOf(original)).exif)
      const { file, url } = yield* uploaded(original)
      assert.deepInclude(file, { width: 400, height: 800 })
      for (const accept of [BROWSER, "image/webp", "*/*"]) {
        const { bytes } = yield* fetchBytes(sized(url, 160), { accept })
        const { exif: left, height, orientation, width, xmp } = yield* metadataOf(bytes)
        assert.deepStrictEqual(
          { left, xmp, width, height },
          { left: undefined, xmp: undefined, width: 160, height: 320 }
        )
        assert.include([undefined, 1], orientation)
        // The blue right end of the stored pixels is at the bottom.
        const { data } = yield* Effect.promise(() =>
          sharp(bytes)
            .extract({ left: 80, top: 310, width: 1, height: 1 })
            .removeAlpha()
            .raw()
            .toBuffer({ resolveWithObject: true })
        )
        assert.isAbove(data[2] ?? 0, data[0] ?? 255)
      }
      assert.isTrue((yield* fetchBytes(url)).bytes.equals(original))
    })
  )

  it.effect("a file has its dominant colour", () =>
    Effect.gen(function* () {
      const { file } = yield* uploaded(yield* toBuffer(halves().png()))
      assert.match(String(file["color"]), /^#c[0-9a-f][12][0-9a-f]2[0-9a-f]$/)
      const svg = yield* uploaded(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
      assert.isNull(svg.file["color"])
    })
  )

  it.effect("other widths do not exist, nor do unknown hashes", () =>
    Effect.gen(function* () {
      const { storeId, url } = yield* uploaded(yield* toBuffer(halves().jpeg()))
      for (const width of ["100", "0320", "320.0", "-320", "99999999999"]) {
        assert.strictEqual((yield* fetchBytes(sized(url, width))).status, 404, width)
      }
      assert.strictEqual((yield* fetchBytes(`${yield* baseUrl}/media/${"a".repeat(64)}/320/x.jpg`)).status, 404)
      assert.lengthOf(yield* sizesOf(storeId), 0)
    })
  )

  it.effect("a picture is not enlarged, and all larger widths are one size", () =>
    Effect.gen(function* () {
      const { storeId, url } = yield* uploaded(yield* toBuffer(halves(200, 100).jpeg()))
      for (const width of [320, 640, 2048]) {
        const { bytes } = yield* fetchBytes(sized(url, width), { accept: "image/webp" })
        assert.deepInclude(yield* metadataOf(bytes), { width: 200, height: 100 })
      }
      assert.lengthOf(yield* sizesOf(storeId), 1)
    })
  )

  it.effect("each variant has its own ETag, and is served in ranges", () =>
    Effect.gen(function* () {
      const { url } = yield* uploaded(yield* toBuffer(halves().jpeg()))
      const variants = yield* Effect.forEach(
        [
          [url, "*/*"],
          [sized(url, 64), "*/*"],
          [sized(url, 64), BROWSER],
          [sized(url, 160), BROWSER]
        ] as const,
        ([path, accept]) => fetchBytes(path, { accept })
      )
      const tags = variants.map(({ headers }) => String(headers.get("etag")))
      assert.strictEqual(new Set(tags).size, 4)
      const unchanged = yield* fetchBytes(sized(url, 160), { accept: BROWSER, "if-none-match": String(tags[3]) })
      assert.strictEqual(unchanged.status, 304)
      const part = yield* fetchBytes(sized(url, 160), { accept: BROWSER, range: "bytes=2-5" })
      assert.strictEqual(part.status, 206)
      assert.isTrue(part.bytes.equals(Buffer.from(variants[3]?.bytes.subarray(2, 6) ?? [])))
    })
  )

  it.effect("GIF and SVG are served as they are, SVG as a download", () =>
    Effect.gen(function* () {
      const gif = yield* toBuffer(halves().gif())
      const { url } = yield* uploaded(gif)
      const served = yield* fetchBytes(sized(url, 160), { accept: BROWSER })
      assert.strictEqual(served.headers.get("content-type"), "image/gif")
      assert.isTrue(served.bytes.equals(gif))
      const svg = yield* uploaded(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
      const { headers } = yield* fetchBytes(sized(svg.url, 160), { accept: BROWSER })
      assert.strictEqual(headers.get("content-type"), "image/svg+xml")
      assert.strictEqual(headers.get("content-disposition"), "attachment")
    })
  )

  it.effect("the first frame of an animated picture is made", () =>
    Effect.gen(function* () {
      const frames = yield* Effect.forEach([1, 2, 3], () => toBuffer(halves().png()))
      const animated = yield* toBuffer(sharp(frames, { join: { animated: true } }).webp())
      assert.strictEqual((yield* metadataOf(animated)).pages, 3)
      const { file, url } = yield* uploaded(animated)
      assert.deepInclude(file, { width: 800, height: 400 })
      const { bytes } = yield* fetchBytes(sized(url, 160), { accept: "image/webp" })
      assert.deepInclude(yield* metadataOf(bytes), { width: 160, height: 80, pages: undefined })
    })
  )

  it.effect("100 requests at the same time make a size once", () =>
    Effect.gen(function* () {
      const { storeId, url } = yield* uploaded(yield* toBuffer(halves(1600, 1200).jpeg()))
      const sql = yield* SqlClient.SqlClient
      const answers = yield* Effect.all(
        Array.from({ length: 100 }, () => fetchBytes(sized(url, 640), { accept: "image/webp" })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      for (const { bytes } of answers) assert.isTrue(bytes.equals(answers[0]?.bytes ?? Buffer.alloc(0)))
      assert.deepStrictEqual(yield* sizesOf(storeId), [
        { width: 640, type: "image/webp", bytes: answers[0]?.bytes.length }
      ])
      // Each attempt to make a size updates its row once after its insertion.
      const [row] = yield* sql`select used::integer, stored::integer from media_usage where store_id = ${storeId}`
      assert.strictEqual(row?.["used"], row?.["stored"])
    })
  )

  it.effect("pictures that are incomplete, too large or of two types are refused", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const format of ["jpeg", "png", "webp"] as const) {
        const whole = yield* toBuffer(halves().toFormat(format))
        const answer = yield* upload(client, whole.subarray(0, Math.floor(whole.length * 0.7)))
        assert.strictEqual(answer.status, 422, format)
        assert.include(errorOf(answer).error, "damaged or incomplete")
      }
      const bomb = blackPng(30_000, 30_000)
      assert.isBelow(bomb.length, 200_000)
      const refused = yield* upload(client, bomb)
      assert.strictEqual(refused.status, 422)
      assert.include(errorOf(refused).error, "30000 × 30000")
      assert.strictEqual((yield* upload(client, blackPng(7000, 7000))).status, 201)
      // A header of JPEG, then a whole PNG.
      const png = yield* toBuffer(halves().png())
      const mixed = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), png])
      assert.strictEqual((yield* upload(client, mixed)).status, 422)
    })
  )

  it.effect("script behind the pixels of a picture is in no size", () =>
    Effect.gen(function* () {
      const script = "<script>alert(1)</script>"
      const { url } = yield* uploaded(Buffer.concat([yield* toBuffer(halves().jpeg()), Buffer.from(script)]))
      const original = yield* fetchBytes(url)
      assert.strictEqual(original.headers.get("content-type"), "image/jpeg")
      assert.strictEqual(original.headers.get("x-content-type-options"), "nosniff")
      assert.notInclude((yield* fetchBytes(sized(url, 160))).bytes.toString("latin1"), script)
    })
  )

  it.effect("a picture that cannot be made is served as it is for a minute, and is not tried for an hour", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const original = yield* toBuffer(halves().jpeg())
      const { storeId, url } = yield* uploaded(original)
      yield* sql`
        insert into media_sizes (store_id, hash, width, content_type, key, failed_at)
        select store_id, hash, 160, 'image/webp', key, now() from media_objects where store_id = ${storeId}
      `
      const served = yield* fetchBytes(sized(url, 160), { accept: "image/webp" })
      assert.isTrue(served.bytes.equals(original))
      assert.strictEqual(served.headers.get("cache-control"), "public, max-age=60")
      yield* sql`update media_sizes set failed_at = now() - interval '2 hours' where store_id = ${storeId}`
      const made = yield* fetchBytes(sized(url, 160), { accept: "image/webp" })
      assert.strictEqual(made.headers.get("content-type"), "image/webp")
    })
  )

  it.effect("sizes are deleted with their picture and do not count as usage", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { purge } = yield* Files
      const { client, file, storeId, url } = yield* uploaded(yield* toBuffer(halves().jpeg()))
      yield* fetchBytes(sized(url, 160))
      const keys = yield* sql`select key from media_sizes where store_id = ${storeId}`
      assert.lengthOf(keys, 1)
      const [usage] = yield* sql`select used::integer, stored::integer from media_usage where store_id = ${storeId}`
      assert.deepStrictEqual(usage, { used: file["bytes"], stored: file["bytes"] })
      yield* client.delete(`/files/${String(file["id"])}`)
      assert.strictEqual((yield* fetchBytes(sized(url, 160))).status, 404)
      yield* sql`update media_objects set unused_since = now() - interval '25 hours' where store_id = ${storeId}`
      yield* purge
      assert.lengthOf(yield* sizesOf(storeId), 0)
      assert.lengthOf(yield* sql`select from media_deletions where key = ${keys[0]?.["key"]}`, 0)
    })
  )
})
