import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readdirSync, rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { partnerApi } from "../../src/cli/Program.ts"
import { dataOf } from "../support/http/Api.ts"
import { fetchBytes, picture, uploadTo } from "../support/http/Files.ts"
import { sized } from "../support/http/Images.ts"
import { runInProcess } from "../support/process/Cli.ts"
import {
  createTokens,
  makeMigratedDatabase,
  rowsOf,
  startNode,
  startServer,
  temporaryFolder,
  type Variables
} from "../support/process/Process.ts"
import { startS3, stoppingProxy } from "../support/S3.ts"

const Moved = Schema.fromJsonString(
  Schema.Struct({
    to: Schema.String,
    dryRun: Schema.Boolean,
    copied: Schema.Int,
    present: Schema.Int,
    deleted: Schema.Int,
    damaged: Schema.Int,
    bytes: Schema.Int
  })
)

/** A store with pictures in the folder, and an S3 service beside it. */
const scene = Effect.fn(function* (pictures: number) {
  const { client, url } = yield* makeMigratedDatabase
  const dataDir = yield* temporaryFolder
  const folder = { DATABASE_URL: url, DATA_DIR: dataDir }
  const s3 = { ...folder, ...(yield* startS3) }
  const { tokens } = yield* createTokens(url)
  const uploadPicture = (base: string, red: number) =>
    Effect.gen(function* () {
      const answer = yield* uploadTo(base, tokens[0], yield* picture("png", red))
      assert.strictEqual(answer.status, 201, answer.text)
      return new URL(String(dataOf(answer)["url"])).pathname
    })
  const server = yield* startServer(folder)
  const paths = yield* Effect.forEach(
    Array.from({ length: pictures }, (_, index) => index),
    (red) => uploadPicture(server.base, red)
  )
  const move = Effect.fn(function* (...args: ReadonlyArray<string>) {
    const { code, stderr, stdout } = yield* runInProcess(partnerApi(["files", "move", ...args, "--json"]), s3)
    return { code, stderr, ...(stdout === "" ? {} : Schema.decodeSync(Moved)(stdout)) }
  })
  /** Objects in the folder, by their hash. */
  const inFolder = () =>
    readdirSync(dataDir, { recursive: true, encoding: "utf8" }).filter((path) =>
      /[0-9a-f]{64}-[0-9a-f]{16}$/.test(path)
    )
  return { client, dataDir, folder, s3, server, paths, uploadPicture, move, inFolder }
})

const statusesAt = (base: string, paths: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(paths, (path) => fetchBytes(base + path)),
    (answers) => [...new Set(answers.map(({ status }) => status))]
  )

it.live("files move to S3 beside a running server and back, and only what is missing is copied", () =>
  Effect.gen(function* () {
    const { folder, inFolder, move, paths, s3, server, uploadPicture } = yield* scene(3)
    const size = sized(paths[0] ?? "", 64)
    assert.strictEqual((yield* fetchBytes(server.base + size)).status, 200)
    assert.deepInclude(yield* move("--to", "s3", "--dry-run"), { code: 0, dryRun: true, copied: 4, present: 0 })
    assert.deepInclude(yield* move("--to", "s3"), { code: 0, copied: 4, present: 0 })
    const late = yield* uploadPicture(server.base, 100)
    const second = yield* startServer(s3)
    assert.strictEqual((yield* fetchBytes(second.base + late)).status, 404)
    assert.deepInclude(yield* move("--to", "s3"), { code: 0, copied: 1, present: 4, deleted: 0 })
    const all = [...paths, size, late]
    assert.deepStrictEqual(yield* statusesAt(second.base, all), [200])

    assert.deepInclude(yield* move("--to", "s3", "--delete-source"), { code: 0, copied: 0, present: 5, deleted: 5 })
    assert.lengthOf(inFolder(), 0)
    assert.deepStrictEqual(yield* statusesAt(second.base, all), [200])
    const later = yield* uploadPicture(second.base, 101)
    assert.deepInclude(yield* move("--to", "folder", "--delete-source"), { code: 0, copied: 6, deleted: 6 })
    const third = yield* startServer(folder)
    assert.deepStrictEqual(yield* statusesAt(third.base, [...all, later]), [200])
    assert.deepInclude(yield* move("--to", "s3", "--dry-run"), { copied: 6, present: 0 })
  })
)

it.live("objects of files that are damaged or missing are reported, and the others move", () =>
  Effect.gen(function* () {
    const { client, dataDir, inFolder, move, paths, server } = yield* scene(5)
    yield* fetchBytes(server.base + sized(paths[3] ?? "", 64))
    const [damaged = "", missing = "", unused = "", made = ""] = paths.map((path) => path.split("/")[2])
    const fileOf = (hash: string, isSize = false) => {
      const found = inFolder().filter((path) => path.includes(hash))
      const key = isSize ? sizeKey : originals.get(hash)
      return join(dataDir, found.find((path) => path.endsWith(String(key))) ?? "none")
    }
    const originals = new Map(
      (yield* rowsOf(client, "select hash, key from media_objects")).map(({ hash, key }) => [String(hash), String(key)])
    )
    const [{ key: sizeKey } = { key: "" }] = yield* rowsOf(client, "select key from media_sizes")
    truncateSync(fileOf(damaged), 10)
    rmSync(fileOf(missing))
    rmSync(fileOf(unused))
    rmSync(fileOf(made, true))
    yield* rowsOf(client, "delete from files where hash = $1", [unused])
    yield* rowsOf(client, "update media_objects set unused_since = now(), was_used = false where hash = $1", [unused])
    const { stderr, ...result } = yield* move("--to", "s3", "--delete-source")
    assert.deepInclude(result, { code: 1, copied: 2, deleted: 2, damaged: 2 })
    assert.include(stderr, `Object ${originals.get(damaged)} of store`)
    assert.match(stderr, /is damaged\n/)
    assert.match(stderr, /is missing\n/)
    assert.lengthOf(inFolder(), 1)
  })
)

it.live("a move that is killed goes on where it stopped", () =>
  Effect.gen(function* () {
    const { folder, move, paths, s3 } = yield* scene(12)
    const proxy = yield* stoppingProxy(s3.S3_ENDPOINT, 5)
    const given: Variables = { ...s3, S3_ENDPOINT: proxy.url }
    const killed = yield* startNode("cli", ["files", "move", "--to", "s3", "--delete-source"], given)
    yield* proxy.stopped
    killed.kill("SIGKILL")
    assert.strictEqual((yield* killed.ended).signal, "SIGKILL")
    const result = yield* move("--to", "s3", "--delete-source")
    assert.strictEqual(result.code, 0)
    assert.isAtLeast(result.present ?? 0, 1)
    assert.strictEqual((result.present ?? 0) + (result.copied ?? 0), 12)
    const server = yield* startServer({ ...folder, ...s3 })
    assert.deepStrictEqual(yield* statusesAt(server.base, paths), [200])
  })
)
