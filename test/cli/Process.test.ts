import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { AppMade, cli, cliProcess } from "../support/process/Cli.ts"
import { ownDatabase } from "../support/process/Process.ts"

const words = (text: string) => text.split(" ")

/** A command of each kind, and how it ends. What it was asked for is printed, or one line says why not. */
const commands: ReadonlyArray<readonly [asked: string, code: number]> = [
  ["plans list", 0],
  ["plans list --json", 0],
  ["plans create --name tiny --products 1 --collections 1", 0],
  ["stores create --help", 0],
  ["import --help", 0],
  ["stores create --name Shop --plan gold --currency EUR", 1],
  ["stores create --name Shop --plan free --currency XXY", 1],
  ["stores create --name Shop", 1],
  ["destroy", 1]
]

for (const [asked, code] of commands) {
  it.live(`${asked} prints the same in a separate process and exits with ${code}`, () =>
    Effect.gen(function* () {
      const [{ url }, other] = [yield* ownDatabase, yield* ownDatabase]
      const ended = yield* cliProcess(url, ...words(asked))
      assert.deepStrictEqual(ended, yield* cli(other.url, ...words(asked)))
      assert.strictEqual(ended.code, code)
      assert.match(code === 0 ? ended.stdout : ended.stderr, /^[^\n]+\n/)
      assert.strictEqual(code === 0 ? ended.stderr : ended.stdout, "")
    })
  )
}

it.live("a separate process stores what it creates", () =>
  Effect.gen(function* () {
    const { client, url } = yield* ownDatabase
    const made = yield* cliProcess(url, ...words("apps create --name App --scope read_products --json"))
    const { appId } = Schema.decodeSync(Schema.fromJsonString(AppMade))(made.stdout)
    const { rows } = yield* Effect.promise(() => client.query("select id from apps"))
    assert.deepStrictEqual(rows, [{ id: appId }])
    const merchant = yield* cliProcess(url, ...words("merchants create --email ada@example.com --name Ada"))
    assert.deepStrictEqual([merchant.code, merchant.stderr], [0, ""])
  })
)
