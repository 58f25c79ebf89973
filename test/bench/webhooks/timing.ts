import { type Duration, Effect, Schedule } from "effect"
import type { Helper } from "./helper.ts"
import { type Arrivals, Count, Arrivals as ArrivalsOf } from "./receiver.ts"
import type { Scene } from "./scene.ts"
import type { Written } from "./writer.ts"

/** How long what is missing may still come. */
const PATIENCE = "30 seconds"

/** Waits until so many requests have come; too few after a while are for {@link tally} to tell. */
export const arrived = (receiver: Helper, count: number, patience: Duration.Input = PATIENCE) =>
  receiver
    .ask("count", Count)
    .pipe(
      Effect.repeat({ until: (seen) => seen.count >= count, schedule: Schedule.spaced("50 millis") }),
      Effect.timeoutOption(patience),
      Effect.andThen(receiver.ask("report", ArrivalsOf))
    )

/** What of `expected` deliveries never came, and how many came once more. */
export const tally = ({ keys }: Arrivals, expected: number) => {
  const distinct = new Set(keys).size
  return { lost: expected - distinct, doubled: keys.length - distinct }
}

export const quantile = (values: ReadonlyArray<number>, q: number): number => {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}

export interface Wait {
  readonly subscriber: number
  /** Milliseconds to the head of the request at the receiver, since the writer had its answer, and since it was to write. */
  readonly sinceAnswer: number
  readonly sinceDue: number
}

/** How long each delivery took, of the writes that were due `after` milliseconds into the run. */
export const waits = (
  { db }: Pick<Scene, "db">,
  { answered, due, products }: Written,
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
    return keys.flatMap((key, index): ReadonlyArray<Wait> => {
      const [subscriber = "", event = ""] = key.split("/")
      const write = events.get(event)
      if (write === undefined || write.due - begin < after) return []
      const at = times[index] ?? 0
      return [{ subscriber: Number(subscriber), sinceAnswer: at - write.answered, sinceDue: at - write.due }]
    })
  })
