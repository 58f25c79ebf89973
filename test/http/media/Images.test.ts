import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { fetchBytes } from "../../support/http/Files.ts"
import { BROWSER, halves, metadataOf, sized, sizesOf, toBuffer, uploaded } from "../../support/http/Images.ts"

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
      assert.strictEqual(file["color"], "#c81e28")
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
      const frames = yield* Effect.forEach([0.2, 1, 2], (brightness) =>
        toBuffer(halves().modulate({ brightness }).png())
      )
      const animated = yield* toBuffer(sharp(frames, { join: { animated: true } }).webp())
      assert.strictEqual((yield* metadataOf(animated)).pages, 3)
      const { file, url } = yield* uploaded(animated)
      assert.deepInclude(file, { width: 800, height: 400 })
      const { bytes } = yield* fetchBytes(sized(url, 160), { accept: "image/webp" })
      const { height, pages, width } = yield* metadataOf(bytes)
      assert.deepStrictEqual({ width, height, pages }, { width: 160, height: 80, pages: undefined })
    })
  )
})
