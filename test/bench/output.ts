import { Context, Effect, Layer, Schedule } from "effect"
import { clearLine, cursorTo } from "node:readline"
import { formatInteger } from "../../src/domain/Text.ts"

/** Rows and progress of a run. Rows go to standard output, progress to standard error. */
export class Output extends Context.Service<
  Output,
  {
    readonly print: (line: string) => Effect.Effect<void>
    /** Begins a benchmark of `steps` steps, or corrects their number. */
    readonly begin: (mode: string, steps: number) => Effect.Effect<void>
    /** Begins the next step. */
    readonly step: (title: string) => Effect.Effect<void>
    /** Shows a part of the step, for example its round. */
    readonly detail: (text: string) => Effect.Effect<void>
    /** Adds a missed bound, which makes the run fail. */
    readonly miss: (title: string) => Effect.Effect<void>
    readonly missed: Effect.Effect<ReadonlyArray<string>>
  }
>()("bench/Output") {
  /** Redraws one line on a terminal. In a log, prints a line at most every 10 seconds. */
  static readonly layer = Layer.effect(
    Output,
    Effect.gen(function* () {
      const { stderr, stdout } = process
      const isTerminal = stdout.isTTY && stderr.isTTY
      let mode = ""
      let shown = { title: "", detail: "", step: 0, steps: 0, startedAt: 0 }
      const misses: Array<string> = []

      const describe = () => {
        const { detail, startedAt, step, steps, title } = shown
        const seconds = formatInteger(Math.round((performance.now() - startedAt) / 1000))
        return `${mode} ${step}/${steps}: ${title}${detail === "" ? "" : `, ${detail}`}, ${seconds} s`
      }
      const clear = () => {
        if (!isTerminal) return
        clearLine(stderr, 0)
        cursorTo(stderr, 0)
      }
      const draw = () => {
        clear()
        if (mode === "") return
        stderr.write(isTerminal ? describe().slice(0, stderr.columns - 1) : `${describe()}\n`)
      }
      const update = (change: Partial<typeof shown>) =>
        Effect.sync(() => {
          shown = { ...shown, ...change }
          if (isTerminal) draw()
        })

      yield* Effect.addFinalizer(() => Effect.sync(clear))
      yield* Effect.forkScoped(
        Effect.repeat(Effect.sync(draw), Schedule.spaced(isTerminal ? "500 millis" : "10 seconds"))
      )
      return {
        print: (line) =>
          Effect.sync(() => {
            clear()
            stdout.write(`${line}\n`)
            if (isTerminal) draw()
          }),
        begin: (name, steps) =>
          Effect.suspend(() => {
            const startedAt = mode === name ? shown.startedAt : performance.now()
            mode = name
            return update({ title: "starting", detail: "", step: 0, steps, startedAt })
          }),
        step: (title) => Effect.suspend(() => update({ title, detail: "", step: shown.step + 1 })),
        detail: (detail) => update({ detail }),
        miss: (title) => Effect.sync(() => void misses.push(title)),
        missed: Effect.sync(() => misses)
      }
    })
  )
}

export const printLine = (line: string): Effect.Effect<void, never, Output> => Output.use(({ print }) => print(line))

/** Begins a benchmark of `steps` steps. */
export const begin = (mode: string, steps: number): Effect.Effect<void, never, Output> =>
  Output.use((output) => output.begin(mode, steps))

/** Begins a step of the benchmark. */
export const step = (title: string): Effect.Effect<void, never, Output> => Output.use((output) => output.step(title))

/** Shows a part of the step. */
export const detail = (text: string): Effect.Effect<void, never, Output> => Output.use((output) => output.detail(text))

/** Runs `work` several times in turn and shows the number of the round. */
export const rounds = <A, E, R>(count: number, work: (round: number) => Effect.Effect<A, E, R>) =>
  Effect.forEach(
    Array.from({ length: count }, (_, round) => round),
    (round) => Effect.andThen(detail(`round ${round + 1} of ${count}`), work(round))
  )

/** A table row; `reached` is undefined without a bound. */
export interface Line {
  readonly cells: ReadonlyArray<string>
  readonly reached?: boolean
}

/** Prints a row of a table. */
export type PrintRow = (line: Line) => Effect.Effect<void>

/** Minimum widths of titles, of the two columns with figures and of the others: rows are printed before the next are known. */
const WIDTHS = [64, 18, 18]
const OTHERS = 8

/** Prints the head of a Markdown table. The returned function prints a row and adds a missed bound to the output. */
export const openTable = Effect.fnUntraced(function* (headings: ReadonlyArray<string>) {
  const { miss, print } = yield* Output
  const widths = [...headings, "Reached"].map((heading, index) => Math.max(heading.length, WIDTHS[index] ?? OTHERS))
  const printRow = (cells: ReadonlyArray<string>) =>
    print(
      `| ${cells
        .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
        .join(" | ")} |`
    )
  yield* print("")
  yield* printRow([...headings, "Reached"])
  yield* printRow(widths.map((width, index) => (index === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)))
  const printMeasured: PrintRow = ({ cells, reached }) =>
    Effect.andThen(
      printRow([...cells, reached === undefined ? "" : reached ? "yes" : "**no**"]),
      reached === false ? miss(cells[0] ?? "") : Effect.void
    )
  return printMeasured
})
