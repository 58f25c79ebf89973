import { assert, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { printList } from "../../src/cli/Output.ts"

/** Collects the lines that a program prints. */
const printedBy = (program: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    const console = { ...(yield* Console.Console), log: (line: unknown) => void lines.push(line) }
    yield* Effect.provideService(program, Console.Console, console)
    return lines
  })

it.effect("control characters in output are replaced, so that they cannot move the cursor or imitate rows", () =>
  Effect.gen(function* () {
    const answer = "\u001b[2J\u009b1mgone\nstatus: 200\u202e\u0000"
    const lines = yield* printedBy(printList(false, "attempts", [{ status: 500, answer }]))
    assert.deepStrictEqual(lines, ["STATUS  ANSWER\n   500  \uFFFD[2J\uFFFD1mgone\uFFFDstatus: 200\uFFFD\uFFFD"])
  })
)

it.effect('an empty list prints "No" and the name of the items, or an empty array in JSON', () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* printedBy(printList(false, "attempts", [])), ["No attempts"])
    assert.deepStrictEqual(yield* printedBy(printList(true, "attempts", [])), ['{"attempts":[]}'])
  })
)
