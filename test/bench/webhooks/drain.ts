import { Effect, Schedule } from "effect"
import { runMigrations } from "graphile-worker"
import { say } from "../arena.ts"
import { settle } from "../cluster.ts"
import { cpuSeconds } from "../cpu.ts"
import { middle } from "../measure.ts"
import type { Options } from "../options.ts"
import { type Line, table } from "../report.ts"
import { startWorker } from "../servers.ts"
import { now } from "./clock.ts"
import { type Setting, Started } from "./graphile.ts"
import { startHelper } from "./helper.ts"
import { Begun } from "./receiver.ts"
import { ALLOWED, clear, insertBacklog, openScene, type Scene } from "./scene.ts"
import { arrived, tally } from "./timing.ts"

const JOBS = "graphile_worker._private_jobs"

/** What is tried for graphile-worker before it counts; its documentation's fastest first. */
const SETTINGS: ReadonlyArray<Setting> = [
  { concurrentJobs: 24, localQueue: 500, completeJobBatchDelay: 0 },
  { concurrentJobs: 32, localQueue: 500, completeJobBatchDelay: 0 },
  { concurrentJobs: 64, localQueue: 500, completeJobBatchDelay: 0 },
  { concurrentJobs: 64, localQueue: 500, completeJobBatchDelay: 50 },
  { concurrentJobs: 128, localQueue: 1000, completeJobBatchDelay: 0 }
]

const ROUNDS = 3
const AT_LEAST = 1

const HEADINGS = [
  "Work",
  "Ours: deliveries/s · CPU µs each",
  "graphile-worker: jobs/s · CPU µs each",
  "Ratio of rates",
  "At least"
]

interface Drained {
  readonly perSecond: number
  /** Of the worker's process alone. */
  readonly cpuMicros: number
}

/** A worker at work on what waits, and the question whether anything is left. */
interface Worker {
  readonly pid: number
  readonly left: string
}

/** From the first request at the receiver until nothing is left to be done, the last one written down too. */
const timed = (scene: Scene, count: number, { left, pid }: Worker) =>
  Effect.gen(function* () {
    const arrivals = yield* arrived(scene.receiver, count, "3 minutes")
    const { doubled, lost } = tally(arrivals, count)
    if (lost + doubled > 0) yield* Effect.die(new Error(`Of ${count} deliveries ${lost} lost, ${doubled} doubled`))
    yield* Effect.promise(() => scene.db.query<{ some: boolean }>(`select exists(${left}) as some`)).pipe(
      Effect.repeat({ while: ({ rows: [row] }) => row?.some !== false, schedule: Schedule.spaced("20 millis") })
    )
    const seconds = (now() - (arrivals.times[0] ?? 0)) / 1000
    return { perSecond: count / seconds, cpuMicros: (cpuSeconds(pid) * 1_000_000) / count } satisfies Drained
  })

const prepare = (scene: Scene, count: number, subscribers: number) =>
  Effect.gen(function* () {
    yield* clear(scene, JOBS)
    yield* insertBacklog(scene, count, subscribers)
    yield* scene.receiver.ask("begin", Begun)
  })

const ours = (scene: Scene, count: number, subscribers: number) =>
  Effect.gen(function* () {
    yield* prepare(scene, count, subscribers)
    yield* settle(scene.db)
    const pid = yield* startWorker(scene.url, ALLOWED)
    return yield* timed(scene, count, { pid, left: "select from deliveries where finished_at is null" })
  }).pipe(Effect.scoped)

/** The very deliveries as jobs, each with all that it needs. */
const AS_JOBS = `
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

const graphile = (scene: Scene, count: number, subscribers: number, setting: Setting) =>
  Effect.gen(function* () {
    yield* prepare(scene, count, subscribers)
    yield* Effect.promise(async () => {
      await scene.db.query(AS_JOBS)
      await scene.db.query("truncate events, deliveries")
    })
    yield* settle(scene.db)
    const { ask, pid } = yield* startHelper("graphile")
    yield* ask({ databaseUrl: scene.url, setting }, Started)
    return yield* timed(scene, count, { pid, left: `select from ${JOBS}` })
  }).pipe(Effect.scoped)

const named = ({ completeJobBatchDelay, concurrentJobs, localQueue }: Setting) =>
  `${concurrentJobs} jobs, localQueue ${localQueue}, batches of ${completeJobBatchDelay} ms`

/** The setting that drained a fifth of the backlog fastest. */
const bestSetting = (scene: Scene, count: number, subscribers: number) =>
  Effect.gen(function* () {
    const tried = yield* Effect.forEach(SETTINGS, (setting) =>
      Effect.map(graphile(scene, count, subscribers, setting), ({ perSecond }) => ({ setting, perSecond }))
    )
    const rates = tried.map(({ perSecond, setting }) => `${named(setting)}: ${perSecond.toFixed(0)}`).join("; ")
    yield* say(`graphile-worker, jobs/s by setting, ${count} jobs: ${rates}.`)
    return tried.reduce((best, one) => (one.perSecond > best.perSecond ? one : best)).setting
  })

const cell = (rounds: ReadonlyArray<Drained>) =>
  `${middle(rounds.map(({ perSecond }) => perSecond)).toFixed(0)} · ${middle(rounds.map(({ cpuMicros }) => cpuMicros)).toFixed(0)}`

const compete = (scene: Scene, backlog: number, subscribers: number) =>
  Effect.gen(function* () {
    const setting = yield* bestSetting(scene, backlog / 5, subscribers)
    const mine: Array<Drained> = []
    const theirs: Array<Drained> = []
    for (let round = 0; round < ROUNDS; round++) {
      mine.push(yield* ours(scene, backlog, subscribers))
      theirs.push(yield* graphile(scene, backlog, subscribers, setting))
    }
    const ratio = middle(mine.map(({ perSecond }) => perSecond)) / middle(theirs.map(({ perSecond }) => perSecond))
    const line: Line = {
      cells: [
        `${backlog.toLocaleString("en")} deliveries to ${subscribers === 1 ? "one app" : `${subscribers} apps`}`,
        cell(mine),
        `${cell(theirs)} (${named(setting)})`,
        ratio.toFixed(2),
        AT_LEAST.toFixed(1)
      ],
      reached: ratio >= AT_LEAST
    }
    return line
  })

/** A backlog that one worker process empties to a fast receiver, beside graphile-worker on the same server. */
export const drain =
  (subscribers: number) =>
  (server: string, { backlog }: Options) =>
    Effect.gen(function* () {
      const scene = yield* openScene(server, subscribers, (_, store) => store === 0)
      yield* Effect.promise(() => runMigrations({ connectionString: scene.url }))
      const line = yield* compete(scene, backlog, subscribers)
      yield* say(`\n${table(HEADINGS, [line])}\n`)
      return line.reached
    }).pipe(Effect.scoped)
