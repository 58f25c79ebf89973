import { Effect, Fiber, Schedule } from "effect"

/** Something that had to hold, what was seen of it, and whether it did; null for what is only good to know. */
export interface Invariant {
  readonly part: string
  readonly what: string
  readonly seen: string
  readonly held: boolean | null
}

/** The invariants of one part, as they are found out. */
export const makeInvariants = (part: string) => {
  const all: Array<Invariant> = []
  const add = (what: string, seen: string, held: boolean | null) => void all.push({ part, what, seen, held })
  return {
    all,
    none: (what: string, some: ReadonlyArray<unknown> | number) => {
      const n = typeof some === "number" ? some : some.length
      const example = typeof some === "number" || n === 0 ? "" : `, as ${String(some[0])}`
      add(what, `${n}${example}`, n === 0)
    },
    atLeast: (what: string, seen: number, least: number) =>
      add(`${what}, at least ${least}`, String(seen), seen >= least),
    atMost: (what: string, seen: number, most: number, unit = "") =>
      add(`${what}, at most ${most}${unit}`, `${Math.round(seen)}${unit}`, seen <= most),
    /** No more than to be known. */
    fact: (what: string, seen: string) => add(what, seen, null)
  }
}

export const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

export const table = (invariants: ReadonlyArray<Invariant>): string =>
  [
    ["Part", "What", "Seen", "Held"],
    ["---", "---", "---", "---"],
    ...invariants.map(({ held, part, seen, what }) => [part, what, seen, held === null ? "" : held ? "yes" : "**no**"])
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")

const { isTTY } = process.stdout

/** Shows `line` while `work` goes on: in place on a terminal, else a line a minute for a log. */
export const withProgress = <A, E, R>(line: () => string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const show = Effect.sync(() => void process.stdout.write(isTTY ? `\r\x1b[K${line()}` : `${line()}\n`))
    const showing = yield* Effect.forkChild(Effect.repeat(show, Schedule.spaced(isTTY ? "500 millis" : "1 minute")))
    const done = yield* work
    yield* Fiber.interrupt(showing)
    yield* say(`${isTTY ? "\r\x1b[K" : ""}${line()}`)
    return done
  })
