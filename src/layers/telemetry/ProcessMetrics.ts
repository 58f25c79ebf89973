import { Effect, Layer, Metric, Schedule } from "effect"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import {
  cpuTime,
  eventLoopDelayMax,
  eventLoopDelayP50,
  eventLoopDelayP99,
  eventLoopUtilization,
  heapUsed,
  memoryUsage,
  startCounters
} from "../../domain/Metrics.ts"

/** Time between two measurements of the process. */
const INTERVAL = "10 seconds"

/** Milliseconds between two samples of the delay of the event loop. */
const RESOLUTION = 20

const MICROSECONDS = 1e6

/** Converts a sample, which is the time between two samples in nanoseconds. */
const secondsOf = (sample: number) => Math.max(0, sample / 1e6 - RESOLUTION) / 1000

/** Starts all counters, and measures memory, processor and event loop of the process while the scope is open. */
export const ProcessMetrics = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* startCounters
    const delays = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const histogram = monitorEventLoopDelay({ resolution: RESOLUTION })
        histogram.enable()
        return histogram
      }),
      (histogram) => Effect.sync(() => histogram.disable())
    )
    let utilization = performance.eventLoopUtilization()
    let processor = 0

    const measure = Effect.gen(function* () {
      const { heapUsed: heap, rss } = process.memoryUsage()
      yield* Metric.update(memoryUsage, rss)
      yield* Metric.update(heapUsed, heap)
      const { system, user } = process.cpuUsage()
      yield* Metric.update(cpuTime, (system + user - processor) / MICROSECONDS)
      processor = system + user
      const now = performance.eventLoopUtilization()
      yield* Metric.update(eventLoopUtilization, performance.eventLoopUtilization(now, utilization).utilization)
      utilization = now
      // The first measurement may have no samples.
      if (delays.count === 0) return
      yield* Metric.update(eventLoopDelayP50, secondsOf(delays.percentile(50)))
      yield* Metric.update(eventLoopDelayP99, secondsOf(delays.percentile(99)))
      yield* Metric.update(eventLoopDelayMax, secondsOf(delays.max))
      delays.reset()
    })
    yield* Effect.forkScoped(Effect.repeat(measure, Schedule.spaced(INTERVAL)))
  })
)
