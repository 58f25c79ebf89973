import { Data, Effect, Schema, type Scope } from "effect"
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { type Job, type LoadResult, JobReply } from "./job.ts"

export class LoadFailed extends Data.TaggedError("LoadFailed")<{ readonly job: Job; readonly reason: string }> {
  override get message() {
    return `${this.job.work} on port ${this.job.port}: ${this.reason}`
  }
}

export type LoadDriver = (job: Job) => Effect.Effect<LoadResult, LoadFailed>

const decode = Schema.decodeUnknownEffect(JobReply)

/** Starts the load generator as a child process until the scope ends. */
export const makeLoadDriver: Effect.Effect<LoadDriver, never, Scope.Scope> = Effect.gen(function* () {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => fork(fileURLToPath(new URL("bench.js", import.meta.url)), ["load"])),
    (process) => Effect.sync(() => process.kill("SIGKILL"))
  )
  return (job) =>
    Effect.gen(function* () {
      const answer = yield* Effect.tryPromise({
        try: (signal) => {
          const message = once(child, "message", { signal })
          child.send(job)
          return message
        },
        catch: (problem) => new LoadFailed({ job, reason: String(problem) })
      })
      const report = yield* Effect.orDie(decode(answer[0]))
      return "failure" in report ? yield* new LoadFailed({ job, reason: report.failure }) : report
    })
})
