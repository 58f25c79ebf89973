import { Effect } from "effect"
import { say } from "../arena.ts"
import type { Options } from "../options.ts"
import { allReached, type Line, table } from "../report.ts"
import { SERVICE, startServer, startWorker } from "../servers.ts"
import { startHelper } from "./helper.ts"
import { Begun } from "./receiver.ts"
import { ALLOWED, clear, openScene, type Scene } from "./scene.ts"
import { arrived, quantile, tally, waits } from "./timing.ts"
import { Written } from "./writer.ts"

const PER_SECOND = 200
const SUBSCRIBERS = 5

/** Seconds of writes before those that count. */
const WARM_UP = 4

const WANTED = { p50: 50, p99: 250 }

const PLACES = {
  "The worker inside the server": { server: ALLOWED, worker: false },
  "WEBHOOK_WORKERS=0 and `worker` beside it": { server: { WEBHOOK_WORKERS: "0" }, worker: true }
}

type Place = (typeof PLACES)[keyof typeof PLACES]

const HEADINGS = [
  "Events/s to 5 subscribers each",
  "Deliveries/s",
  "p50 ms",
  "p99 ms",
  "Since the write was due: p50 · p99 ms",
  "Lost",
  "Doubled",
  "Wanted"
]

const measure = (scene: Scene, title: string, place: Place, seconds: number) =>
  Effect.gen(function* () {
    yield* clear(scene)
    yield* scene.receiver.ask("begin", Begun)
    const { port } = yield* startServer(SERVICE, scene.url, place.server)
    if (place.worker) yield* startWorker(scene.url, ALLOWED)
    const writer = yield* startHelper("write")
    const order = { port, perSecond: PER_SECOND, seconds: WARM_UP + seconds }
    const written = yield* writer.ask(order, Written)
    const expected = written.products.length * SUBSCRIBERS
    const arrivals = yield* arrived(scene.receiver, expected)
    const { doubled, lost } = tally(arrivals, expected)
    const counted = yield* waits(scene, written, arrivals, WARM_UP * 1000)
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
        String(doubled),
        `p50 < ${WANTED.p50}, p99 < ${WANTED.p99}, 0, 0`
      ],
      reached: p50 < WANTED.p50 && p99 < WANTED.p99 && lost === 0 && doubled === 0
    }
    return line
  }).pipe(Effect.scoped)

/**
 * From the commit of an event to the receiver's socket, as a client can see it: from when the answer to its write had
 * come to when the head of the request that tells of it had. Since the commit comes a little before the answer, the
 * time from when the write was due stands beside it, which holds all of the write. Writes are sent on schedule.
 */
export const latency = (server: string, { latencySeconds }: Options) =>
  Effect.gen(function* () {
    const scene = yield* openScene(server, SUBSCRIBERS, () => true)
    const lines = yield* Effect.forEach(Object.entries(PLACES), ([title, place]) =>
      measure(scene, title, place, latencySeconds)
    )
    yield* say(`\n${table(HEADINGS, lines)}\n`)
    return allReached(lines)
  }).pipe(Effect.scoped)
