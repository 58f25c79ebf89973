import { Context, Data, Effect, Layer, Pool, Schema } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { ImagesBusy, MAX_PIXELS } from "../../domain/media/File.ts"
import type { StoreId } from "../../domain/Store.ts"
import { makeShares } from "../Shares.ts"

/** Type in which a picture is made. */
export type MadeType = "image/avif" | "image/webp" | "image/jpeg" | "image/png"

/** Message to `imageWorker.js`. */
export type ImageJob = { readonly path: string; readonly maxPixels: number } & (
  | { readonly task: "measure" }
  | { readonly task: "sample" }
  | {
      readonly task: "resize"
      readonly to: string
      readonly width: number
      readonly height: number
      readonly type: MadeType
    }
)

interface Size extends Omit<Extract<ImageJob, { task: "resize" }>, "maxPixels" | "task"> {
  /** Pixels of the picture that is decoded. */
  readonly pixels: number
}

/** A picture cannot be decoded or encoded, at all or within the limits. */
export class PictureFailed extends Data.TaggedError("PictureFailed")<{ readonly reason: string }> {
  override get message() {
    return `A picture could not be processed: ${this.reason}`
  }
}

/** A worker ended before its result. */
class WorkerDied extends Data.TaggedError("WorkerDied")<{ readonly signal: string }> {}

/** Signal of a worker that ended before it got a job. */
const IDLE_END = "none"

/** Time for one picture. The worker limits its computation to less, so that only a busy machine needs more. */
const TIMEOUT = "30 seconds"

/** Pictures that are processed or wait: of all stores, and of one. */
const MAX_JOBS = 100
const MAX_JOBS_OF_STORE = MAX_JOBS / 2

/** Pixels of a picture that may take the last free worker: half a second of the slowest format, AVIF. */
const CHEAP_PIXELS = 16_000_000

/** Cost in pixels of a header, and of each picture beside its own pixels. */
const HEADER_PIXELS = 100_000

/** Time that a picture waits for a worker. */
const MAX_WAIT = "15 seconds"

/** A picture that ends its worker gets a second one, because the system can have ended the first. */
const RETRIES = 1

/** Unused workers end, because each needs about 60 MB. */
const IDLE = "1 minute"

/** Beside this file, in `src` as in the bundle. */
const SCRIPT = fileURLToPath(new URL("./imageWorker.js", import.meta.url))

const decodeAnswer = Schema.decodeUnknownEffect(
  Schema.Union([Schema.Struct({ error: Schema.String }), Schema.Struct({ result: Schema.Unknown })])
)
const decodeMeasured = Schema.decodeUnknownEffect(
  Schema.Struct({ format: Schema.String, width: Schema.Int, height: Schema.Int })
)
const decodeSampled = Schema.decodeUnknownEffect(
  Schema.Struct({ isOpaque: Schema.Boolean, color: Schema.String.check(Schema.isPattern(/^#[0-9a-f]{6}$/)) })
)
const decodeResized = Schema.decodeUnknownEffect(Schema.Struct({ bytes: Schema.Int }))

const isAlive = ({ connected, exitCode, signalCode }: ChildProcess) =>
  connected && exitCode === null && signalCode === null

/** Starts a worker. It gets no environment, because it decodes files of strangers, and no untrusted decoders. */
const startWorker = Effect.acquireRelease(
  Effect.sync(() => {
    const worker = fork(SCRIPT, {
      env: { VIPS_BLOCK_UNTRUSTED: "1" },
      execArgv: ["--max-old-space-size=128"],
      stdio: ["ignore", "ignore", "ignore", "ipc"]
    })
    // A process that cannot start also emits `exit` or refuses messages.
    worker.on("error", () => {})
    return worker
  }),
  (worker) => Effect.sync(() => worker.kill("SIGKILL"))
)

/** Sends a job and waits for its result or for the end of the worker. */
const perform = (worker: ChildProcess, job: ImageJob) =>
  Effect.callback<unknown, WorkerDied>((resume) => {
    const end = (answer: Effect.Effect<unknown, WorkerDied>) => {
      worker.off("message", onMessage)
      worker.off("exit", onExit)
      resume(answer)
    }
    const onMessage = (message: unknown) => end(Effect.succeed(message))
    const onExit = (_: unknown, signal: string | null) => end(new WorkerDied({ signal: signal ?? "exit" }))
    worker.on("message", onMessage)
    worker.on("exit", onExit)
    worker.send(job, (error) => {
      if (error !== null) end(new WorkerDied({ signal: error.message }))
    })
    // The caller ends a worker whose job is interrupted, and with it the listeners.
  })

/**
 * Decodes pictures in processes of their own, at most one for each core. A picture that crashes its process, needs too
 * much memory or time ends only that process, which is replaced. Stores share the processes by pixels.
 *
 * Processes instead of threads or Effect's `Worker`: memory of decoders is outside of the limits of a thread, and a crash
 * of machine code ends all threads.
 */
export class ImageWorkers extends Context.Service<ImageWorkers>()("layers/media/ImageWorkers", {
  make: Effect.gen(function* () {
    const slots = availableParallelism()
    const share = makeShares<StoreId, ImagesBusy>({
      slots,
      cheap: CHEAP_PIXELS,
      max: MAX_JOBS,
      maxOfOwner: MAX_JOBS_OF_STORE,
      maxWait: MAX_WAIT,
      busy: () => new ImagesBusy()
    })
    const pool = yield* Pool.makeWithTTL({ acquire: startWorker, min: 0, max: slots, timeToLive: IDLE })

    /** Performs a job with a worker of the pool. Ends the worker unless it gave a result. */
    const attempt = Effect.fnUntraced(function* (job: ImageJob) {
      const worker = yield* Pool.get(pool)
      if (!isAlive(worker)) {
        yield* Pool.invalidate(pool, worker)
        return yield* new WorkerDied({ signal: IDLE_END })
      }
      return yield* perform(worker, job).pipe(
        Effect.timeoutOrElse({ duration: TIMEOUT, orElse: () => new ImagesBusy() }),
        Effect.onExit((exit) => (exit._tag === "Success" ? Effect.void : Pool.invalidate(pool, worker)))
      )
    }, Effect.scoped)

    const run = <A>(
      decodeResult: (result: unknown) => Effect.Effect<A, Schema.SchemaError>,
      store: StoreId,
      pixels: number,
      job: ImageJob
    ) =>
      attempt(job).pipe(
        // A worker that ended while it was unused costs no retry.
        Effect.retry({ while: (error) => error._tag === "WorkerDied" && error.signal === IDLE_END }),
        Effect.retry({ while: (error) => error._tag === "WorkerDied", times: RETRIES }),
        Effect.catchTag("WorkerDied", ({ signal }) => new PictureFailed({ reason: `It ended its worker (${signal})` })),
        Effect.flatMap((message) => Effect.orDie(decodeAnswer(message))),
        Effect.flatMap((answer) =>
          "error" in answer ? new PictureFailed({ reason: answer.error }) : Effect.orDie(decodeResult(answer.result))
        ),
        (work) => share(store, HEADER_PIXELS + pixels, work)
      )

    return {
      /** Reads header, dominant colour and opacity of a picture. Decodes only pictures of the format within the limit. */
      inspect: Effect.fn("ImageWorkers.inspect")(function* (store: StoreId, path: string, format: string) {
        const job = { path, maxPixels: MAX_PIXELS }
        const measured = yield* run(decodeMeasured, store, 0, { ...job, task: "measure" })
        const pixels = measured.width * measured.height
        // The caller refuses them.
        if (measured.format !== format || pixels > MAX_PIXELS) return { ...measured, isOpaque: false, color: null }
        return { ...measured, ...(yield* run(decodeSampled, store, pixels, { ...job, task: "sample" })) }
      }),
      /** Makes a picture that fits into width and height, and returns its size in bytes. */
      resize: Effect.fn("ImageWorkers.resize")((store: StoreId, { pixels, ...size }: Size) =>
        run(decodeResized, store, pixels, { task: "resize", maxPixels: MAX_PIXELS, ...size })
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
