import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Fiber, Option, Redacted, Stream } from "effect"
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ObjectKey, type ObjectStorage } from "../../../src/domain/media/ObjectStorage.ts"
import { makeFolderStorage } from "../../../src/layers/media/FolderStorage.ts"
import { makeS3Storage } from "../../../src/layers/media/S3Storage.ts"
import { startS3 } from "../../support/S3.ts"

const KEY = ObjectKey.make(`${"a".repeat(64)}-${"0".repeat(16)}`)
const BYTES = Buffer.from("0123456789")

const temporary = Effect.sync(() => mkdtempSync(join(tmpdir(), "objects-")))

const source = Effect.map(temporary, (folder) => {
  const path = join(folder, "source")
  writeFileSync(path, BYTES)
  return path
})

const readAll = (storage: ObjectStorage["Service"], range?: { first: number; last: number }) =>
  Effect.flatMap(
    storage.read(KEY, range),
    Option.match({
      onNone: () => Effect.succeed(undefined),
      onSome: (stream) => Effect.map(Stream.runCollect(stream), (chunks) => Buffer.concat([...chunks]).toString())
    })
  )

const s3At = (endpoint: string, timeout: Duration.Input = "10 seconds") =>
  makeS3Storage({
    endpoint,
    bucket: "pictures",
    region: "us-east-1",
    accessKeyId: "S3RVER",
    secretAccessKey: Redacted.make("S3RVER"),
    timeout
  })

const realS3 = Effect.map(startS3, (settings) => s3At(settings.S3_ENDPOINT))

/** A server that answers like a broken S3 service. */
const brokenS3 = (handle: RequestListener, timeout?: Duration.Input) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(handle)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    (server) => {
      const address = server.address()
      return s3At(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, timeout)
    }
  )

describe("Object storage", () => {
  for (const [name, make] of [
    ["a folder", Effect.map(temporary, (folder) => makeFolderStorage(join(folder, "media")))],
    ["an S3 service", realS3]
  ] as const) {
    it.live(`${name} stores, reads and deletes objects`, () =>
      Effect.gen(function* () {
        const storage = yield* make
        assert.deepStrictEqual(yield* storage.size(KEY), Option.none())
        assert.isUndefined(yield* readAll(storage))
        const path = yield* source
        yield* Effect.all([storage.put(KEY, path), storage.put(KEY, path)], { concurrency: 2 })
        assert.deepStrictEqual(yield* storage.size(KEY), Option.some(BYTES.length))
        assert.strictEqual(yield* readAll(storage), "0123456789")
        assert.strictEqual(yield* readAll(storage, { first: 2, last: 4 }), "234")
        yield* storage.delete(KEY)
        yield* storage.delete(KEY)
        assert.deepStrictEqual(yield* storage.size(KEY), Option.none())
      })
    )
  }

  it.live("a folder that cannot be written leaves nothing, and its object is unavailable", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      // A file in the place of the subfolder: also root cannot write below it, unlike below a read-only folder.
      writeFileSync(join(folder, "aa"), "")
      const error = yield* Effect.flip(makeFolderStorage(folder).put(KEY, yield* source))
      assert.strictEqual(error._tag, "StorageUnavailable")
      assert.deepStrictEqual(readdirSync(folder), ["aa"])
    })
  )

  it.live("an upload whose source is missing leaves no part", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      yield* Effect.flip(makeFolderStorage(folder).put(KEY, join(folder, "missing")))
      assert.deepStrictEqual(readdirSync(join(folder, "aa")), [])
    })
  )

  it.live("status 500 is retried, and a refusal is not", () =>
    Effect.gen(function* () {
      const statuses: Array<number> = []
      const answering = (...answers: ReadonlyArray<number>) =>
        brokenS3((request, response) => {
          request.resume()
          const status = answers[statuses.length] ?? 500
          statuses.push(status)
          response.writeHead(status).end()
        })
      yield* (yield* answering(500, 503, 200)).put(KEY, yield* source)
      assert.deepStrictEqual(statuses.splice(0), [500, 503, 200])
      yield* Effect.flip((yield* answering()).put(KEY, yield* source))
      assert.deepStrictEqual(statuses.splice(0), [500, 500, 500])
      yield* Effect.flip((yield* answering(403)).put(KEY, yield* source))
      assert.deepStrictEqual(statuses, [403])
    })
  )

  it.live("a service that does not answer, or stops in the middle, is unavailable", () =>
    Effect.gen(function* () {
      const silent = yield* brokenS3(() => undefined, "300 millis")
      const fiber = yield* Effect.forkChild(Effect.flip(silent.put(KEY, yield* source)))
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "StorageUnavailable")
      const stopping = yield* brokenS3((_, response) => {
        response.writeHead(200, { "content-length": 10 })
        response.write("01234")
      }, "300 millis")
      assert.strictEqual((yield* Effect.flip(readAll(stopping)))._tag, "StorageUnavailable")
    })
  )
})
