import { Schema } from "effect"
import { Job, type LoadResult } from "./job.ts"
import { sendRequests } from "./wire.ts"
import { formatRequest, REQUESTS } from "./requests.ts"

/*
 * Load generator: a child process that runs jobs one after the other. It stays alive between jobs, so that its code is
 * compiled for both servers alike.
 */

/** Number of requests sent to each port. Tokens, keys and contents continue from job to job. */
const sent = new Map<number, number>()
const run = Date.now().toString(36)

const quantile = (sorted: Float64Array, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0

const perform = async ({ connections, millis, port, requests, work }: Job): Promise<LoadResult> => {
  const latencies: Array<number> = []
  let left = requests
  let n = sent.get(port) ?? 0
  const startedAt = performance.now()
  const next = () => {
    if (left-- <= 0 && performance.now() - startedAt > millis) return undefined
    const request = REQUESTS[work](n)
    return formatRequest(request, port, `${run}-${n++}`)
  }
  const answered = (latency: number) => {
    latencies.push(latency)
  }
  await Promise.all(Array.from({ length: connections }, () => sendRequests({ port, next, answered })))
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

/** Runs jobs of the parent process until it disconnects. */
export const runLoadGenerator = (): void => {
  process.on("message", (message) => {
    perform(decode(message)).then(
      (measured) => process.send?.(measured),
      (problem: unknown) => process.send?.({ failure: String(problem) })
    )
  })
  process.on("disconnect", () => process.exit())
}
