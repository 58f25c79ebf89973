import { defaultTeardown } from "@effect/platform/Runtime"
import { assert } from "@effect/vitest"
import { ConfigProvider, Console, Effect, Schema } from "effect"
import { format } from "node:util"
import { partnerApi } from "../../src/cli/Program.ts"
import { type Ended, keyed, runNode, type Variables } from "./Process.ts"

/** A console like another, but that what is said on it is kept. */
const keeping = (console: Console.Console) => {
  const said = { stdout: "", stderr: "" }
  const log = (...texts: ReadonlyArray<unknown>) => void (said.stdout += `${format(...texts)}\n`)
  const error = (...texts: ReadonlyArray<unknown>) => void (said.stderr += `${format(...texts)}\n`)
  const own: Console.Console = {
    ...console,
    log: (...texts) => Effect.sync(() => log(...texts)),
    error: (...texts) => Effect.sync(() => error(...texts)),
    unsafe: { ...console.unsafe, log, error }
  }
  return { own, said }
}

/**
 * Runs in this process what is else all that one does, with nothing in its environment but what is given: what it said,
 * and how it would end. To start a process takes up to a second of CPU.
 */
export const runHere = <E>(program: Effect.Effect<unknown, E>, given: Variables): Effect.Effect<Ended> =>
  Console.consoleWith((console) =>
    Effect.gen(function* () {
      const { own, said } = keeping(console)
      const exit = yield* program.pipe(
        Effect.withConsole(own),
        Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(keyed(given))))),
        Effect.exit
      )
      const code = yield* Effect.async<number>((resume) => defaultTeardown(exit, (n) => resume(Effect.succeed(n))))
      return { code, signal: null, ...said }
    })
  )

/** Runs `partner-api` on a database, in this process. */
export const cli = (url: string, ...args: ReadonlyArray<string>) => runHere(partnerApi(args), { DATABASE_URL: url })

/** The same in a process of its own: that what was asked for reaches its streams, and that it ends, with which code. */
export const cliProcess = (url: string, ...args: ReadonlyArray<string>) => runNode("cli", args, { DATABASE_URL: url })

/** What a command that succeeds prints with `--json`: one line of it. */
export const factsOf = Effect.fn(function* <A, I>(
  schema: Schema.Schema<A, I>,
  url: string,
  ...args: ReadonlyArray<string>
) {
  const { code, stderr, stdout } = yield* cli(url, ...args, "--json")
  assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  assert.match(stdout, /^[^\n]+\n$/)
  return Schema.decodeSync(Schema.parseJson(schema), { onExcessProperty: "error" })(stdout)
})

export const StoreMade = Schema.Struct({ storeId: Schema.UUID })
export const AppMade = Schema.Struct({ appId: Schema.UUID })
export const Installed = Schema.Struct({
  installationId: Schema.UUID,
  storeId: Schema.UUID,
  scopes: Schema.Array(Schema.String),
  capabilities: Schema.Array(Schema.String),
  accessToken: Schema.NonEmptyString,
  accessTokenExpiresAt: Schema.DateTimeUtc
})

/** Makes a store. */
export const store = (url: string, plan = "free") =>
  factsOf(StoreMade, url, "stores", "create", "--name", "Shop", "--plan", plan, "--currency", "chf")
/** Makes an app that declares the scopes. */
export const app = (url: string, ...scopes: ReadonlyArray<string>) =>
  factsOf(AppMade, url, "apps", "create", "--name", "App", ...scopes.flatMap((scope) => ["--scope", scope]))
