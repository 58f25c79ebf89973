import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/**
 * Prepares a long transaction: it may be idle while bytes are copied, its statements may take long, and values are written
 * as text in one form.
 */
export const keepTransaction = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql`
    select set_config(name, value, true) from (values
      ('idle_in_transaction_session_timeout', '0'), ('statement_timeout', '0'), ('timezone', 'UTC'),
      ('datestyle', 'ISO'), ('intervalstyle', 'postgres'), ('bytea_output', 'hex'), ('extra_float_digits', '1')
    ) as settings (name, value)
  `)

/** Keeps the connection of a transaction open during work that runs no statement: a silent one is closed. */
export const keptAlive = <A, E, R>(sql: SqlClient.SqlClient, work: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(work, Effect.forever(Effect.delay(sql`select`, "5 seconds")))
