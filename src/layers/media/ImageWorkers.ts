import { Context, Data, Effect, Layer, Option, Pool, Schema, Semaphore } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { ImagesBusy, MAX_PIXELS } from "../../domain/media/File.ts"

/** Type in which a picture is made. */
export type MadeType = "image/avif" | "image/webp" | "image/jpeg" | "image/png"

/** Message to `imageWorker.js`. */
export type ImageJob = { readonly path: string; readonly maxPixels: number } & (
  | { readonly task: "inspect"; readonly format: string }
  | {
      readonly task: "resize"
      readonly to: string
      readonly width: number
      readonly height: number
      readonly type: MadeType
    }
)

type Size = Omit<Extract<ImageJob, { task: "resize" }>, "maxPixels" | "task">

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

/** Pictures that are processed or wait. */
const MAX_JOBS = 100

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
const decodeInspected = Schema.decodeUnknownEffect(
  Schema.Struct({
    format: Schema.String,
    width: Schema.Int,
    height: Schema.Int,
    isOpaque: Schema.Boolean,
    color: Schema.NullOr(Schema.String.check(Schema.isPattern(/^#[0-9a-f]{6}$/)))
  })
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
 * much memory or time ends only that process, which is replaced.
 *
 * Processes instead of threads or Effect's `Worker`: memory of decoders is outside of the limits of a thread, and a crash
 * of machine code ends all threads.
 */
export class ImageWorkers extends Context.Service<ImageWorkers>()("layers/media/ImageWorkers", {
  make: Effect.gen(function* () {
    const jobs = Semaphore.makeUnsafe(MAX_JOBS)
    const pool = yield* Pool.makeWithTTL({
      acquire: startWorker,
      min: 0,
      max: availableParallelism(),
      timeToLive: IDLE
    })

    const take = Effect.timeoutOrElse(Pool.get(pool), { duration: MAX_WAIT, orElse: () => new ImagesBusy() })

    /** Performs a job with a worker of the pool. Ends the worker unless it gave a result. */
    const attempt = Effect.fnUntraced(function* (job: ImageJob) {
      const worker = yield* take
      if (!isAlive(worker)) {
        yield* Pool.invalidate(pool, worker)
        return yield* new WorkerDied({ signal: IDLE_END })
      }
      return yield* perform(worker, job).pipe(
        Effect.timeoutOrElse({ duration: TIMEOUT, orElse: () => new ImagesBusy() }),
        Effect.onExit((exit) => (exit._tag === "Success" ? Effect.void : Pool.invalidate(pool, worker)))
      )
    }, Effect.scoped)

    const run = <A>(decodeResult: (result: unknown) => Effect.Effect<A, Schema.SchemaError>, job: ImageJob) =>
      attempt(job).pipe(
        // A worker that ended while it was unused costs no retry.
        Effect.retry({ while: (error) => error._tag === "WorkerDied" && error.signal === IDLE_END }),
        Effect.retry({ while: (error) => error._tag === "WorkerDied", times: RETRIES }),
        Effect.catchTag("WorkerDied", ({ signal }) => new PictureFailed({ reason: `It ended its worker (${signal})` })),
        Effect.flatMap((message) => Effect.orDie(decodeAnswer(message))),
        Effect.flatMap((answer) =>
          "error" in answer ? new PictureFailed({ reason: answer.error }) : Effect.orDie(decodeResult(answer.result))
        ),
        jobs.withPermitsIfAvailable(1),
        Effect.flatMap(Option.match({ onNone: () => new ImagesBusy(), onSome: Effect.succeed }))
      )

    return {
      /** Reads header, dominant colour and opacity of a picture. Decodes only pictures of the format within the limit. */
      inspect: Effect.fn("ImageWorkers.inspect")((path: string, format: string) =>
        run(decodeInspected, { task: "inspect", path, format, maxPixels: MAX_PIXELS })
      ),
      /** Makes a picture that fits into width and height, and returns its size in bytes. */
      resize: Effect.fn("ImageWorkers.resize")((size: Size) =>
        run(decodeResized, { task: "resize", maxPixels: MAX_PIXELS, ...size })
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
