import { type Duration, Effect, Schedule } from "effect"
import type { ChildHandle } from "./childProcess.ts"
import { Arrivals, Count } from "./receiver.ts"
import type { WebhookFixture } from "./fixture.ts"
import type { WriteResult } from "./writer.ts"

/** Maximum wait for missing requests. */
const MAX_WAIT = "30 seconds"

/** Waits until `count` requests have arrived, or the time is over. {@link countFaults} counts missing ones. */
export const waitForArrivals = (receiver: ChildHandle, count: number, maxWait: Duration.Input = MAX_WAIT) =>
  receiver
    .ask("count", Count)
    .pipe(
      Effect.repeat({ until: (seen) => seen.count >= count, schedule: Schedule.spaced("50 millis") }),
      Effect.timeoutOption(maxWait),
      Effect.andThen(receiver.ask("report", Arrivals))
    )

/** Counts lost and duplicated deliveries. */
export const countFaults = ({ keys }: Arrivals, expected: number) => {
  const distinct = new Set(keys).size
  return { lost: expected - distinct, duplicates: keys.length - distinct }
}

export const quantile = (values: ReadonlyArray<number>, q: number): number => {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

export interface DeliveryDelay {
  readonly subscriber: number
  /** Milliseconds from the response to the write, and from its due time, to the head of the webhook request. */
  readonly sinceAnswer: number
  readonly sinceDue: number
}

/** Computes the delays of deliveries whose writes were due `after` milliseconds into the run. */
export const measureDelays = (
  { db }: Pick<WebhookFixture, "db">,
  { answered, due, products }: WriteResult,
  { keys, times }: Arrivals,
  after: number
) =>
  Effect.promise(async () => {
    const { rows } = await db.query<{ id: string; resource: string }>("select id, resource_id as resource from events")
    const begin = due[0] ?? 0
    const writes = new Map(
      products.map((product, index) => [product, { answered: answered[index] ?? 0, due: due[index] ?? 0 }])
    )
    const events = new Map(rows.map(({ id, resource }) => [id, writes.get(resource)]))
    return keys.flatMap((key, index): ReadonlyArray<DeliveryDelay> => {
      const [subscriber = "", event = ""] = key.split("/")
      const write = events.get(event)
      if (write === undefined || write.due - begin < after) return []
      const at = times[index] ?? 0
      return [{ subscriber: Number(subscriber), sinceAnswer: at - write.answered, sinceDue: at - write.due }]
    })
  })
