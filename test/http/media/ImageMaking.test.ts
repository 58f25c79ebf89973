import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Files } from "../../../src/domain/media/Files.ts"
import { Images } from "../../../src/domain/media/Images.ts"
import { ObjectStorage } from "../../../src/domain/media/ObjectStorage.ts"
import { ImagesLive } from "../../../src/layers/media/Images.ts"
import { ImageWorkers } from "../../../src/layers/media/ImageWorkers.ts"
import { ApiTest, errorOf, freshClient } from "../../support/http/Api.ts"
import { fetchBytes, makePng, upload } from "../../support/http/Files.ts"
import { halves, sized, sizesOf, toBuffer, uploaded } from "../../support/http/Images.ts"

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Making sizes of pictures", (it) => {
  it.effect("100 requests at the same time make a size once", () =>
    Effect.gen(function* () {
      const { storeId, url } = yield* uploaded(yield* toBuffer(halves(1600, 1200).jpeg()))
      const answers = yield* Effect.all(
        Array.from({ length: 100 }, () => fetchBytes(sized(url, 640), { accept: "image/webp" })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      for (const { bytes } of answers) assert.isTrue(bytes.equals(answers[0]?.bytes ?? Buffer.alloc(0)))
      assert.deepStrictEqual(yield* sizesOf(storeId), [
        { width: 640, type: "image/webp", bytes: answers[0]?.bytes.length }
      ])
    })
  )

  it.effect("a size is made once for requests that wait for it, and for a client that leaves", () =>
    Effect.gen(function* () {
      const original = yield* toBuffer(halves().jpeg())
      const { url } = yield* uploaded(original)
      const [, hash = ""] = /media\/([0-9a-f]+)/.exec(url) ?? []
      let made = 0
      const counting = Layer.effect(
        ImageWorkers,
        Effect.map(ImageWorkers.make, ({ inspect, resize }) =>
          ImageWorkers.of({
            inspect,
            resize: (store, size) => Effect.suspend(() => ((made += 1), resize(store, size)))
          })
        )
      )
      const storage = Layer.succeed(
        ObjectStorage,
        ObjectStorage.of({
          put: () => Effect.void,
          size: () => Effect.succeed(Option.some(original.length)),
          read: () => Effect.succeed(Option.some(Stream.make(new Uint8Array(original)))),
          delete: () => Effect.void
        })
      )
      const context = yield* Layer.build(ImagesLive.pipe(Layer.provide(Layer.mergeAll(counting, storage))))
      const serve = Context.get(context, Images).serve(hash, 64, new Set(["image/webp"] as const))
      const leaving = yield* Effect.forkChild(serve)
      yield* Effect.repeat(
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => made)
        ),
        { until: (count) => count === 1 }
      )
      yield* Fiber.interrupt(leaving)
      const served = yield* Effect.all(
        Array.from({ length: 50 }, () => serve),
        { concurrency: "unbounded" }
      )
      for (const image of served) assert.strictEqual(Option.getOrThrow(image).variant, "64.webp")
      assert.strictEqual(made, 1)
    }).pipe(Effect.scoped)
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
      const bomb = makePng(30_000, 30_000)
      assert.isBelow(bomb.length, 200_000)
      const refused = yield* upload(client, bomb)
      assert.strictEqual(refused.status, 422)
      assert.include(errorOf(refused).error, "30000 × 30000")
      assert.strictEqual((yield* upload(client, makePng(7000, 7000))).status, 201)
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
