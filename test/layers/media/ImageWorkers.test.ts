import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ChildProcess } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import sharp from "sharp"
import { StoreId } from "../../../src/domain/Store.ts"
import { ImageWorkers } from "../../../src/layers/media/ImageWorkers.ts"

const STORE = StoreId.make("01890a5d-ac96-774b-bcce-b302099a8057")
const OTHER_STORE = StoreId.make("01890a5d-ac96-774b-bcce-b302099a8058")

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
  return {
    path,
    size: { path, to: join(folder, "made"), width: 640, height: 4096, type: "image/webp", pixels: 6_000_000 } as const
  }
})

/** Kills a process when it gets its job. Killed earlier, it would be replaced as one that was idle. */
const killAtJob = (worker: ChildProcess) => {
  let send = worker.send
  Object.defineProperty(worker, "send", {
    // `fork` sets the function after it has announced the process.
    set: (given: typeof send) => {
      send = given
    },
    get: () => {
      worker.kill("SIGKILL")
      return send
    }
  })
}

/** Processes that start within the scope. The first of them are killed when they get their jobs. */
const startedWorkers = Effect.fn(function* (killed: number) {
  const started: Array<ChildProcess> = []
  const onStart = (message: unknown) => {
    if (typeof message !== "object" || message === null || !("process" in message)) return
    if (!(message.process instanceof ChildProcess)) return
    const worker = message.process
    if (started.push(worker) <= killed) killAtJob(worker)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => subscribe("child_process", onStart)),
    () => Effect.sync(() => unsubscribe("child_process", onStart))
  )
  return started
})

it.live("a worker that is killed is replaced, and its picture is made", () =>
  Effect.gen(function* () {
    const { path, size } = yield* picture
    const started = yield* startedWorkers(1)
    const { inspect, resize } = yield* ImageWorkers
    assert.isAbove((yield* resize(STORE, size)).bytes, 100)
    assert.lengthOf(started, 2)
    const unused = started[1]
    assert.isTrue(unused?.kill("SIGKILL"))
    assert.deepInclude(yield* inspect(STORE, path, "png"), { width: 3000, height: 2000, isOpaque: true })
    assert.lengthOf(started, 3)
    assert.deepInclude(yield* inspect(STORE, path, "png"), { color: "#808080" })
    assert.lengthOf(started, 3)
  }).pipe(Effect.scoped, Effect.provide(ImageWorkers.layer))
)

it.live("a picture that ends two workers fails, and other pictures go on", () =>
  Effect.gen(function* () {
    const { path, size } = yield* picture
    const started = yield* startedWorkers(2)
    const { inspect, resize } = yield* ImageWorkers
    assert.strictEqual((yield* Effect.flip(resize(STORE, size)))._tag, "PictureFailed")
    assert.deepInclude(yield* inspect(STORE, path, "png"), { width: 3000 })
    assert.lengthOf(started, 3)
  }).pipe(Effect.scoped, Effect.provide(ImageWorkers.layer))
)

it.live("more than 100 pictures, 50 of a store, are refused, and pictures that are interrupted end their worker", () =>
  Effect.gen(function* () {
    const { path } = yield* picture
    const started = yield* startedWorkers(0)
    const { inspect } = yield* ImageWorkers
    const wait = (store: StoreId) =>
      Effect.forEach(Array.from({ length: 50 }), () =>
        Effect.forkChild(inspect(store, path, "png"), { startImmediately: true })
      )
    const ofStore = yield* wait(STORE)
    assert.strictEqual((yield* Effect.flip(inspect(STORE, path, "png")))._tag, "ImagesBusy")
    const waiting = [...ofStore, ...(yield* wait(OTHER_STORE))]
    const third = StoreId.make("01890a5d-ac96-774b-bcce-b302099a8059")
    assert.strictEqual((yield* Effect.flip(inspect(third, path, "png")))._tag, "ImagesBusy")
    yield* Effect.forEach(waiting, (fiber) => Fiber.interrupt(fiber), { concurrency: "unbounded" })
    for (const worker of started) {
      if (worker.exitCode === null && worker.signalCode === null) yield* Effect.promise(() => once(worker, "exit"))
    }
    assert.deepInclude(yield* inspect(STORE, path, "png"), { width: 3000 })
  }).pipe(Effect.scoped, Effect.provide(ImageWorkers.layer))
)
