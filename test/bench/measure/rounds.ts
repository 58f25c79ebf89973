import { Effect } from "effect"
import type { ServerPair } from "../serverPair.ts"
import { analyze } from "../database.ts"
import { type Cost, measureCost } from "./cost.ts"
import type { LoadDriver, LoadFailed } from "../load/driver.ts"
import type { LoadResult } from "../load/job.ts"
import { LEAST_ROUNDS, type Options } from "../options.ts"
import { detail, type Output } from "../output.ts"
import { type Side, SIDES } from "../servers.ts"
import type { RequestKind } from "../load/requests.ts"

/** Result and cost of one server's round. */
export type Round = LoadResult & Cost

/** Consecutive rounds of both servers. */
export type RoundPair = Readonly<Record<Side, Round>>

export const medianOf = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/**
 * Compares both servers with one kind of request, in alternating order, so that other load of the machine affects both
 * alike. Both are warmed up and analyzed first, so that no prepared plan dates from an empty table.
 */
export const compareServers = (
  arena: ServerPair,
  drive: LoadDriver,
  work: RequestKind,
  options: Options
): Effect.Effect<ReadonlyArray<RoundPair>, LoadFailed, Output> => {
  const { connections, roundMillis, roundRequests, warmUp } = options
  const job = (side: Side) => ({ port: arena[side].port, work, connections })
  const round = (side: Side) =>
    measureCost(arena[side], drive({ ...job(side), requests: roundRequests, millis: roundMillis }))
  return Effect.gen(function* () {
    yield* detail("warm-up")
    for (const side of SIDES) yield* drive({ ...job(side), ...warmUp })
    for (const side of SIDES) yield* analyze(arena[side].db)
    const pairs: Array<RoundPair> = []
    const startedAt = performance.now()
    const isDue = () =>
      pairs.length < LEAST_ROUNDS ||
      (pairs.length < options.rounds && performance.now() - startedAt < options.roundsMillis)
    while (isDue()) {
      yield* detail(`round ${pairs.length + 1} of ${options.rounds}`)
      const isServiceFirst = pairs.length % 2 === 0
      pairs.push(
        isServiceFirst
          ? { service: yield* round("service"), baseline: yield* round("baseline") }
          : { baseline: yield* round("baseline"), service: yield* round("service") }
      )
    }
    return pairs
  })
}

/** Measures the median latency in milliseconds of two kinds of requests in turn, on one connection. */
export const compareLatency = (
  port: number,
  drive: LoadDriver,
  works: readonly [RequestKind, RequestKind],
  options: Options
): Effect.Effect<readonly [number, number], LoadFailed> =>
  Effect.gen(function* () {
    const medians: readonly [Array<number>, Array<number>] = [[], []]
    for (let round = 0; round <= options.rounds; round++) {
      for (const [index, work] of works.entries()) {
        const { median } = yield* drive({ port, work, connections: 1, requests: 0, millis: options.roundMillis / 4 })
        // The first round warms up.
        if (round > 0) medians[index]?.push(median)
      }
    }
    return [medianOf(medians[0]), medianOf(medians[1])]
  })
