import { assert, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { print, printList } from "../../src/cli/Output.ts"

/** The lines that a program prints. */
const said = (program: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    const console = { ...(yield* Console.Console), log: (line: unknown) => void lines.push(line) }
    yield* Effect.provideService(program, Console.Console, console)
    return lines
  })

it.effect("what a receiver answered can neither move the cursor of a terminal nor pass for another fact", () =>
  Effect.gen(function* () {
    const answer = "\u001b[2J\u009b1mgone\nstatus: 200\u202e\u0000"
    const lines = yield* said(printList(false, "attempts", [{ status: 500, answer }]))
    assert.deepStrictEqual(lines, ["status: 500\nanswer: \uFFFD[2J\uFFFD1mgone\uFFFDstatus: 200\uFFFD\uFFFD"])
  })
)

it.effect("facts that are not there are left out for people, and null for programs", () =>
  Effect.gen(function* () {
    const facts = { at: new Date(0), scopes: ["a", "b"], none: null }
    assert.deepStrictEqual(yield* said(print(false, facts)), ["at: 1970-01-01T00:00:00.000Z\nscopes: a b"])
    assert.deepStrictEqual(yield* said(print(true, facts)), [
      '{"at":"1970-01-01T00:00:00.000Z","scopes":["a","b"],"none":null}'
    ])
    assert.deepStrictEqual(yield* said(printList(false, "attempts", [])), ["no attempts"])
  })
)
