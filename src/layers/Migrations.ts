import { PgClient } from "@effect/sql-pg"
import { Data, Effect, Layer, Schedule, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import baseline from "./migrations/0001_baseline.ts"
import { TIMEOUTS } from "./sql/Session.ts"
import { limitLockWaits, OutsideTransaction, type Steps } from "./sql/IndexMigration.ts"

type Migration = Steps | OutsideTransaction

/**
 * The schema of the first release, and what later releases change of it. A migration runs in a transaction. One that
 * indexes a table in use runs outside of it, as `create index concurrently` must:
 *
 *     export default new OutsideTransaction({
 *       steps: buildIndex({ name: "orders_by_customer", table: "orders", definition: "(store_id, customer_id)" })
 *     })
 */
export const migrations = {
  "0001_baseline": baseline
} satisfies Record<string, Migration>

/** The number that a migration's name begins with. */
const idOf = (key: string) => Number(key.slice(0, 4))

const nameOf = (key: string) => key.slice(5)

const decodeApplied = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String })))

/** The database has a migration of another name under a number that this release uses. */
export class SchemaOfAnotherBuild extends Data.TaggedError("SchemaOfAnotherBuild")<{
  readonly applied: string
  readonly expected: string
}> {
  override get message() {
    return `The schema is of another build: migration "${this.applied}" was applied where this release has "${this.expected}"`
  }
}

/**
 * A client whose statements all run on one connection. Its session has no time limits but the one for tables, whatever is
 * set for the role; the others are back when the scope ends.
 */
const makeSession = Effect.gen(function* () {
  const { reserve } = yield* SqlClient.SqlClient
  const connection = yield* reserve
  const sql = yield* SqlClient.make({
    acquirer: Effect.succeed(connection),
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes: []
  }).pipe(Effect.provide(Reactivity.layer))
  const limits = Object.keys(TIMEOUTS)
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.forEach(limits, (name) => sql`reset ${sql(name)}`)))
  yield* sql`select set_config(name, '0', false) from unnest(${limits}::text[]) as name`
  return sql
})

/**
 * Lets one process migrate while the others wait, until the scope or the session ends. The lock locks nothing that the
 * others read: the migrator of @effect/sql locks its table, which made servers unready for as long as another one
 * migrated. Waiting processes ask again and again, since `create index concurrently` waits for every statement that
 * is under way, and so for one that waits for the lock.
 */
const lock = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* Effect.addFinalizer(() => Effect.ignore(sql`select pg_advisory_unlock_all()`))
  const tryLock = sql<{ readonly isMine: boolean }>`
    select pg_try_advisory_lock(hashtext('effect_sql_migrations')) as "isMine"
  `
  yield* Effect.repeat(tryLock, {
    until: ([row]) => row?.isMine === true,
    schedule: Schedule.tap(Schedule.spaced("250 millis"), ({ attempt }) =>
      attempt % 240 === 41
        ? Effect.logWarning("Another process migrates the database: this one waits until it is done")
        : Effect.void
    )
  })
})

/** The table of the migrator of @effect/sql. */
const createTable = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const found = yield* sql`select from pg_class where oid = to_regclass('effect_sql_migrations')`
  if (found.length > 0) return
  yield* sql`
    create table effect_sql_migrations (
      migration_id integer primary key,
      created_at timestamptz not null default now(),
      name text not null
    )
  `
})

/** lock_not_available: another session holds a table for longer than a migration waits. */
const isHeld = ({ reason }: SqlError.SqlError) => reason._tag === "LockTimeoutError"

/**
 * Tries again for as long as a dump or an idle transaction holds a table. In the pauses others read and write it. Logs at
 * first, and then about once a minute.
 */
const untilFree = Schedule.tap(Schedule.spaced("5 seconds"), ({ attempt }) =>
  attempt % 10 === 1
    ? Effect.logWarning("A migration waits for a table that another session holds: a dump, or a transaction")
    : Effect.void
)

/**
 * Applies the migrations that are missing, in their order. Each has a transaction of its own, so that what it locks is
 * free again before the next one starts, or runs outside of one if it builds indexes.
 */
export const migrate = (wanted: Readonly<Record<string, Migration>>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* makeSession
      yield* lock(sql)
      yield* createTable(sql)
      const rows = decodeApplied(yield* sql`select migration_id as id, name from effect_sql_migrations`)
      const applied = new Map(rows.map(({ id, name }) => [id, name]))
      for (const [key, migration] of Object.entries(wanted)) {
        const [expected, before] = [nameOf(key), applied.get(idOf(key))]
        if (before === expected) continue
        if (before !== undefined) return yield* new SchemaOfAnotherBuild({ applied: before, expected })
        const note = sql`insert into effect_sql_migrations (migration_id, name) values (${idOf(key)}, ${expected})`
        const run =
          migration instanceof OutsideTransaction
            ? Effect.andThen(migration.steps, note)
            : sql.withTransaction(Effect.andThen(migration, note))
        yield* Effect.andThen(limitLockWaits, run).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.retry({ while: isHeld, schedule: untilFree })
        )
      }
    })
  )

/** Brings the database to the newest schema before anything that is built on it. */
export const MigrationsLive = Layer.effectDiscard(migrate(migrations))
