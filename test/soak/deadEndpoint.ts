import { Effect } from "effect"
import { badReceivers } from "../support/webhooks/BadReceivers.ts"
import type { Sizes } from "./options.ts"
import { startWorkers } from "./processes.ts"
import { makeInvariants, withProgress } from "./report.ts"
import { makeFixture, writeContinuously } from "./fixture.ts"

const ENDPOINTS = 100
const FAN_OUT = 5
const CONCURRENCY = 256

/** Maximum p99 of healthy deliveries, in milliseconds from the event to the receiver's socket. */
const P99 = 1000

const OCCURRED = /"occurredAt":"([^"]+)"/

/** Quantile of numbers; `part` is between 0 and 1. */
const quantile = (numbers: ReadonlyArray<number>, part: number) =>
  numbers.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(numbers.length * part) - 1)] ?? Infinity

/** Delivers to a hundred endpoints, one of which never responds. */
export const deadEndpoint = (server: string, sizes: Sizes) =>
  Effect.scoped(
    Effect.gen(function* () {
      const invariants = makeInvariants("one dead endpoint of 100")
      const delays: Array<number> = []
      const seen = new Map<string, number>()
      const receivers = yield* badReceivers((kind, { headers, url = "" }, body) => {
        if (kind !== "well") return
        delays.push(Date.now() - Date.parse(OCCURRED.exec(body)?.[1] ?? ""))
        const key = `${String(headers["webhook-id"])} ${url}`
        seen.set(key, (seen.get(key) ?? 0) + 1)
      })
      const fixture = yield* makeFixture(server, ENDPOINTS / FAN_OUT, FAN_OUT, (n) =>
        receivers.urlOf(n === 0 ? "hang" : "well")
      )
      const workers = yield* startWorkers(fixture.url, 1, CONCURRENCY)
      const end = performance.now() + sizes["dead-seconds"] * 1000
      const left = () => Math.max(0, Math.round((end - performance.now()) / 1000))
      const written = yield* withProgress(
        () => `${left()} s left, ${delays.length} delivered, p99 ${quantile(delays, 0.99)} ms`,
        writeContinuously(fixture, sizes["dead-rate"], () => performance.now() > end)
      )
      const healthy = fixture.shops.reduce(
        (sum, { apps }, n) =>
          sum + (apps.length - (n === 0 ? 1 : 0)) * Math.ceil((written - n) / (ENDPOINTS / FAN_OUT)),
        0
      )
      // The last deliveries may still be in progress.
      const settling = Effect.repeat(Effect.sleep("100 millis"), { until: () => seen.size >= healthy })
      yield* Effect.timeoutOption(settling, "30 seconds")
      invariants.none("lost by the healthy", healthy - seen.size)
      invariants.none("duplicates", delays.length - seen.size)
      invariants.fact("deliveries to the healthy", String(delays.length))
      invariants.fact("p50 from the event to the socket", `${quantile(delays, 0.5)} ms`)
      invariants.atMost("p99", quantile(delays, 0.99), P99, " ms")
      invariants.fact("the slowest", `${quantile(delays, 1)} ms`)
      invariants.atLeast("requests to the dead one", receivers.seen("hang").requests, 2)
      invariants.atMost("at once at the dead one", receivers.seen("hang").most, 32)
      invariants.none("unexpected exits of workers", workers.unexpectedExits())
      return invariants.all
    })
  )
