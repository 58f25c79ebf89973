import { type Context, Effect, Metric } from "effect"

/*
 * Every metric of the service (docs/operations/monitor.md). Names, units and attributes follow the semantic conventions of
 * OpenTelemetry where they have one. The attribute `unit` is exported as unit of the metric.
 */

const SECONDS = { unit: "s" }
const BYTES = { unit: "By" }

/** Bucket boundaries in seconds, from the semantic conventions. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** Bucket boundaries in seconds for work that takes up to hours. */
const LONG_DURATIONS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 21_600, 86_400]

const seconds = (name: string, description: string, boundaries: ReadonlyArray<number> = DURATIONS) =>
  Metric.histogram(name, { description, boundaries, attributes: SECONDS })

/** Seconds from the head of a request to the end of its response. */
export const requestDuration = seconds("http.server.request.duration", "Duration of HTTP requests")

export const rpcDuration = seconds("rpc.server.call.duration", "Duration of calls of procedures, over RPC and MCP")

/** Not `db.client.connection.count` of the conventions: in Prometheus, `_count` is the suffix of histograms. */
export const connectionsInUse = Metric.gauge("db.client.connection.used", { description: "Connections in use" })

export const connectionsMax = Metric.gauge("db.client.connection.max", { description: "Connections of the pool" })

/** Statements that find a free connection are not counted, because they do not wait. */
export const connectionWait = seconds("db.client.connection.wait_time", "Waits for a connection that was not free")

export const connectionTimeouts = Metric.counter("db.client.connection.timeouts", {
  description: "Waits for a connection that reached their limit",
  incremental: true
})

export const admissionBatchSize = Metric.histogram("admission.batch.size", {
  description: "Requests that share a statement",
  boundaries: [1, 2, 5, 10, 20, 50, 100]
})

export const windowRefusals = Metric.counter("rate_limit.refusals", {
  description: "Requests and calls beyond the rolling window",
  incremental: true
})

export const reads = Metric.counter("partner_api.reads", {
  description: "Reads of installations by the server that answered them, with a replica",
  incremental: true
})

export const replays = Metric.counter("idempotency.replays", {
  description: "Writes that returned the stored answer of their key",
  incremental: true
})

export const bulkheadWait = seconds("bulkhead.wait.duration", "Waits of requests for other requests of their store")

export const bulkheadRefusals = Metric.counter("bulkhead.refusals", {
  description: "Requests refused because too many of their store waited",
  incremental: true
})

export const deliveryAttempts = Metric.counter("webhook.delivery.attempts", {
  description: "Attempts of deliveries by outcome",
  incremental: true
})

export const deliveryDuration = seconds("webhook.delivery.duration", "Duration of requests to receivers")

export const deliveryLatency = seconds("webhook.delivery.latency", "Time from a write to the success of its delivery", [
  ...DURATIONS,
  ...LONG_DURATIONS.filter((boundary) => boundary > 10)
])

export const outboxDepth = Metric.gauge("webhook.outbox.depth", {
  description: "Deliveries that are due or wait for a retry"
})

export const outboxAge = Metric.gauge("webhook.outbox.oldest_due.age", {
  description: "Seconds since the oldest delivery became due",
  attributes: SECONDS
})

export const failingEndpoints = Metric.gauge("webhook.endpoints.failing", {
  description: "Active endpoints without a success for an hour or longer"
})

export const jobsDue = Metric.gauge("job.queue.depth", { description: "Jobs that are due, such as change sets" })

export const jobRowsDone = Metric.gauge("job.rows.done", {
  description: "Rows and operations of unfinished jobs that are done"
})

export const jobRowsLeft = Metric.gauge("job.rows.left", {
  description: "Rows and operations of unfinished jobs that are left"
})

export const jobTurns = seconds("job.turn.duration", "Duration of turns of jobs")

export const housekeepingDuration = seconds(
  "housekeeping.round.duration",
  "Duration of rounds that delete expired rows",
  LONG_DURATIONS
)

export const housekeepingDeleted = Metric.counter("housekeeping.deleted", {
  description: "Expired rows that were deleted",
  incremental: true
})

export const housekeepingFailures = Metric.counter("housekeeping.failures", {
  description: "Deletions of expired rows that failed",
  incremental: true
})

export const ready = Metric.gauge("service.ready", {
  description: "1 if the last probe found the process ready, else 0"
})

export const databaseReady = Metric.gauge("service.database.ready", {
  description: "1 if the last probe could use the database of a cell, else 0"
})

const eventLoopDelay = (statistic: string, description: string) =>
  Metric.gauge(`nodejs.eventloop.delay.${statistic}`, {
    description: `${description} delay of the event loop in the last ten seconds`,
    attributes: SECONDS
  })

export const eventLoopDelayP50 = eventLoopDelay("p50", "Median")
export const eventLoopDelayP99 = eventLoopDelay("p99", "99th percentile of the")
export const eventLoopDelayMax = eventLoopDelay("max", "Longest")

export const eventLoopUtilization = Metric.gauge("nodejs.eventloop.utilization", {
  description: "Share of the last ten seconds in which the event loop was busy"
})

export const memoryUsage = Metric.gauge("process.memory.usage", {
  description: "Physical memory of the process",
  attributes: BYTES
})

export const heapUsed = Metric.gauge("v8js.memory.heap.used", {
  description: "Memory of JavaScript objects, with garbage",
  attributes: BYTES
})

export const cpuTime = Metric.counter("process.cpu.time", {
  description: "Processor time of the process",
  attributes: SECONDS,
  incremental: true
})

const POOLS = ["operations", "admission", "snapshots", "replica", "replica_position"]
const OUTCOMES = ["delivered", "retry", "dead", "canceled"]

const seriesOf = <State>(metric: Metric.Metric<number, State>, attribute: string, values: ReadonlyArray<string>) =>
  values.map((value) => Metric.withAttributes(metric, { [attribute]: value }))

/**
 * Starts each counter at 0, with every value of its attribute. Prometheus does not see the first increase of a series that is
 * born with it, so an alert on the first failure of a process would not fire.
 */
export const startCounters = Effect.forEach(
  [
    ...seriesOf(connectionTimeouts, "db.client.connection.pool.name", POOLS),
    ...seriesOf(windowRefusals, "principal.type", ["installation", "caller"]),
    ...seriesOf(reads, "target", ["replica", "primary"]),
    replays,
    bulkheadRefusals,
    ...seriesOf(deliveryAttempts, "outcome", OUTCOMES),
    housekeepingDeleted,
    housekeepingFailures,
    cpuTime
  ],
  (counter) => Metric.update(counter, 0),
  { discard: true }
)

/**
 * Makes a function that records a value in the series of some attributes. Each combination of attributes is a time series
 * that is kept, so their values must be few.
 */
export const makeSeries = <Input, State>(metric: Metric.Metric<Input, State>) => {
  const series = new Map<string, Metric.Metric<Input, State>>()
  return (context: Context.Context<never>, input: Input, attributes: Readonly<Record<string, string>>): void => {
    const key = JSON.stringify(attributes)
    const one = series.get(key) ?? Metric.withAttributes(metric, attributes)
    series.set(key, one)
    one.updateUnsafe(input, context)
  }
}
