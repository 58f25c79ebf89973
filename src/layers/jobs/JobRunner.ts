import { Cause, Context, Effect, Exit, Layer, Metric, Option, Queue, Schedule, Semaphore } from "effect"
import { CurrentCell } from "../../domain/cells/Cells.ts"
import type { StoreId } from "../../domain/Store.ts"
import { jobRowsDone, jobRowsLeft, jobsDue, jobTurns, makeSeries } from "../../domain/Metrics.ts"
import { logFailure, Unavailable } from "../../domain/Unavailable.ts"
import { ChangeSetJobs } from "../changeSets/ChangeSetJobs.ts"
import { ExportJobs } from "../exports/ExportJobs.ts"
import { makeOutageRetry, PAUSE } from "../OutageRetry.ts"
import { Notifications } from "../sql/Postgres.ts"
import {
  type Job,
  JobKind,
  Jobs,
  JOBS,
  type JobWork,
  LEASE_SECONDS,
  type LeaseLost,
  LONG_KINDS,
  REMOTE_KINDS
} from "./Jobs.ts"

/** Time between claims without a notification. */
const POLL = "1 second"

/** Milliseconds after which a job gives its place to the jobs of other stores. */
const TURN_MILLIS = 2_000

/**
 * Milliseconds after which a turn no longer counts as one of the runners, and number of such turns: a large atomic set of one
 * store does not keep the jobs of others waiting.
 */
export const OverrunMillis = Context.Reference<number>("layers/jobs/OverrunMillis", { defaultValue: () => 3_000 })
const MAX_OVERRUNS = 2

/** Number of long jobs that a process runs at the same time, beside the others. */
const LONG_RUNNERS = 1

/** Number of jobs that a process runs at the same time while they wait for other hosts, beside the others. */
const REMOTE_RUNNERS = 2

/** Pause between steps, in which other requests use the processor (docs/performance.md, Import). */
const REST = "2 millis"

/** Number of faults in a row after which a job fails, and seconds until it is tried again. */
const MAX_FAILURES = 5
const RETRY_SECONDS = 1

/** Time between two measurements of the queue. */
const DEPTH_INTERVAL = "15 seconds"

const makeRunner = Effect.fn("makeJobRunner")(function* (size: number, store: StoreId | undefined) {
  const jobs = yield* Jobs
  const { listen } = yield* Notifications
  const { apply, preview } = yield* ChangeSetJobs
  const { write } = yield* ExportJobs
  const work: Record<JobKind, JobWork> = {
    "changeSet.preview": preview,
    "changeSet.apply": apply,
    "export.write": write,
    "import.copyImages": apply
  }
  const makeLane = Effect.fnUntraced(function* (kinds: ReadonlyArray<JobKind>, size: number, overruns = 0) {
    return { kinds, fibers: size + overruns, due: yield* Queue.sliding<void>(size), slots: yield* Semaphore.make(size) }
  })
  const apart = new Set([...LONG_KINDS, ...REMOTE_KINDS])
  const lanes = [
    yield* makeLane(
      JobKind.literals.filter((kind) => !apart.has(kind)),
      size,
      MAX_OVERRUNS
    ),
    yield* makeLane(LONG_KINDS, LONG_RUNNERS),
    yield* makeLane(REMOTE_KINDS, REMOTE_RUNNERS)
  ]
  const wake = () => lanes.forEach(({ due }) => Queue.offerUnsafe(due, undefined))
  const retryOutages = makeOutageRetry("Jobs")
  const context = yield* Effect.context<never>()
  const recordTurn = makeSeries(jobTurns)

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
    const start = performance.now()
    const exit = yield* Effect.exit(
      Effect.raceFirst(steps(job, performance.now() + TURN_MILLIS), heartbeat).pipe(
        Effect.onInterrupt(() => Effect.ignoreCause(jobs.release(job, 0, job.failures)))
      )
    )
    const outcome = Exit.isSuccess(exit) ? exit.value : "failed"
    recordTurn(context, (performance.now() - start) / 1000, { "job.kind": job.kind, outcome })
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

  const claimOrWait = Effect.fnUntraced(function* (
    { due, kinds }: (typeof lanes)[number],
    leaveSlot: Effect.Effect<void>
  ) {
    const job = yield* retryOutages(Effect.withTracerEnabled(jobs.claim(kinds, store), false))
    if (Option.isNone(job)) return yield* Effect.asVoid(Effect.timeoutOption(Queue.take(due), POLL))
    const overrun = Effect.sleep(yield* OverrunMillis).pipe(Effect.andThen(leaveSlot), Effect.andThen(Effect.never))
    yield* Effect.ignoreCause(Effect.raceFirst(turn(job.value), overrun), { log: "Debug" })
    // The next job of the store may be of the other lane.
    wake()
  })

  /** Claims one job in a slot of the lane. */
  const runOne = Effect.fnUntraced(function* (lane: (typeof lanes)[number]) {
    yield* lane.slots.take(1)
    let isInSlot = true
    const leaveSlot = Effect.suspend(() => {
      if (!isInSlot) return Effect.void
      isInSlot = false
      return Effect.asVoid(lane.slots.release(1))
    })
    yield* Effect.ensuring(claimOrWait(lane, leaveSlot), leaveSlot)
  })

  const cell = { cell: yield* CurrentCell }
  const gauges = {
    depth: Metric.withAttributes(jobsDue, cell),
    done: Metric.withAttributes(jobRowsDone, cell),
    left: Metric.withAttributes(jobRowsLeft, cell)
  }
  yield* retryOutages(Effect.withTracerEnabled(jobs.queue, false)).pipe(
    Effect.flatMap(({ depth, done, left }) =>
      Effect.all([
        Metric.update(gauges.depth, depth),
        Metric.update(gauges.done, done),
        Metric.update(gauges.left, left)
      ])
    ),
    Effect.repeat(Schedule.spaced(DEPTH_INTERVAL)),
    Effect.forkScoped
  )
  yield* Effect.sandbox(listen(JOBS, wake)).pipe(Effect.retry(Schedule.spaced(PAUSE)), Effect.forkScoped)
  for (const lane of lanes) {
    for (let fiber = 0; fiber < lane.fibers; fiber++) yield* Effect.forkScoped(Effect.forever(runOne(lane)))
  }
})

/**
 * Runs jobs of all stores, or of the given one, until the scope ends, unless `size` is 0. Long jobs, and jobs
 * that wait for other hosts, have lanes of their own beside the `size` runners, so that short ones do not wait for them.
 */
export const jobRunner = (size: number, store?: StoreId) =>
  Layer.effectDiscard(size === 0 ? Effect.void : makeRunner(size, store)).pipe(Layer.provide(Jobs.layer))
