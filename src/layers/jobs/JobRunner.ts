import { Cause, Effect, Layer, Option, Queue, Schedule } from "effect"
import type { StoreId } from "../../domain/Store.ts"
import { logFailure, Unavailable } from "../../domain/Unavailable.ts"
import { ChangeSetJobs } from "../changeSets/ChangeSetJobs.ts"
import { ExportJobs } from "../exports/ExportJobs.ts"
import { makeOutageRetry, PAUSE } from "../OutageRetry.ts"
import { Notifications } from "../sql/Postgres.ts"
import { type Job, type JobKind, Jobs, JOBS, type JobWork, LEASE_SECONDS, type LeaseLost } from "./Jobs.ts"

/** Time between claims without a notification. */
const POLL = "1 second"

/** Milliseconds after which a job gives its place to the jobs of other stores. */
const TURN_MILLIS = 2_000

/** Pause between steps, in which other requests use the processor (docs/performance.md, Import). */
const REST = "2 millis"

/** Number of faults in a row after which a job fails, and seconds until it is tried again. */
const MAX_FAILURES = 5
const RETRY_SECONDS = 1

const makeRunner = Effect.fn("makeJobRunner")(function* (size: number, store: StoreId | undefined) {
  const jobs = yield* Jobs
  const { listen } = yield* Notifications
  const { apply, preview } = yield* ChangeSetJobs
  const { write } = yield* ExportJobs
  const work: Record<JobKind, JobWork> = {
    "changeSet.preview": preview,
    "changeSet.apply": apply,
    "export.write": write
  }
  const due = yield* Queue.sliding<void>(size)
  const retryOutages = makeOutageRetry("Jobs")

  const steps = (job: Job, until: number): Effect.Effect<"more" | "finished", LeaseLost> =>
    work[job.kind]
      .step(job)
      .pipe(
        Effect.tap(Effect.sleep(REST)),
        Effect.repeat({ until: (left) => left === "finished" || performance.now() > until })
      )

  /** Runs one turn of a job. An outage or a stop of the process returns it to the queue. */
  const turn = Effect.fn("Jobs.turn")(function* (job: Job) {
    const heartbeat = Effect.forever(
      Effect.andThen(Effect.sleep(`${LEASE_SECONDS / 3} seconds`), Effect.ignoreCause(jobs.renew(job)))
    )
    const exit = yield* Effect.exit(
      Effect.raceFirst(steps(job, performance.now() + TURN_MILLIS), heartbeat).pipe(
        Effect.onInterrupt(() => Effect.ignoreCause(jobs.release(job, 0, job.failures)))
      )
    )
    if (exit._tag === "Success") return exit.value === "more" ? yield* jobs.release(job, 0, 0) : undefined
    const { cause } = exit
    // Another runner owns the job, or this process stops.
    if (Cause.hasFails(cause) || Cause.hasInterruptsOnly(cause)) return
    const isOutage = Cause.squash(cause) instanceof Unavailable
    const failures = isOutage ? job.failures : job.failures + 1
    yield* logFailure(`A job of kind ${job.kind} on ${job.subjectId} failed`, cause)
    if (failures < MAX_FAILURES) return yield* jobs.release(job, RETRY_SECONDS, failures)
    yield* Effect.ignore(work[job.kind].fail(job))
  })

  const claimOrWait = Effect.gen(function* () {
    const job = yield* retryOutages(jobs.claim(store))
    if (Option.isSome(job)) return yield* Effect.ignoreCause(turn(job.value), { log: "Debug" })
    yield* Effect.timeoutOption(Queue.take(due), POLL)
  })

  yield* Effect.sandbox(listen(JOBS, () => void Queue.offerUnsafe(due, undefined))).pipe(
    Effect.retry(Schedule.spaced(PAUSE)),
    Effect.forkScoped
  )
  for (let runner = 0; runner < size; runner++) yield* Effect.forkScoped(Effect.forever(claimOrWait))
})

/** Runs jobs of all stores, or of the given one, until the scope ends, unless `size` is 0. */
export const jobRunner = (size: number, store?: StoreId) =>
  Layer.effectDiscard(size === 0 ? Effect.void : makeRunner(size, store)).pipe(Layer.provide(Jobs.layer))
