import { assert, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { print, printList } from "../../src/cli/Output.ts"

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

it.effect("a record is printed with aligned values and without empty fields, which JSON contains", () =>
  Effect.gen(function* () {
    const record = { at: new Date(0), scopes: ["a", "b"], none: null, empty: [] }
    assert.deepStrictEqual(yield* printedBy(print(false, record)), ["at:     1970-01-01T00:00:00.000Z\nscopes: a b"])
    assert.deepStrictEqual(yield* printedBy(print(true, record)), [
      '{"at":"1970-01-01T00:00:00.000Z","scopes":["a","b"],"none":null,"empty":[]}'
    ])
  })
)

it.effect("a list is a table with headers, right-aligned numbers, array columns last and no empty columns", () =>
  Effect.gen(function* () {
    const rows = [
      { storeId: "s1", scopes: ["a", "b"], products: 5, state: null, note: null },
      { storeId: "s22", scopes: [], products: 120, state: "active", note: null }
    ]
    const [table] = yield* printedBy(printList(false, "stores", rows))
    assert.deepStrictEqual(String(table).split("\n"), [
      "STORE ID  PRODUCTS  STATE   SCOPES",
      "s1               5  -       a b",
      "s22            120  active  -"
    ])
    assert.deepStrictEqual(yield* printedBy(printList(true, "stores", rows)), [JSON.stringify({ stores: rows })])
  })
)

it.effect('an empty list prints "No" and the name of the items, or an empty array in JSON', () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* printedBy(printList(false, "attempts", [])), ["No attempts"])
    assert.deepStrictEqual(yield* printedBy(printList(true, "attempts", [])), ['{"attempts":[]}'])
  })
)
