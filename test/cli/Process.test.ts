import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { AppMade, cli, cliProcess } from "../support/process/Cli.ts"
import { makeMigratedDatabase } from "../support/process/Process.ts"

const argumentsOf = (text: string) => text.split(" ")

/** Commands of each kind with their exit codes. A command prints its result or an error line. */
const commands: ReadonlyArray<readonly [invocation: string, code: number]> = [
  ["plans list", 0],
  ["plans list --json", 0],
  ["plans create --name tiny --products 1 --collections 1", 0],
  ["stores create --help", 0],
  ["import --help", 0],
  ["stores create --name Shop --plan gold --currency EUR", 1],
  ["stores create --name Shop --plan free --currency XXY", 2],
  ["stores create --name Shop", 2],
  ["destroy", 2]
]

/** Two equal databases, one for each way to run a command. */
class Databases extends Context.Service<Databases, { readonly url: string; readonly otherUrl: string }>()(
  "test/Databases"
) {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const [{ url }, other] = [yield* makeMigratedDatabase, yield* makeMigratedDatabase]
      return { url, otherUrl: other.url }
    })
  )
}

layer(Databases.layer, { excludeTestServices: true, timeout: "60 seconds" })("Commands", (it) => {
  for (const [invocation, code] of commands) {
    it.effect(`${invocation} prints the same in a separate process and exits with ${code}`, () =>
      Effect.gen(function* () {
        const { otherUrl, url } = yield* Databases
        const result = yield* cliProcess(url, ...argumentsOf(invocation))
        assert.deepStrictEqual(result, yield* cli(otherUrl, ...argumentsOf(invocation)))
        assert.strictEqual(result.code, code)
        assert.match(code === 0 ? result.stdout : result.stderr, /^[^\n]+\n/)
        assert.strictEqual(code === 0 ? result.stderr : result.stdout, "")
      })
    )
  }
})

it.live("a separate process stores what it creates", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const created = yield* cliProcess(url, ...argumentsOf("apps create --name App --scope read_products --json"))
    const { appId } = Schema.decodeSync(Schema.fromJsonString(AppMade))(created.stdout)
    const { rows } = yield* Effect.promise(() => client.query("select id from apps"))
    assert.deepStrictEqual(rows, [{ id: appId }])
    const merchant = yield* cliProcess(url, ...argumentsOf("merchants create --email ada@example.com --name Ada"))
    assert.deepStrictEqual([merchant.code, merchant.stderr], [0, ""])
  })
)
