import { SingleBar } from "cli-progress"
import { Effect, Option, Schedule } from "effect"
import { formatInteger } from "../../domain/Text.ts"
import type { Source } from "./Source.ts"

const formatRate = (rows: number, rate: number, unit: string) =>
  `${formatInteger(rows)} ${unit}, ${formatInteger(Math.round(rate))} a second`

const formatRemaining = (elapsed: number, share: number) =>
  share === 0
    ? ""
    : `, ${Math.floor(share * 100)} %, ${formatInteger(Math.ceil((elapsed / share) * (1 - share)))} s left`

/**
 * Shows the progress of a command on standard error until the scope ends: a bar on a terminal, otherwise lines. `rows`
 * returns the number of processed rows, or of another unit.
 */
export const showProgress = Effect.fnUntraced(function* (
  { read, size }: Pick<Source, "read" | "size">,
  rows: () => number,
  unit = "rows"
) {
  const startedAt = performance.now()
  const elapsed = () => Math.max(performance.now() - startedAt, 1) / 1000
  const rate = () => formatRate(rows(), rows() / elapsed(), unit)

  if (!process.stderr.isTTY) {
    const printLine = Effect.sync(() => {
      const remaining = Option.map(size, (size) => formatRemaining(elapsed(), read() / size))
      process.stderr.write(`${rate()}${Option.getOrElse(remaining, () => "")}\n`)
    })
    return yield* Effect.forkScoped(Effect.schedule(printLine, Schedule.spaced("10 seconds")))
  }

  const format = Option.isSome(size) ? "{bar} {percentage} % | {rate} | {eta_formatted} left" : "{rate}"
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, etaBuffer: 50 })
  const total = Option.getOrElse(size, () => 1)
  const update = Effect.sync(() => bar.update(read(), { rate: rate() }))
  yield* Effect.acquireRelease(
    Effect.sync(() => bar.start(total, 0, { rate: rate() })),
    () =>
      Effect.andThen(
        update,
        Effect.sync(() => bar.stop())
      )
  )
  return yield* Effect.forkScoped(Effect.schedule(update, Schedule.spaced("100 millis")))
})
