import { SingleBar } from "cli-progress"
import { Effect, Option, Schedule, type Scope } from "effect"
import { formatInteger } from "../../domain/Text.ts"
import type { Source } from "./Source.ts"

/** Interval of progress lines if standard error is not a terminal. */
const LINE_INTERVAL = "10 seconds"

const secondsSince = (startedAt: number) => Math.max(performance.now() - startedAt, 1) / 1000

const formatRate = (rows: number, rate: number) =>
  `${formatInteger(rows)} rows, ${formatInteger(Math.round(rate))} a second`

const formatRemaining = (elapsed: number, share: number) =>
  `${formatInteger(Math.ceil((elapsed / share) * (1 - share)))} s left`

export interface Progress {
  /** Sets the number of processed rows. */
  readonly update: (rows: number) => void
}

const showBar = ({ read, size }: Source, startedAt: number): Effect.Effect<Progress, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const format = Option.isSome(size) ? "{bar} {percentage} % | {rate} | {eta_formatted} left" : "{rate}"
      const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, etaBuffer: 50 })
      bar.start(
        Option.getOrElse(size, () => 1),
        0,
        { rate: formatRate(0, 0) }
      )
      return bar
    }),
    (bar) => Effect.sync(() => bar.stop())
  ).pipe(
    Effect.map((bar) => ({
      update: (rows) => bar.update(read(), { rate: formatRate(rows, rows / secondsSince(startedAt)) })
    }))
  )

const printLines = ({ read, size }: Source, startedAt: number) =>
  Effect.gen(function* () {
    let processed = 0
    const printLine = Effect.sync(() => {
      const elapsed = secondsSince(startedAt)
      const share = Option.map(size, (size) => read() / size)
      const remaining = Option.match(share, {
        onNone: () => "",
        onSome: (share) => `, ${Math.floor(share * 100)} %, ${formatRemaining(elapsed, share)}`
      })
      process.stderr.write(`${formatRate(processed, processed / elapsed)}${remaining}\n`)
    })
    yield* Effect.forkScoped(Effect.schedule(printLine, Schedule.spaced(LINE_INTERVAL)))
    const progress: Progress = {
      update: (rows) => {
        processed = rows
      }
    }
    return progress
  })

/** Shows the progress of an import on standard error until the scope ends: a bar on a terminal, otherwise lines. */
export const showProgress = (source: Source) =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    return process.stderr.isTTY ? showBar(source, startedAt) : printLines(source, startedAt)
  })
