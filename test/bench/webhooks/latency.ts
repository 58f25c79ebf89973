import { Effect } from "effect"
import { begin, type Line, openTable, step } from "../output.ts"
import type { Options } from "../options.ts"
import { SERVICE, startServer, startWorker } from "../servers.ts"
import { startHelper } from "./childProcess.ts"
import { Listening } from "./receiver.ts"
import { ALLOW_LOCAL_RECEIVER, clearQueues, makeFixture, type WebhookFixture } from "./fixture.ts"
import { waitForArrivals, quantile, countFaults, measureDelays } from "./timing.ts"
import { WriteResult } from "./writer.ts"

const PER_SECOND = 200
const SUBSCRIBERS = 5

/** Seconds of warm-up writes. */
const WARM_UP = 4

const TARGETS = { p50: 50, p99: 250 }

const WORKER_SETUPS = {
  "The worker inside the server": { server: ALLOW_LOCAL_RECEIVER, worker: false },
  "WEBHOOK_WORKERS=0 and `worker` beside it": { server: { WEBHOOK_WORKERS: "0" }, worker: true }
}

type WorkerSetup = (typeof WORKER_SETUPS)[keyof typeof WORKER_SETUPS]

const HEADINGS = [
  "Events/s to 5 subscribers each",
  "Deliveries/s",
  "p50 ms",
  "p99 ms",
  "Since the write was due: p50 · p99 ms",
  "Lost",
  "Doubled",
  "Target"
]

const measure = (fixture: WebhookFixture, title: string, setup: WorkerSetup, seconds: number) =>
  Effect.gen(function* () {
    yield* clearQueues(fixture)
    yield* fixture.receiver.ask("begin", Listening)
    const { port } = yield* startServer(SERVICE, fixture.url, setup.server)
    if (setup.worker) yield* startWorker(fixture.url, ALLOW_LOCAL_RECEIVER)
    const writer = yield* startHelper("write")
    const order = { port, perSecond: PER_SECOND, seconds: WARM_UP + seconds }
    const written = yield* writer.ask(order, WriteResult)
    const expected = written.products.length * SUBSCRIBERS
    const arrivals = yield* waitForArrivals(fixture.receiver, expected)
    const { duplicates, lost } = countFaults(arrivals, expected)
    const counted = yield* measureDelays(fixture, written, arrivals, WARM_UP * 1000)
    const sinceAnswer = counted.map((wait) => wait.sinceAnswer)
    const sinceDue = counted.map((wait) => wait.sinceDue)
    const [p50, p99] = [quantile(sinceAnswer, 0.5), quantile(sinceAnswer, 0.99)]
    const line: Line = {
      cells: [
        `${PER_SECOND}: ${title}`,
        (counted.length / seconds).toFixed(0),
        p50.toFixed(1),
        p99.toFixed(1),
        `${quantile(sinceDue, 0.5).toFixed(1)} · ${quantile(sinceDue, 0.99).toFixed(1)}`,
        String(lost),
        String(duplicates),
        `p50 < ${TARGETS.p50}, p99 < ${TARGETS.p99}, 0, 0`
      ],
      reached: p50 < TARGETS.p50 && p99 < TARGETS.p99 && lost === 0 && duplicates === 0
    }
    return line
  }).pipe(Effect.scoped)

/**
 * Measures the time from the response to a write to the head of its webhook request. The commit is slightly earlier
 * than the response, so the time since the write was due is reported too. Writes are sent on a fixed schedule.
 */
export const latency = (server: string, { latencySeconds }: Options) =>
  Effect.gen(function* () {
    yield* begin("webhooks latency", Object.keys(WORKER_SETUPS).length)
    const fixture = yield* makeFixture(server, SUBSCRIBERS, () => true)
    const printRow = yield* openTable(HEADINGS)
    for (const [title, setup] of Object.entries(WORKER_SETUPS)) {
      yield* step(title)
      yield* printRow(yield* measure(fixture, title, setup, latencySeconds))
    }
  }).pipe(Effect.scoped)
