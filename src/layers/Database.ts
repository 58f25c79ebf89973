import { Config, Effect, Layer, Option, Redacted, Schema } from "effect"
import { parseUrl } from "../domain/Url.ts"
import { DatabaseFailed, explained, type Origin } from "./DatabaseFailed.ts"
import { embeddedPostgres } from "./EmbeddedPostgres.ts"
import { migrate, migrations } from "./Migrations.ts"
import { boolean, integer, invalidSetting, textIfAny } from "./Settings.ts"
import { PLANNER, TIMEOUTS } from "./sql/Session.ts"
import { Database, postgres } from "./sql/Postgres.ts"
import { sql } from "./sql/Statement.ts"

/** Where the service keeps what is not in the database: the embedded server's data and `demo.json`. */
export const dataDir = Config.map(
  textIfAny("DATA_DIR"),
  Option.getOrElse(() => ".data")
)

const atLeastOne = (value: number) =>
  value >= 1
    ? Effect.succeed(value)
    : Effect.fail(invalidSetting("DATABASE_POOL_SIZE", `Expected an integer of at least 1 but received ${value}`))

/** The driver would take anything for a database of some host or other. What was given is not repeated: it is secret. */
const postgresUrl = (name: string) =>
  Config.Redacted(name).pipe(
    Config.mapEffect((given) =>
      /^postgres(?:ql)?:\/\//.test(Redacted.value(given)) && parseUrl(Redacted.value(given)) !== undefined
        ? Effect.succeed(given)
        : Effect.fail(invalidSetting(name, "Expected a URL as in postgres://user:password@host:5432/database"))
    ),
    Config.option
  )

const url = postgresUrl("DATABASE_URL")

const poolSize = integer("DATABASE_POOL_SIZE").pipe(Config.mapEffect(atLeastOne), Config.withDefault(10))

/** Whether the database is one of our own. */
export const isEmbedded = Config.map(url, Option.isNone)

/** Whether a store to try things with is wanted: always on the embedded database, else with `DEMO=true`. */
export const isDemo = Effect.flatMap(isEmbedded, (embedded) => boolean("DEMO").pipe(Config.withDefault(embedded)))

/** The way around a pooler, where `DATABASE_URL` leads to one. */
const directUrl = Effect.filterOrFail(
  Config.all([url, postgresUrl("DATABASE_DIRECT_URL")]),
  ([given, direct]) => Option.isSome(given) || Option.isNone(direct),
  () => invalidSetting("DATABASE_URL", "Expected beside DATABASE_DIRECT_URL, which is the way around it")
).pipe(Effect.map(([, direct]) => direct))

/** The database named by `DATABASE_URL`, else one of our own under `DATA_DIR`. */
const options = Effect.gen(function* () {
  const given = yield* url
  const maxConnections = yield* poolSize
  const direct = yield* directUrl
  return {
    name: Option.isSome(given) ? "DATABASE_URL" : "The embedded database",
    url: Option.isSome(given) ? given.value : yield* embeddedPostgres({ dataDir: yield* dataDir }),
    maxConnections,
    ...(Option.isSome(direct) ? { directUrl: direct.value } : {}),
    // Many poolers do not know of prepared statements: a name is taken then, or not there.
    isPrepared: yield* boolean("DATABASE_PREPARE").pipe(Config.withDefault(Option.isNone(direct)))
  }
})

/** What a session must be like, and what it is where it is not so. */
const selectLost = sql`
  select 'there is no limit, or too high a one, for ' || string_agg(name, ', ' order by name) as reason
  from unnest(${Object.keys(TIMEOUTS)}::text[], ${Object.values(TIMEOUTS)}::integer[]) as limits (name, most)
  join pg_settings using (name) where setting::integer not between 1 and most having count(*) > 0
  union all
  select string_agg(name || ' is ' || setting, ' and ' order by name)
  from unnest(${Object.keys(PLANNER)}::text[], ${Object.values(PLANNER)}::text[]) as planner (name, wanted)
  join pg_settings using (name) where setting <> wanted having count(*) > 0
`

/** A pooler may drop what a connection asks for. Without the limits nothing is ever given up. */
const checkSession = ({ name, url }: Origin) =>
  Effect.gen(function* () {
    const { rows } = yield* Database
    const lost = yield* Effect.catchDefect(rows(Schema.Struct({ reason: Schema.String }))(selectLost), (defect) =>
      Effect.fail(explained({ name, url })(defect))
    )
    if (lost.length === 0) return
    const reason = lost.map(({ reason }) => reason).join("; ")
    return yield* new DatabaseFailed({
      name,
      url,
      reason,
      remedy: "Set it in the pooler, or for the role (docs/poolers.md)"
    })
  })

/** The database at the newest schema. To bring it there may take long, and so may the wait for another that does. */
export const DatabaseLive = Layer.unwrap(
  Effect.map(options, (given) => {
    const direct = given.directUrl === undefined ? given : { name: "DATABASE_DIRECT_URL", url: given.directUrl }
    // Where the process is stopped, a second connection cancels the statement of a migration.
    const migrated = migrate(migrations).pipe(
      Effect.provide(postgres({ url: direct.url, maxConnections: 2, isPatient: true })),
      Effect.mapError(explained(direct)),
      Layer.effectDiscard
    )
    return Layer.effectDiscard(checkSession(given)).pipe(
      Layer.provideMerge(postgres(given)),
      Layer.provideMerge(migrated)
    )
  })
)
