import { Effect, Fiber, Schedule } from "effect"
import type { DeliveryAudit } from "../support/process/DeliveryAudit.ts"

/** An invariant with its observed value; `holds` is null for information. */
export interface Invariant {
  readonly part: string
  readonly what: string
  readonly seen: string
  readonly holds: boolean | null
}

/** Collects the invariants of one part. */
export const makeInvariants = (part: string) => {
  const all: Array<Invariant> = []
  const add = (what: string, seen: string, holds: boolean | null) => void all.push({ part, what, seen, holds })
  const none = (what: string, some: ReadonlyArray<unknown> | number) => {
    const n = typeof some === "number" ? some : some.length
    const example = typeof some === "number" || n === 0 ? "" : `, as ${String(some[0])}`
    add(what, `${n}${example}`, n === 0)
  }
  return {
    all,
    none,
    atLeast: (what: string, seen: number, least: number) =>
      add(`${what}, at least ${least}`, String(seen), seen >= least),
    atMost: (what: string, seen: number, most: number, unit = "") =>
      add(`${what}, at most ${most}${unit}`, `${Math.round(seen)}${unit}`, seen <= most),
    /** Adds a value for information. */
    fact: (what: string, seen: string) => add(what, seen, null),
    /** Adds a {@link DeliveryAudit}. */
    deliveries: (audit: DeliveryAudit) => {
      add("deliveries due", String(audit.due), null)
      none("deliveries lost", audit.lost)
      none("delivered without an event", audit.unexpected)
      none("more arrivals than attempts", audit.unexplained)
      none("deliveries without a complete log", audit.unrecorded)
      add("arrivals beyond the first", String(audit.duplicates), null)
    }
  }
}

export const printLine = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

export const formatTable = (invariants: ReadonlyArray<Invariant>): string =>
  [
    ["Part", "What", "Seen", "Held"],
    ["---", "---", "---", "---"],
    ...invariants.map(({ holds, part, seen, what }) => [
      part,
      what,
      seen,
      holds === null ? "" : holds ? "yes" : "**no**"
    ])
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")

const { isTTY } = process.stdout

/** Shows `line` during `work`: in place on a terminal, or one line per minute in a log. */
export const withProgress = <A, E, R>(line: () => string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const show = Effect.sync(() => void process.stdout.write(isTTY ? `\r\x1b[K${line()}` : `${line()}\n`))
    const showing = yield* Effect.forkChild(Effect.repeat(show, Schedule.spaced(isTTY ? "500 millis" : "1 minute")))
    const done = yield* work
    yield* Fiber.interrupt(showing)
    yield* printLine(`${isTTY ? "\r\x1b[K" : ""}${line()}`)
    return done
  })
