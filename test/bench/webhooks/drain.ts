import { Effect, Schedule } from "effect"
import { runMigrations } from "graphile-worker"
import { begin, openTable, rounds, step } from "../output.ts"
import { vacuumAndCheckpoint } from "../database.ts"
import { cpuSeconds } from "../measure/cpu.ts"
import { medianOf } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { startWorker } from "../servers.ts"
import { now } from "./clock.ts"
import { type Setting, Started } from "./graphile.ts"
import { startHelper } from "./childProcess.ts"
import { Listening } from "./receiver.ts"
import { ALLOW_LOCAL_RECEIVER, clearQueues, insertBacklog, makeFixture, type WebhookFixture } from "./fixture.ts"
import { waitForArrivals, countFaults } from "./timing.ts"

const JOBS = "graphile_worker._private_jobs"

/** Settings of graphile-worker to try. The first is the fastest of its documentation. */
const SETTINGS: ReadonlyArray<Setting> = [
  { concurrentJobs: 24, localQueue: 500, completeJobBatchDelay: 0 },
  { concurrentJobs: 32, localQueue: 500, completeJobBatchDelay: 0 },
  { concurrentJobs: 64, localQueue: 500, completeJobBatchDelay: 0 },
  { concurrentJobs: 64, localQueue: 500, completeJobBatchDelay: 50 },
  { concurrentJobs: 128, localQueue: 1000, completeJobBatchDelay: 0 }
]

const AT_LEAST = 1

const HEADINGS = [
  "Backlog",
  "Service: deliveries/s · CPU µs each",
  "graphile-worker: jobs/s · CPU µs each",
  "Ratio of rates",
  "At least"
]

interface Drained {
  readonly perSecond: number
  /** CPU time of the worker process. */
  readonly cpuMicros: number
}

/** Running worker, with a query for the remaining work. */
interface Worker {
  readonly pid: number
  readonly left: string
}

/** Measures from the first request at the receiver until the last delivery is recorded. */
const timed = (fixture: WebhookFixture, count: number, { left, pid }: Worker) =>
  Effect.gen(function* () {
    const arrivals = yield* waitForArrivals(fixture.receiver, count, "3 minutes")
    const { duplicates, lost } = countFaults(arrivals, count)
    if (lost + duplicates > 0)
      yield* Effect.die(new Error(`Of ${count} deliveries ${lost} lost, ${duplicates} duplicates`))
    yield* Effect.promise(() => fixture.db.query<{ some: boolean }>(`select exists(${left}) as some`)).pipe(
      Effect.repeat({ while: ({ rows: [row] }) => row?.some !== false, schedule: Schedule.spaced("20 millis") })
    )
    const seconds = (now() - (arrivals.times[0] ?? 0)) / 1000
    return { perSecond: count / seconds, cpuMicros: (cpuSeconds(pid) * 1_000_000) / count } satisfies Drained
  })

const prepare = (fixture: WebhookFixture, count: number, subscribers: number) =>
  Effect.gen(function* () {
    yield* clearQueues(fixture, JOBS)
    yield* insertBacklog(fixture, count, subscribers)
    yield* fixture.receiver.ask("begin", Listening)
  })

const drainByService = (fixture: WebhookFixture, count: number, subscribers: number) =>
  Effect.gen(function* () {
    yield* prepare(fixture, count, subscribers)
    yield* vacuumAndCheckpoint(fixture.db)
    const pid = yield* startWorker(fixture.url, ALLOW_LOCAL_RECEIVER)
    return yield* timed(fixture, count, { pid, left: "select from deliveries where finished_at is null" })
  }).pipe(Effect.scoped)

/** Inserts the deliveries as jobs with all their data. */
const INSERT_JOBS = `
  select count(*) from graphile_worker.add_jobs((
    select array_agg((
      'deliver', json_build_object('id', d.event_id, 'url', w.url, 'secret', w.secret, 'body', e.payload),
      null, null, null, null, null, null
    )::graphile_worker.job_spec order by d.event_id)
    from deliveries d
    join events e on e.store_id = d.store_id and e.id = d.event_id
    join webhooks w on w.app_id = d.app_id
  ))
`

const graphile = (fixture: WebhookFixture, count: number, subscribers: number, setting: Setting) =>
  Effect.gen(function* () {
    yield* prepare(fixture, count, subscribers)
    yield* Effect.promise(async () => {
      await fixture.db.query(INSERT_JOBS)
      await fixture.db.query("truncate events, deliveries")
    })
    yield* vacuumAndCheckpoint(fixture.db)
    const { ask, pid } = yield* startHelper("graphile")
    yield* ask({ databaseUrl: fixture.url, setting }, Started)
    return yield* timed(fixture, count, { pid, left: `select from ${JOBS}` })
  }).pipe(Effect.scoped)

const formatSetting = ({ completeJobBatchDelay, concurrentJobs, localQueue }: Setting) =>
  `${concurrentJobs} jobs, localQueue ${localQueue}, batches of ${completeJobBatchDelay} ms`

/** Finds the setting that drains a fifth of the backlog fastest. */
const bestSetting = (fixture: WebhookFixture, count: number, subscribers: number) =>
  Effect.gen(function* () {
    const printRow = yield* openTable([`graphile-worker, ${count} jobs`, "Jobs/s"])
    const tried = yield* Effect.forEach(
      SETTINGS,
      Effect.fnUntraced(function* (setting) {
        yield* step(`graphile-worker, ${formatSetting(setting)}`)
        const { perSecond } = yield* graphile(fixture, count, subscribers, setting)
        yield* printRow({ cells: [formatSetting(setting), perSecond.toFixed(0)] })
        return { setting, perSecond }
      })
    )
    return tried.reduce((best, one) => (one.perSecond > best.perSecond ? one : best)).setting
  })

const cell = (rounds: ReadonlyArray<Drained>) =>
  `${medianOf(rounds.map(({ perSecond }) => perSecond)).toFixed(0)} · ${medianOf(rounds.map(({ cpuMicros }) => cpuMicros)).toFixed(0)}`

const compareWorkers = (fixture: WebhookFixture, { backlog, drainRounds }: Options, subscribers: number) =>
  Effect.gen(function* () {
    const setting = yield* bestSetting(fixture, backlog / 5, subscribers)
    yield* step("both")
    const printRow = yield* openTable(HEADINGS)
    const pairs = yield* rounds(
      drainRounds,
      Effect.fnUntraced(function* () {
        const service = yield* drainByService(fixture, backlog, subscribers)
        return { service, graphile: yield* graphile(fixture, backlog, subscribers, setting) }
      })
    )
    const serviceRounds = pairs.map(({ service }) => service)
    const graphileRounds = pairs.map(({ graphile }) => graphile)
    const ratio =
      medianOf(serviceRounds.map(({ perSecond }) => perSecond)) /
      medianOf(graphileRounds.map(({ perSecond }) => perSecond))
    yield* printRow({
      cells: [
        `${backlog.toLocaleString("en")} deliveries to ${subscribers === 1 ? "one app" : `${subscribers} apps`}`,
        cell(serviceRounds),
        `${cell(graphileRounds)} (${formatSetting(setting)})`,
        ratio.toFixed(2),
        AT_LEAST.toFixed(1)
      ],
      reached: ratio >= AT_LEAST
    })
  })

/** Compares how fast one worker process drains a backlog with graphile-worker. */
export const drain = (subscribers: number) => (server: string, options: Options) =>
  Effect.gen(function* () {
    yield* begin(subscribers === 1 ? "webhooks drain" : "webhooks spread", SETTINGS.length + 1)
    const fixture = yield* makeFixture(server, subscribers, (_, store) => store === 0)
    yield* Effect.promise(() => runMigrations({ connectionString: fixture.url }))
    yield* compareWorkers(fixture, options, subscribers)
  }).pipe(Effect.scoped)
