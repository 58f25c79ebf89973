import { Effect } from "effect"
import { say } from "../arena.ts"
import { middle } from "../measure.ts"
import type { Options } from "../options.ts"
import { STORES } from "../population.ts"
import { allReached, BOUND_HEADINGS, boundLine, table } from "../report.ts"
import { SERVICE, startServer } from "../servers.ts"
import { startHelper } from "./helper.ts"
import { Begun } from "./receiver.ts"
import { ALLOWED, appOf, clear, openScene, type Scene } from "./scene.ts"
import { arrived, quantile, tally, waits } from "./timing.ts"
import { Written } from "./writer.ts"

const SUBSCRIBERS = 100
const PER_SECOND = 100

/** Apps that each store has: with a hundred events a second, every app is told of five. */
const PER_STORE = 5
const isOn = (subscriber: number, store: number) =>
  subscriber % (SUBSCRIBERS / PER_STORE) === store % (SUBSCRIBERS / PER_STORE)

/** Seconds of writes before those that count. */
const WARM_UP = 4

/** Runs of each kind, in turn; the middle one counts. */
const ROUNDS = 3

const AT_MOST = 1.5

/** The one that is dead. */
const DEAD = 0

const WAYS = {
  alive: (hookOf: Scene["hookOf"]) => hookOf(DEAD),
  "never answers": (hookOf: Scene["hookOf"]) => hookOf(DEAD, "hang"),
  "refuses connections": () => "http://127.0.0.1:1/",
  "answers 500 after 5 s": (hookOf: Scene["hookOf"]) => hookOf(DEAD, "slow")
}

type Way = keyof typeof WAYS
const ALL: ReadonlyArray<Way> = ["alive", "never answers", "refuses connections", "answers 500 after 5 s"]

/** How many deliveries so many writes make, without the dead one's or with. The n-th write is on store n, in turn. */
const expectedOf = (writes: number, way: Way) =>
  Array.from({ length: writes }, (_, n) =>
    way === "alive" || !isOn(DEAD, n % STORES) ? PER_STORE : PER_STORE - 1
  ).reduce((sum, count) => sum + count, 0)

/** p99 of the others in milliseconds, with the first one as it is said. */
const measure = (scene: Scene, way: Way, seconds: number) =>
  Effect.gen(function* () {
    yield* Effect.promise(() =>
      scene.db.query("update webhooks set url = $2 where app_id = $1", [appOf(DEAD), WAYS[way](scene.hookOf)])
    )
    yield* clear(scene)
    yield* scene.receiver.ask("begin", Begun)
    const { port } = yield* startServer(SERVICE, scene.url, ALLOWED)
    const writer = yield* startHelper("write")
    const written = yield* writer.ask({ port, perSecond: PER_SECOND, seconds: WARM_UP + seconds }, Written)
    const expected = expectedOf(written.products.length, way)
    const arrivals = yield* arrived(scene.receiver, expected)
    const { doubled, lost } = tally(arrivals, expected)
    if (lost + doubled > 0) yield* Effect.die(new Error(`Of ${expected} deliveries ${lost} lost, ${doubled} doubled`))
    const all = yield* waits(scene, written, arrivals, WARM_UP * 1000)
    const others = all.filter(({ subscriber }) => subscriber !== DEAD)
    return quantile(
      others.map((wait) => wait.sinceAnswer),
      0.99
    )
  }).pipe(Effect.scoped)

/** What one endpoint that fails costs the ninety-nine beside it. */
export const dead = (server: string, { deadSeconds }: Options) =>
  Effect.gen(function* () {
    const scene = yield* openScene(server, SUBSCRIBERS, isOn)
    const rounds: Record<Way, Array<number>> = {
      alive: [],
      "never answers": [],
      "refuses connections": [],
      "answers 500 after 5 s": []
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const way of ALL) rounds[way].push(yield* measure(scene, way, deadSeconds))
    }
    const against = middle(rounds.alive)
    const lines = ALL.filter((way) => way !== "alive").map((way) =>
      boundLine(
        `p99 of 99 endpoints when the hundredth ${way}, against when it is alive`,
        middle(rounds[way]),
        against,
        "ms",
        AT_MOST
      )
    )
    const seen = ALL.map((way) => `${way} ${rounds[way].map((p99) => p99.toFixed(1)).join(", ")}`).join("; ")
    yield* say(`\n${table(BOUND_HEADINGS, lines)}\n\nRounds, p99 in ms: ${seen}.\n`)
    return allReached(lines)
  }).pipe(Effect.scoped)
