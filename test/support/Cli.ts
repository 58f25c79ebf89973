import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { runNode } from "./Process.ts"

/** Runs `partner-api` on a database. */
export const cli = (url: string, ...args: ReadonlyArray<string>) => runNode("cli", args, { DATABASE_URL: url })

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
