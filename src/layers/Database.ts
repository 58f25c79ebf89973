import { Config, ConfigError, Effect, Either, Layer, Option, Redacted } from "effect"
import { embeddedPostgres } from "./EmbeddedPostgres.ts"
import { MigrationsLive } from "./Migrations.ts"
import { postgres } from "./Postgres.ts"

/** Where the service keeps what is not in the database: the embedded server's data and `demo.json`. */
export const dataDir = Config.nonEmptyString("DATA_DIR").pipe(Config.withDefault(".data"))

const atLeastOne = (value: number) =>
  value >= 1
    ? Either.right(value)
    : Either.left(ConfigError.InvalidData([], `Expected an integer of at least 1 but received ${value}`))

/** The driver would take anything for a database of some host or other. What was given is not repeated: it is secret. */
const postgresUrl = (given: Redacted.Redacted) =>
  /^postgres(?:ql)?:\/\//.test(Redacted.value(given)) && URL.canParse(Redacted.value(given))
    ? Either.right(given)
    : Either.left(
        ConfigError.InvalidData(["DATABASE_URL"], "Expected a URL as in postgres://user:password@host:5432/database")
      )

const url = Config.option(Config.redacted("DATABASE_URL").pipe(Config.mapOrFail(postgresUrl)))

const poolSize = Config.integer("DATABASE_POOL_SIZE").pipe(Config.mapOrFail(atLeastOne), Config.withDefault(10))

/** Whether a store to try things with is wanted: always on the embedded database, else with `DEMO=true`. */
export const isDemo = Effect.flatMap(Config.map(url, Option.isNone), (embedded) =>
  Config.boolean("DEMO").pipe(Config.withDefault(embedded))
)

/** The database named by `DATABASE_URL`, else one of our own under `DATA_DIR`. */
const options = Effect.gen(function* () {
  const given = yield* url
  const maxConnections = yield* poolSize
  return {
    url: Option.isSome(given) ? given.value : yield* embeddedPostgres({ dataDir: yield* dataDir }),
    maxConnections
  }
})

/** The database at the newest schema. To bring it there may take long, and so may the wait for another that does. */
export const DatabaseLive = Layer.unwrapScoped(
  Effect.map(options, (given) =>
    Layer.provideMerge(
      postgres(given),
      Layer.provide(MigrationsLive, postgres({ ...given, maxConnections: 1, isPatient: true }))
    )
  )
)
