import { Effect } from "effect"
import { begin, openTable, step } from "../output.ts"
import { medianOf } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { STORES } from "../seed/population.ts"
import { BOUND_HEADINGS, boundLine } from "../measure/report.ts"
import { SERVICE, startServer } from "../servers.ts"
import { startHelper } from "./childProcess.ts"
import { Listening } from "./receiver.ts"
import { ALLOW_LOCAL_RECEIVER, appIdOf, clearQueues, makeFixture, type WebhookFixture } from "./fixture.ts"
import { waitForArrivals, quantile, countFaults, measureDelays } from "./timing.ts"
import { WriteResult } from "./writer.ts"

const SUBSCRIBERS = 100
const PER_SECOND = 100

/** Apps of each store. With 100 events per second, every app receives five. */
const PER_STORE = 5
const isSubscribed = (subscriber: number, store: number) =>
  subscriber % (SUBSCRIBERS / PER_STORE) === store % (SUBSCRIBERS / PER_STORE)

/** Seconds of warm-up writes. */
const WARM_UP = 4

/** Maximum ratio of the p99 of the other endpoints to that without a failing one. */
const AT_MOST = 2

/** Subscriber with the dead endpoint. */
const DEAD = 0

const ENDPOINT_URLS = {
  alive: (hookOf: WebhookFixture["hookOf"]) => hookOf(DEAD),
  "never answers": (hookOf: WebhookFixture["hookOf"]) => hookOf(DEAD, "hang"),
  "refuses connections": () => "http://127.0.0.1:1/",
  "answers 500 after 5 s": (hookOf: WebhookFixture["hookOf"]) => hookOf(DEAD, "slow")
}

type EndpointState = keyof typeof ENDPOINT_URLS
const STATES: ReadonlyArray<EndpointState> = ["alive", "never answers", "refuses connections", "answers 500 after 5 s"]

/** Number of deliveries to working endpoints. The n-th write is in store n, in turn. */
const expectedOf = (writes: number, state: EndpointState) =>
  Array.from({ length: writes }, (_, n) =>
    state === "alive" || !isSubscribed(DEAD, n % STORES) ? PER_STORE : PER_STORE - 1
  ).reduce((sum, count) => sum + count, 0)

/** Measures the p99 of the other endpoints in milliseconds. */
const measure = (fixture: WebhookFixture, state: EndpointState, seconds: number) =>
  Effect.gen(function* () {
    yield* Effect.promise(() =>
      fixture.db.query("update webhooks set url = $2 where app_id = $1", [
        appIdOf(DEAD),
        ENDPOINT_URLS[state](fixture.hookOf)
      ])
    )
    yield* clearQueues(fixture)
    yield* fixture.receiver.ask("begin", Listening)
    const { port } = yield* startServer(SERVICE, fixture.url, ALLOW_LOCAL_RECEIVER)
    const writer = yield* startHelper("write")
    const written = yield* writer.ask({ port, perSecond: PER_SECOND, seconds: WARM_UP + seconds }, WriteResult)
    const expected = expectedOf(written.products.length, state)
    const arrivals = yield* waitForArrivals(fixture.receiver, expected)
    const { duplicates, lost } = countFaults(arrivals, expected)
    if (lost + duplicates > 0)
      yield* Effect.die(new Error(`Of ${expected} deliveries ${lost} lost, ${duplicates} duplicates`))
    const all = yield* measureDelays(fixture, written, arrivals, WARM_UP * 1000)
    const others = all.filter(({ subscriber }) => subscriber !== DEAD)
    return quantile(
      others.map((wait) => wait.sinceAnswer),
      0.99
    )
  }).pipe(Effect.scoped)

/** Measures the effect of a failing endpoint on 99 others. */
export const deadEndpoint = (server: string, { deadRounds, deadSeconds }: Options) =>
  Effect.gen(function* () {
    yield* begin("webhooks dead", deadRounds * STATES.length)
    const fixture = yield* makeFixture(server, SUBSCRIBERS, isSubscribed)
    const rounds: Record<EndpointState, Array<number>> = {
      alive: [],
      "never answers": [],
      "refuses connections": [],
      "answers 500 after 5 s": []
    }
    const printRound = yield* openTable(["The hundredth endpoint", "p99 ms of the others"])
    for (let round = 0; round < deadRounds; round++) {
      for (const state of STATES) {
        yield* step(state)
        const p99 = yield* measure(fixture, state, deadSeconds)
        rounds[state].push(p99)
        yield* printRound({ cells: [state, p99.toFixed(1)] })
      }
    }
    const against = medianOf(rounds.alive)
    const lines = STATES.filter((state) => state !== "alive").map((state) =>
      boundLine(
        `p99 of 99 endpoints when the hundredth ${state}, against when it is alive`,
        medianOf(rounds[state]),
        against,
        "ms",
        AT_MOST
      )
    )
    yield* Effect.forEach(lines, yield* openTable(BOUND_HEADINGS))
  }).pipe(Effect.scoped)
