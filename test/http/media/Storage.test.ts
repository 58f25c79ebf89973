import { assert, layer } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Files } from "../../../src/domain/media/Files.ts"
import { ObjectKey, ObjectStorage } from "../../../src/domain/media/ObjectStorage.ts"
import { listen } from "../../../src/http/server/HttpListener.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { FileRows } from "../../../src/layers/media/FileRows.ts"
import { FilesLive } from "../../../src/layers/media/Files.ts"
import { ImageWorkers } from "../../../src/layers/media/ImageWorkers.ts"
import { ObjectStorageLive } from "../../../src/layers/media/ObjectStorage.ts"
import { Objects } from "../../../src/layers/media/Objects.ts"
import { storageFailure } from "../../../src/layers/media/StorageFailure.ts"
import { ServerLive } from "../../../src/Server.ts"
import { dataOf, errorOf, freshClient, IsolatedApiTest, TestSettings } from "../../support/http/Api.ts"
import { countFiles, fetchBytes, picture, upload } from "../../support/http/Files.ts"
import { sized, uploaded } from "../../support/http/Images.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { startS3 } from "../../support/S3.ts"

const options = { excludeTestServices: true, timeout: "120 seconds" } as const

const decodeKeys = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ key: ObjectKey })))

const withSettings = (settings: Readonly<Record<string, string>>) =>
  Layer.provide(IsolatedApiTest, Layer.succeed(TestSettings, settings))

/** The service with its files in S3, and the storage itself. */
const S3Test = Layer.unwrap(
  Effect.map(startS3, (settings) =>
    Layer.mergeAll(
      withSettings(settings),
      Layer.provide(ObjectStorageLive, ConfigProvider.layer(ConfigProvider.fromEnv({ env: settings })))
    )
  )
)

layer(S3Test, options)("Files in an S3 service", (it) => {
  it.effect("a size whose bytes are lost is made again, and a picture whose bytes are lost gets 404", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const storage = yield* ObjectStorage
      const { storeId, url } = yield* uploaded(yield* picture("png"))
      const first = yield* fetchBytes(sized(url, 64))
      assert.strictEqual(first.status, 200)
      const lose = Effect.fn(function* (table: "media_objects" | "media_sizes") {
        const rows = yield* sql`select key from ${sql(table)} where store_id = ${storeId}`
        for (const { key } of decodeKeys(rows)) yield* storage.delete(key)
      })
      yield* lose("media_sizes")
      const made = yield* Effect.all([fetchBytes(sized(url, 64)), fetchBytes(sized(url, 64), { range: "bytes=2-5" })])
      assert.deepStrictEqual(
        made.map(({ status }) => status),
        [200, 206]
      )
      assert.isTrue(made[0].bytes.equals(first.bytes))
      yield* lose("media_sizes")
      yield* lose("media_objects")
      assert.strictEqual((yield* fetchBytes(sized(url, 64))).status, 404)
      assert.strictEqual((yield* fetchBytes(url)).status, 404)
    })
  )

  it.effect("S3_* name the service in which files are stored, read in ranges and deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { purge } = yield* Files
      const { client, storeId } = yield* freshClient()
      const bytes = yield* picture("png")
      const { id, url } = dataOf(yield* upload(client, bytes))
      assert.isTrue((yield* fetchBytes(url)).bytes.equals(bytes))
      const part = yield* fetchBytes(url, { range: "bytes=2-5" })
      assert.strictEqual(part.status, 206)
      assert.isTrue(part.bytes.equals(bytes.subarray(2, 6)))

      yield* client.delete(`/files/${String(id)}`)
      yield* sql`update media_objects set unused_since = now() - interval '25 hours' where store_id = ${storeId}`
      assert.strictEqual(yield* purge, 1)
      assert.deepStrictEqual(yield* countFiles(storeId), { files: 0, objects: 0, used: 0 })
      assert.deepStrictEqual(yield* sql`select key from media_deletions`, [])
    })
  )
})

layer(withSettings({ MEDIA_URL: "https://cdn.example.com/pictures/" }), options)("MEDIA_URL", (it) => {
  it.effect("URLs of files begin with MEDIA_URL", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id, url } = dataOf(yield* upload(client, yield* picture("png"), { query: "?name=Desk" }))
      assert.match(String(url), /^https:\/\/cdn\.example\.com\/pictures\/[0-9a-f]{64}\/desk\.png$/)
      assert.strictEqual(dataOf(yield* client.get(`/files/${String(id)}`))["url"], url)
    })
  )
})

/** A disk without space. */
const FullDisk = Layer.succeed(
  ObjectStorage,
  ObjectStorage.of({
    put: () => Effect.fail(storageFailure(Object.assign(new Error("no space left on /data"), { code: "ENOSPC" }))),
    size: () => Effect.succeed(Option.none()),
    read: () => Effect.succeed(Option.none()),
    delete: () => Effect.void
  })
)

/** Fresh layers, because those of the service would be shared otherwise. */
const FilesOnFullDisk = Layer.fresh(FilesLive).pipe(
  Layer.provide(Layer.fresh(Objects.layer)),
  Layer.provide(FileRows.layer),
  Layer.provide(ImageWorkers.layer),
  Layer.provide(FullDisk)
)

const FullDiskTest = ServerLive.pipe(
  Layer.provideMerge(listen({ host: Config.succeed("127.0.0.1"), port: Config.succeed(0) })),
  Layer.provideMerge(FilesOnFullDisk),
  Layer.provideMerge(DomainLive),
  Layer.provideMerge(PostgresTest)
)

layer(FullDiskTest, options)("Files on a full disk", (it) => {
  it.effect("an upload responds with 503 and Retry-After, and leaves no file", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const key = randomUUID()
      for (let attempt = 0; attempt < 2; attempt++) {
        const answer = yield* upload(client, yield* picture("png"), { key })
        assert.strictEqual(answer.status, 503)
        assert.strictEqual(answer.headers.get("retry-after"), "1")
        assert.deepStrictEqual(errorOf(answer), {
          error: "The storage of files is full; repeat the request later, with the same Idempotency-Key"
        })
        assert.deepStrictEqual(yield* countFiles(storeId), { files: 0, objects: 1, used: 0 })
      }
      assert.deepInclude((yield* client.get("/files")).json, { files: [] })
    })
  )
})
