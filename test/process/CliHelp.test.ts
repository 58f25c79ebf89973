import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { stripVTControlCharacters } from "node:util"
import { cli } from "../support/Cli.ts"

/** What help is asked for, how it is used, and lines of its list of commands. */
const helps: ReadonlyArray<readonly [string, string, ReadonlyArray<RegExp>]> = [
  [
    "--help",
    "$ partner-api",
    [/^ {2}apps webhook set +Set where/m, /^ {2}installations token +Print/m, /^ {2}worker +Deliver/m]
  ],
  ["apps --help", "$ partner-api apps", [/^ {2}webhook set +Set where/m]],
  ["apps create --help", "$ partner-api apps create --name text", []],
  ["stores delete --help", "$ partner-api stores delete [--json] <store>", []]
]

for (const [asked, usage, commands] of helps) {
  it.live(`${asked} names every command by its whole name, in lines of at most 100 columns`, () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* cli("", ...asked.split(" "))
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      const lines = stripVTControlCharacters(stdout).split("\n")
      assert.include(
        lines.map((line) => line.slice(0, usage.length)),
        usage
      )
      for (const line of lines) assert.isAtMost(line.length, 100, line)
      for (const command of commands) assert.match(stdout, command)
      assert.notMatch(stdout, /apps apps/)
    })
  )
}

it.live("a misspelt option is answered in one line with the option that was meant", () =>
  Effect.gen(function* () {
    const { code, stderr, stdout } = yield* cli("", "migrate", "--jso")
    const line = "partner-api: Received unknown option: --jso. Did you mean --json?\n"
    assert.deepStrictEqual({ code, stderr, stdout }, { code: 1, stderr: line, stdout: "" })
  })
)
