import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import sharp from "sharp"
import { ImageWorkers } from "../../../src/layers/media/ImageWorkers.ts"

/** A picture in a folder that is deleted with the scope. */
const picture = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "workers-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const path = join(folder, "picture.png")
  yield* Effect.promise(() =>
    sharp({ create: { width: 3000, height: 2000, channels: 3, background: "#808080" } })
      .png()
      .toFile(path)
  )
  return { folder, path }
})

/** Ids of the workers of this process. */
const workers = Effect.sync(() =>
  execFileSync("ps", ["--ppid", String(process.pid), "-o", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("imageWorker.js"))
    .map((line) => Number.parseInt(line, 10))
)

const waitForWorker = Effect.repeat(workers, { until: (ids) => ids.length > 0 })

it.live("a worker that is killed is replaced, and its picture is made", () =>
  Effect.gen(function* () {
    const { inspect, resize } = yield* ImageWorkers
    const { folder, path } = yield* picture
    const size = { path, to: join(folder, "made"), width: 2048, height: 4096, type: "image/webp" } as const
    const made = yield* Effect.forkChild(resize(size))
    for (const id of yield* waitForWorker) process.kill(id, "SIGKILL")
    assert.isAbove((yield* Fiber.join(made)).bytes, 1000)
    // An unused worker.
    for (const id of yield* workers) process.kill(id, "SIGKILL")
    assert.deepInclude(yield* inspect(path, "png"), { width: 3000, height: 2000, isOpaque: true })
  }).pipe(Effect.scoped, Effect.provide(ImageWorkers.layer))
)

it.live("a picture that ends its workers fails, and other pictures go on", () =>
  Effect.gen(function* () {
    const { inspect, resize } = yield* ImageWorkers
    const { folder, path } = yield* picture
    const hostile = yield* Effect.forkChild(
      Effect.flip(resize({ path, to: join(folder, "a"), width: 2048, height: 4096, type: "image/avif" }))
    )
    yield* Effect.forEach([1, 2], () =>
      Effect.map(waitForWorker, (ids) => {
        for (const id of ids) process.kill(id, "SIGKILL")
        return ids
      })
    )
    const failure = yield* Fiber.join(hostile)
    assert.strictEqual(failure._tag, "PictureFailed")
    assert.deepInclude(yield* inspect(path, "png"), { width: 3000 })
  }).pipe(Effect.scoped, Effect.provide(ImageWorkers.layer))
)

it.live("more pictures than may wait are refused, and interrupted ones leave no worker", () =>
  Effect.gen(function* () {
    const { inspect } = yield* ImageWorkers
    const { path } = yield* picture
    const waiting = yield* Effect.forEach(Array.from({ length: 100 }), () => Effect.forkChild(inspect(path, "png")))
    yield* waitForWorker
    assert.strictEqual((yield* Effect.flip(inspect(path, "png")))._tag, "ImagesBusy")
    yield* Effect.forEach(waiting, Fiber.interrupt)
    assert.deepInclude(yield* inspect(path, "png"), { width: 3000 })
  }).pipe(Effect.scoped, Effect.provide(ImageWorkers.layer))
)
