import { Config, Effect, Option, Redacted } from "effect"
import { parseUrl } from "../domain/Url.ts"
import { embeddedPostgres } from "./postgres/EmbeddedPostgres.ts"
import { boolean, integer, invalidSetting, optionalString } from "./Settings.ts"

/** Folder for files outside the database: the data of the embedded server, and `demo.json`. */
export const dataDir = Config.map(
  optionalString("DATA_DIR"),
  Option.getOrElse(() => ".data")
)

const atLeastOne = (value: number) =>
  value >= 1
    ? Effect.succeed(value)
    : Effect.fail(invalidSetting("DATABASE_POOL_SIZE", `Expected an integer of at least 1 but received ${value}`))

/**
 * Accepted values of parameters that secure a connection. The driver ignores others, and verifies certificates with any
 * `sslmode` but `disable` and `no-verify`. It has no channel binding.
 */
const SECURITY_PARAMETERS: ReadonlyArray<
  readonly [parameter: string, variable: string | undefined, values: ReadonlyArray<string>]
> = [
  ["sslmode", "PGSSLMODE", ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"]],
  ["ssl", undefined, ["true", "1", "0", "no-verify"]],
  ["channel_binding", "PGCHANNELBINDING", ["disable", "prefer"]]
]

/** Finds a parameter of a URL, or its variable of libpq, that does not have an accepted value. */
const findUnsupported = Effect.fnUntraced(function* (name: string, url: URL) {
  for (const [parameter, variable, values] of SECURITY_PARAMETERS) {
    const inUrl = url.searchParams.getAll(parameter).at(-1)
    const fromVariable = variable === undefined ? undefined : Option.getOrUndefined(yield* optionalString(variable))
    const value = inUrl ?? fromVariable
    if (value === undefined || value === "" || values.includes(value)) continue
    const setting = inUrl === undefined ? (variable ?? name) : name
    return invalidSetting(
      setting,
      `Expected one of ${values.join(", ")} for ${parameter} but received ${JSON.stringify(value)}`
    )
  }
  return undefined
})

/** Rejects other texts, which the driver would read as the name of a host. The error omits the value: it is secret. */
export const postgresUrl = (name: string) =>
  Config.Redacted(name).pipe(
    Config.mapEffect(
      Effect.fnUntraced(function* (value) {
        const text = Redacted.value(value)
        const url = /^postgres(?:ql)?:\/\//.test(text) ? parseUrl(text) : undefined
        if (url === undefined) {
          const message = "Expected a URL as in postgres://user:password@host:5432/database"
          return yield* Effect.fail(invalidSetting(name, message))
        }
        const unsupported = yield* findUnsupported(name, url)
        return unsupported === undefined ? value : yield* Effect.fail(unsupported)
      })
    ),
    Config.option
  )

const databaseUrl = postgresUrl("DATABASE_URL")

const poolSize = integer("DATABASE_POOL_SIZE").pipe(Config.mapEffect(atLeastOne), Config.withDefault(10))

/** True without `DATABASE_URL`: the service then runs the embedded server. */
export const isEmbedded = Config.map(databaseUrl, Option.isNone)

/** True if the service creates a demo store: always on the embedded server, elsewhere with `DEMO=true`. */
export const isDemo = Effect.flatMap(isEmbedded, (embedded) => boolean("DEMO").pipe(Config.withDefault(embedded)))

/** False leaves migrations to `partner-api migrate`. */
export const migratesOnStart = boolean("MIGRATE_ON_START").pipe(Config.withDefault(true))

/** URL that bypasses the pooler at `DATABASE_URL`. */
const directUrl = Effect.filterOrFail(
  Config.all([databaseUrl, postgresUrl("DATABASE_DIRECT_URL")]),
  ([url, direct]) => Option.isSome(url) || Option.isNone(direct),
  () => invalidSetting("DATABASE_URL", "Required with DATABASE_DIRECT_URL, which bypasses its pooler")
).pipe(Effect.map(([, direct]) => direct))

/** URL of a replica of `DATABASE_URL`, for reads. */
const readUrl = Effect.filterOrFail(
  Config.all([databaseUrl, postgresUrl("DATABASE_READ_URL")]),
  ([url, read]) => Option.isSome(url) || Option.isNone(read),
  () => invalidSetting("DATABASE_URL", "Required with DATABASE_READ_URL, which is its replica")
).pipe(Effect.map(([, read]) => read))

/** Settings of the database. */
export const databaseSettings = Effect.gen(function* () {
  const direct = yield* directUrl
  const read = yield* readUrl
  return {
    url: yield* databaseUrl,
    maxConnections: yield* poolSize,
    direct,
    read,
    // Many poolers do not track prepared statements: their names collide or are missing.
    isPrepared: yield* boolean("DATABASE_PREPARE").pipe(Config.withDefault(Option.isNone(direct)))
  }
})

/** Options of the database at `DATABASE_URL`, or of the embedded server in `DATA_DIR`, which this effect starts. */
export const databaseOptions = Effect.gen(function* () {
  const { direct, isPrepared, maxConnections, read, url } = yield* databaseSettings
  return {
    name: Option.isSome(url) ? "DATABASE_URL" : "The embedded database",
    url: Option.isSome(url) ? url.value : yield* embeddedPostgres({ dataDir: yield* dataDir }),
    maxConnections,
    ...(Option.isSome(direct) ? { directUrl: direct.value } : {}),
    ...(Option.isSome(read) ? { readUrl: read.value } : {}),
    isPrepared
  }
})
