import { Effect } from "effect"
import type { Arena } from "./arena.ts"
import type { Drive, LoadFailed } from "./driver.ts"
import type { Measured } from "./job.ts"
import type { Options } from "./options.ts"
import { type Side, SIDES } from "./servers.ts"
import type { Work } from "./works.ts"

/** What the rounds of one side come to: the middle one of each figure. */
export interface Figures {
  readonly rps: number
  readonly median: number
  readonly p99: number
}

export const middle = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const figuresOf = (rounds: ReadonlyArray<Measured>): Figures => ({
  rps: middle(rounds.map(({ requests, seconds }) => requests / seconds)),
  median: middle(rounds.map(({ median }) => median)),
  p99: middle(rounds.map(({ p99 }) => p99))
})

/**
 * Rounds of one kind of work, the sides in turn and each first in every other round, so that what else the machine does
 * hits both alike.
 */
export const compete = (
  arena: Arena,
  drive: Drive,
  work: Work,
  options: Options
): Effect.Effect<Readonly<Record<Side, Figures>>, LoadFailed> =>
  Effect.gen(function* () {
    const { connections } = options
    const play = (side: Side, millis: number) =>
      drive({ port: arena[side].port, work, connections, requests: null, millis })
    const rounds: Record<Side, Array<Measured>> = { ours: [], rival: [] }
    for (const side of SIDES) yield* play(side, options.warmUpMillis)
    for (let round = 0; round < options.rounds; round++) {
      for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
        rounds[side].push(yield* play(side, options.roundMillis))
      }
    }
    return { ours: figuresOf(rounds.ours), rival: figuresOf(rounds.rival) }
  })

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
        const { median } = yield* drive({ port, work, connections: 1, requests: null, millis: options.roundMillis / 4 })
        // The first round warms up.
        if (round > 0) medians[index]?.push(median)
      }
    }
    return [middle(medians[0]), middle(medians[1])]
  })
