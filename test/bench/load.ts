import { Schema } from "effect"
import { Job, type Measured } from "./job.ts"
import { converse } from "./wire.ts"
import { textOf, WORKS } from "./works.ts"

/*
 * The load generator: a child process that does one job after the other and stays, so that its code is as warm for the
 * second server as for the first.
 */

/** How many requests each port has got: tokens, keys and contents go on from job to job. */
const sent = new Map<number, number>()
const run = Date.now().toString(36)

const quantile = (sorted: Float64Array, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0

const perform = async ({ connections, millis, port, requests, work }: Job): Promise<Measured> => {
  const latencies: Array<number> = []
  let left = requests
  let n = sent.get(port) ?? 0
  const startedAt = performance.now()
  const next = () => {
    if (left-- <= 0 && performance.now() - startedAt > millis) return undefined
    const request = WORKS[work](n)
    return textOf(request, port, `${run}-${n++}`)
  }
  const answered = (latency: number) => {
    latencies.push(latency)
  }
  await Promise.all(Array.from({ length: connections }, () => converse({ port, next, answered })))
  const seconds = (performance.now() - startedAt) / 1000
  sent.set(port, n)
  const sorted = Float64Array.from(latencies).toSorted()
  return {
    requests: sorted.length,
    seconds,
    median: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99)
  }
}

const decode = Schema.decodeUnknownSync(Job)

/** Does what the parent process sends until it hangs up. */
export const serveLoad = (): void => {
  process.on("message", (message) => {
    perform(decode(message)).then(
      (measured) => process.send?.(measured),
      (problem: unknown) => process.send?.({ failure: String(problem) })
    )
  })
  process.on("disconnect", () => process.exit())
}
