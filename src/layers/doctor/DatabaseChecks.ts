import { Clock, Deferred, Effect, Option, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { AppId } from "../../domain/access/Ids.ts"
import { checkSession } from "../Database.ts"
import { databaseOptions } from "../DatabaseConfig.ts"
import { checkEncoding, compareSchema } from "../Migrations.ts"
import { explainDatabaseError, type DatabaseSource } from "../sql/DatabaseFailed.ts"
import { Notifications, postgres } from "../sql/Postgres.ts"
import { requiredRowReader, rowsReader } from "../sql/Rows.ts"
import { sealing } from "../webhooks/SecretKeys.ts"
import { type Check, checkNamed, problemOf } from "./Check.ts"

/** Connections of the checks: enough to use one session of a pooler from several. */
const CONNECTIONS = 4

/** Oldest version of PostgreSQL, and its form in `server_version_num`. */
const OLDEST = { version: "15", number: 150_000 }

/** Milliseconds by which the clocks of machine and database may differ. Journal and webhooks compare both. */
const CLOCK_WARNING = 1_000
const CLOCK_PROBLEM = 60_000

/** Webhook secrets that are opened. */
const SECRETS = 100

const LISTEN_TIMEOUT = "5 seconds"

/** Time for the schema on a connection without timeouts: a migration may lock its table. */
const DIRECT_TIMEOUT = "15 seconds"

const readServer = requiredRowReader(
  Schema.Struct({ version: Schema.String, number: Schema.Int, isReadOnly: Schema.Boolean })
)
const readClock = requiredRowReader(Schema.Struct({ millis: Schema.Number }))
const readCreates = requiredRowReader(Schema.Struct({ creates: Schema.Boolean }))
const readTables = requiredRowReader(Schema.Struct({ tables: Schema.NullOr(Schema.String) }))
const readSecrets = rowsReader(
  Schema.Struct({ appId: Schema.toType(AppId), secret: Schema.String, previous: Schema.NullOr(Schema.String) })
)

/** Checks version and rights to write of the server that the environment connects to. */
export const checkServer = Effect.fnUntraced(function* ({ name }: DatabaseSource, check = "database") {
  const sql = yield* SqlClient.SqlClient
  const { ok, problem } = checkNamed(check)
  const { isReadOnly, number, version } = yield* readServer(sql`
    select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
      current_setting('transaction_read_only') = 'on' as "isReadOnly"
  `)
  if (number < OLDEST.number)
    return problem(`${name}: PostgreSQL ${version}. Upgrade it to version ${OLDEST.version} or newer`)
  if (isReadOnly)
    return problem(`${name}: the server is read-only. Use the URL of the primary server, or let its role write`)
  yield* checkEncoding(sql)
  return ok(`PostgreSQL ${version}`)
})

const checkDirect = Effect.fnUntraced(function* (hasDirect: boolean) {
  const sql = yield* SqlClient.SqlClient
  const { listen } = yield* Notifications
  const { ok, problem } = checkNamed("notifications")
  const channel = `doctor_${randomUUID().replaceAll("-", "")}`
  const heard = yield* Deferred.make<void>()
  const notify = Effect.repeat(sql`select pg_notify(${channel}, '')`, Schedule.spaced("100 millis"))
  return yield* Effect.all([listen(channel, () => Deferred.doneUnsafe(heard, Effect.void)), notify], {
    concurrency: "unbounded"
  }).pipe(
    Effect.raceFirst(Deferred.await(heard)),
    Effect.as(ok("LISTEN receives messages")),
    Effect.timeoutOrElse({
      duration: LISTEN_TIMEOUT,
      orElse: () =>
        Effect.succeed(
          problem(
            hasDirect
              ? "LISTEN receives no message. Set DATABASE_DIRECT_URL to an address that bypasses every pooler"
              : "LISTEN receives no message. Set DATABASE_DIRECT_URL to the address of the database behind the pooler"
          )
        )
    })
  )
})

/**
 * Repeats a prepared statement on several connections for different times, so that a pooler mixes their sessions. In
 * transactions, because the driver prepares a missing statement again outside of one.
 */
const checkPrepared = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    Array.from({ length: CONNECTIONS * 6 }, (_, n) => n),
    (n) => sql.withTransaction(sql`select ${n}::integer as n, pg_sleep(random() * 0.02)`),
    { concurrency: CONNECTIONS, discard: true }
  )
  return checkNamed("prepared statements").ok("Prepared statements work")
})

/** Compares the migrations. `creates` is true if the role can apply more of them. */
const checkSchema = Effect.fnUntraced(function* (creates: boolean) {
  const { ok, problem, warning } = checkNamed("schema")
  const { conflict, missing, newer } = yield* compareSchema(yield* SqlClient.SqlClient)
  if (Option.isSome(conflict)) return problem(`${conflict.value.message}. ${conflict.value.remedy}`)
  if (missing.length > 0 && !creates) {
    return problem(
      `${missing.length} migrations are missing, and the role cannot create tables. Make it the owner of the database`
    )
  }
  if (missing.length > 0) return warning(`${missing.length} migrations are missing. Run: partner-api migrate`)
  if (newer > 0)
    return warning(`The schema is ${newer} migrations ahead of this release. Install the release that migrated it`)
  return ok("The schema is that of this release")
})

const checkRights = Effect.fnUntraced(function* (creates: boolean) {
  const sql = yield* SqlClient.SqlClient
  const { ok, problem, warning } = checkNamed("rights")
  // Entries of the journal are never changed, and only migrations write their own table.
  const { tables } = yield* readTables(sql`
    select string_agg(c.relname, ', ' order by c.relname) as tables from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not (
      has_table_privilege(c.oid, 'select')
      and (c.relname = 'effect_sql_migrations' or has_table_privilege(c.oid, 'insert'))
      and (
        c.relname ~ '^(effect_sql_migrations|journal)'
        or has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete')
      )
    )
  `)
  if (tables !== null)
    return problem(`The role may not read or write ${tables}. Grant it select, insert, update and delete`)
  if (!creates)
    return warning("The role cannot create tables, which later releases do. Make it the owner of the database")
  return ok("The role can read, write and migrate")
})

const checkClock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { ok, problem, warning } = checkNamed("clock")
  const before = yield* Clock.currentTimeMillis
  const { millis } = yield* readClock(sql`select extract(epoch from clock_timestamp())::float8 * 1000 as millis`)
  const after = yield* Clock.currentTimeMillis
  // The statement ran between the two.
  const difference = Math.round(Math.max(before - millis, millis - after, 0))
  const text = `The clocks of this machine and of the database differ by ${difference} ms`
  if (difference >= CLOCK_PROBLEM) return problem(`${text}. Set both by NTP`)
  return difference >= CLOCK_WARNING ? warning(`${text}. Set both by NTP`) : ok(text)
})

/** Opens stored secrets of webhooks with the keys. */
const checkSecrets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { ok, problem } = checkNamed("secrets")
  const { open } = yield* sealing
  const rows = yield* readSecrets(sql`
    select app_id as "appId", secret, previous_secret as previous from webhooks order by app_id desc limit ${SECRETS}
  `)
  const closed = rows.filter(({ appId, previous, secret }) =>
    [secret, ...(previous === null ? [] : [previous])].some((text) => Option.isNone(open(appId, text)))
  )
  if (closed.length > 0) {
    return problem(
      `The keys do not open the secrets of ${closed.length} of ${rows.length} webhooks. Set SECRET_KEY, or SECRET_KEY_PREVIOUS, to the key that encrypted them`
    )
  }
  return ok(rows.length === 0 ? "No webhook has a secret yet" : `The keys open the secrets of ${rows.length} webhooks`)
})

/** Turns errors of the database into problems with a remedy. */
const explained = <E, R>(check: string, source: DatabaseSource, effect: Effect.Effect<Check, E, R>) =>
  problemOf(check)(Effect.mapError(effect, explainDatabaseError(source)))

/** Checks the database of the settings. Without a connection there is one result. */
export const checkDatabase = Effect.gen(function* () {
  const options = yield* databaseOptions
  const hasDirect = options.directUrl !== undefined
  const direct = options.directUrl === undefined ? options : { name: "DATABASE_DIRECT_URL", url: options.directUrl }
  const onDirect = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { creates } = yield* readCreates(sql`
      select coalesce(has_schema_privilege(current_schema(), 'create'), false) as creates
    `)
    return { creates, schema: yield* checkSchema(creates) }
  }).pipe(
    Effect.provide(postgres({ url: direct.url, maxConnections: 1, withoutTimeouts: true })),
    Effect.timeout(DIRECT_TIMEOUT),
    Effect.mapError(explainDatabaseError(direct)),
    Effect.result
  )

  return yield* Effect.gen(function* () {
    const server = yield* explained("database", options, checkServer(options))
    if (server.status === "problem") return [server]
    const session = yield* problemOf("session")(
      Effect.as(checkSession(options), checkNamed("session").ok("The session has its timeouts"))
    )
    const checks: Array<Check> = [server, session]
    checks.push(yield* explained("notifications", direct, checkDirect(hasDirect)))
    checks.push(
      options.isPrepared
        ? yield* explained("prepared statements", options, checkPrepared)
        : checkNamed("prepared statements").ok("Not used")
    )
    checks.push(yield* explained("clock", options, checkClock))
    const migrated = yield* onDirect
    if (migrated._tag === "Failure") return [...checks, checkNamed("schema").problem(migrated.failure.message)]
    const { creates, schema } = migrated.success
    checks.push(schema)
    if (schema.status === "ok") {
      checks.push(yield* explained("rights", options, checkRights(creates)))
      checks.push(yield* explained("secrets", options, checkSecrets))
    }
    return checks
  }).pipe(Effect.provide(postgres({ ...options, maxConnections: CONNECTIONS })))
}).pipe(
  Effect.scoped,
  Effect.catch(({ message }) => Effect.succeed([checkNamed("database").problem(message)]))
)
