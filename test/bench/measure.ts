import { Effect } from "effect"
import type { Arena } from "./arena.ts"
import { analyze } from "./cluster.ts"
import { type Cost, costed } from "./cost.ts"
import type { Drive, LoadFailed } from "./driver.ts"
import type { Measured } from "./job.ts"
import type { Options } from "./options.ts"
import { type Side, SIDES } from "./servers.ts"
import type { Work } from "./works.ts"

/** What one side did in a round, and what it cost. */
export type Round = Measured & Cost

/** A round of each side, one after the other. */
export type Pair = Readonly<Record<Side, Round>>

export const middle = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/**
 * Rounds of one kind of work, the sides in turn and each first in every other round, so that what else the machine does
 * hits both alike. Both have warmed up by then, and no statement keeps a plan that was made before its tables had grown.
 */
export const compete = (
  arena: Arena,
  drive: Drive,
  work: Work,
  { connections, roundMillis, roundRequests, rounds, warmUpRequests }: Options
): Effect.Effect<ReadonlyArray<Pair>, LoadFailed> => {
  const job = (side: Side) => ({ port: arena[side].port, work, connections })
  const warmUp = (side: Side) => drive({ ...job(side), requests: warmUpRequests, millis: 0 })
  const round = (side: Side) =>
    costed(arena[side], drive({ ...job(side), requests: roundRequests, millis: roundMillis }))
  return Effect.gen(function* () {
    for (const side of SIDES) yield* warmUp(side)
    for (const side of SIDES) yield* analyze(arena[side].db)
    const pairs: Array<Pair> = []
    while (pairs.length < rounds) {
      const isOursFirst = pairs.length % 2 === 0
      pairs.push(
        isOursFirst
          ? { ours: yield* round("ours"), baseline: yield* round("baseline") }
          : { baseline: yield* round("baseline"), ours: yield* round("ours") }
      )
    }
    return pairs
  })
}

/** Median latency in milliseconds of each kind of work on one connection to one server, in turn. */
export const compareLatency = (
  port: number,
  drive: Drive,
  works: readonly [Work, Work],
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
    return [middle(medians[0]), middle(medians[1])]
  })
