import { SingleBar } from "cli-progress"
import { Effect, Option, Schedule, type Scope } from "effect"
import { formatInteger } from "../../domain/Text.ts"
import type { Source } from "./Source.ts"

/** Where it is no terminal that is written to, it is said so often how far the import is. */
const LINE_EVERY = "10 seconds"

const seconds = (since: number) => Math.max(performance.now() - since, 1) / 1000

const counted = (rows: number, rate: number) =>
  `${formatInteger(rows)} rows, ${formatInteger(Math.round(rate))} a second`

const left = (spent: number, share: number) => `${formatInteger(Math.ceil((spent / share) * (1 - share)))} s left`

/** How far an import is. */
export interface Progress {
  /** Says how many rows there were so far. */
  readonly tell: (rows: number) => void
}

const onTerminal = ({ read, size }: Source, startedAt: number): Effect.Effect<Progress, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const format = Option.isSome(size) ? "{bar} {percentage} % | {told} | {eta_formatted} left" : "{told}"
      const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, etaBuffer: 50 })
      bar.start(
        Option.getOrElse(size, () => 1),
        0,
        { told: counted(0, 0) }
      )
      return bar
    }),
    (bar) => Effect.sync(() => bar.stop())
  ).pipe(
    Effect.map((bar) => ({
      tell: (rows) => bar.update(read(), { told: counted(rows, rows / seconds(startedAt)) })
    }))
  )

const inLines = ({ read, size }: Source, startedAt: number) =>
  Effect.gen(function* () {
    let told = 0
    const say = Effect.sync(() => {
      const spent = seconds(startedAt)
      const share = Option.map(size, (size) => read() / size)
      const rest = Option.match(share, {
        onNone: () => "",
        onSome: (share) => `, ${Math.floor(share * 100)} %, ${left(spent, share)}`
      })
      process.stderr.write(`${counted(told, told / spent)}${rest}\n`)
    })
    yield* Effect.forkScoped(Effect.schedule(say, Schedule.spaced(LINE_EVERY)))
    const progress: Progress = {
      tell: (rows) => {
        told = rows
      }
    }
    return progress
  })

/** Tells on standard error how far an import is, until the scope ends: by a bar on a terminal, else now and then. */
export const showProgress = (source: Source) =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    return process.stderr.isTTY ? onTerminal(source, startedAt) : inLines(source, startedAt)
  })
