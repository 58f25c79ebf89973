import { assert } from "@effect/vitest"
import { ConfigProvider, Console, Effect, Runtime, Schema } from "effect"
import { format } from "node:util"
import { partnerApi } from "../../../src/cli/Program.ts"
import { IsDurable } from "../../../src/layers/postgres/Cluster.ts"
import { type ExitedProcess, withSecretKey, runNode, type Variables } from "./Process.ts"

/** A console that collects its output. */
const captureOutput = (console: Console.Console) => {
  const output = { stdout: "", stderr: "" }
  const capturing: Console.Console = {
    ...console,
    log: (...texts) => void (output.stdout += `${format(...texts)}\n`),
    error: (...texts) => void (output.stderr += `${format(...texts)}\n`)
  }
  return { capturing, output }
}

/**
 * Runs a program in this process with only the given environment, and returns its output and exit code. Starting a
 * process takes up to a second of CPU.
 */
export const runInProcess = <E>(program: Effect.Effect<unknown, E>, given: Variables): Effect.Effect<ExitedProcess> =>
  Effect.gen(function* () {
    const { capturing, output } = captureOutput(yield* Console.Console)
    const env = ConfigProvider.fromEnv({ env: withSecretKey(given), preserveEmptyStrings: true })
    const exit = yield* program.pipe(
      Effect.provideService(Console.Console, capturing),
      Effect.provideService(IsDurable, false),
      Effect.provide(ConfigProvider.layer(env)),
      Effect.exit
    )
    const code = yield* Effect.callback<number>((resume) =>
      Runtime.defaultTeardown(exit, (n) => resume(Effect.succeed(n)))
    )
    return { code, signal: null, ...output }
  })

/** Runs `partner-api` on a database in this process. */
export const cli = (url: string, ...args: ReadonlyArray<string>) =>
  runInProcess(partnerApi(args), { DATABASE_URL: url })

/** Runs `partner-api` on a database in a new process, to test its streams and its exit code. */
export const cliProcess = (url: string, ...args: ReadonlyArray<string>) => runNode("cli", args, { DATABASE_URL: url })

/** Runs a command that succeeds and decodes the one line of its `--json` output. */
export const jsonOutput = Effect.fn(function* <A, I>(
  schema: Schema.Codec<A, I>,
  url: string,
  ...args: ReadonlyArray<string>
) {
  const { code, stderr, stdout } = yield* cli(url, ...args, "--json")
  assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  assert.match(stdout, /^[^\n]+\n$/)
  return Schema.decodeSync(Schema.fromJsonString(schema), { onExcessProperty: "error" })(stdout)
})

export const StoreMade = Schema.Struct({ storeId: Schema.String.check(Schema.isUUID()) })
export const AppMade = Schema.Struct({ appId: Schema.String.check(Schema.isUUID()) })
export const Installed = Schema.Struct({
  installationId: Schema.String.check(Schema.isUUID()),
  storeId: Schema.String.check(Schema.isUUID()),
  scopes: Schema.Array(Schema.String),
  capabilities: Schema.Array(Schema.String),
  accessToken: Schema.NonEmptyString,
  accessTokenExpiresAt: Schema.DateTimeUtcFromString
})

/** Creates a store. */
export const createStore = (url: string, plan = "free") =>
  jsonOutput(StoreMade, url, "stores", "create", "--name", "Shop", "--plan", plan, "--currency", "chf")
/** Creates an app that declares the scopes. */
export const createApp = (url: string, ...scopes: ReadonlyArray<string>) =>
  jsonOutput(AppMade, url, "apps", "create", "--name", "App", ...scopes.flatMap((scope) => ["--scope", scope]))
