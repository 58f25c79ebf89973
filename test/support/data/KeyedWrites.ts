import { Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { hash } from "node:crypto"
import { Actor } from "../../../src/domain/Actor.ts"
import { Idempotency, IdempotencyKey, type KeyedRequest } from "../../../src/domain/Idempotency.ts"
import { NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import type { Installation } from "../../../src/domain/access/Installations.ts"
import type { ChangeRecorder, WriteContext } from "../../../src/domain/Write.ts"
import { orDefect } from "../../../src/layers/sql/Errors.ts"
import { rowCount } from "../../../src/layers/sql/Transaction.ts"
import { IdempotencyLive } from "../../../src/layers/Idempotency.ts"
import { AccessLive } from "../../../src/layers/access/Access.ts"
import { WritesLive } from "../../../src/layers/Writes.ts"
import { makeInstallation } from "../http/Api.ts"
import { PostgresTest } from "../postgres/PostgresTest.ts"
import { connection, databaseUrl, rowsOf } from "../process/Process.ts"
import { contextOf } from "./Writes.ts"
import { UnitOfWork } from "../../../src/layers/sql/UnitOfWork.ts"
import { RepositoriesLive } from "../../../src/layers/Domain.ts"

/** Write that takes its client from the context. */
export type TestWrite<A, E = never> = Effect.Effect<A, E, ChangeRecorder | SqlClient.SqlClient | UnitOfWork>

/** Services for writes with keys, without a server. */
export const KeyedTest = Layer.mergeAll(IdempotencyLive, AccessLive, WritesLive).pipe(
  Layer.provide(RepositoriesLive),
  Layer.provideMerge(UnitOfWork.layer),
  Layer.provideMerge(PostgresTest)
)

export const installed = makeInstallation(NO_GRANTS)

export const appContext = ({ id, storeId }: Installation): WriteContext => contextOf(storeId, Actor.App({ id }))

export const keyed = (key: string, body = "body"): KeyedRequest => ({
  key: Schema.decodeSync(IdempotencyKey)(key),
  fingerprint: hash("sha256", body, "buffer")
})

/** Encodes the outcome of a write that returned `value`. */
export const encode = (value: string) => `{"data":"${value}"}`

/** Performs a write of the installation with a key. Another `body` makes it another request. */
export const once = <E>(installation: Installation, key: string, write: TestWrite<string, E>, body?: string) =>
  Effect.gen(function* () {
    const { once } = yield* Idempotency
    const services = yield* Effect.context<SqlClient.SqlClient | UnitOfWork>()
    const provided = Effect.provide(write, services)
    return yield* once(appContext(installation), keyed(key, body), provided, encode)
  })

/** Runs a statement in the current transaction. */
export const execute = (statement: (sql: SqlClient.SqlClient) => Statement.Statement<unknown>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => orDefect(rowCount(statement(sql))))

/** A write with a visible effect: it renames the store. `rest` runs between it and the commit. */
export const renameStore = <E = never>(
  { storeId }: Installation,
  name: string,
  rest: () => TestWrite<unknown, E> = () => Effect.void
): TestWrite<string, E> =>
  Effect.gen(function* () {
    yield* execute((sql) => sql`update stores set name = ${name} where id = ${storeId}`)
    yield* rest()
    return name
  })

export const nameOf = ({ storeId }: Installation) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [store] = yield* sql<{ readonly name: string }>`select name from stores where id = ${storeId}`
    return store?.name
  })

export const recordsOf = ({ id }: Installation) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select key, outcome from idempotency_records where actor_id = ${id} order by key`
  )

/** Expires the idempotency records of an installation. */
export const expire = ({ id }: Installation) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update idempotency_records set expires_at = clock_timestamp() where actor_id = ${id}`
  )

/** Locks that stop a write before it inserts its record, or after it and before the commit. */
export const lockWrite = Effect.fn(function* ({ id }: Installation) {
  const url = yield* databaseUrl
  const [holder, watcher] = [yield* connection(url), yield* connection(url)]
  yield* rowsOf(holder, "begin")
  yield* rowsOf(holder, "select 1 from installations where id = $1 for update", [id])
  return {
    watcher,
    beforeRecord: () => execute((sql) => sql`update installations set is_active = is_active where id = ${id}`),
    atCommit: () =>
      Effect.flatMap(Effect.all([SqlClient.SqlClient, UnitOfWork]), ([sql, unitOfWork]) =>
        unitOfWork.add(sql`update installations set is_active = is_active where id = ${id}`)
      ),
    release: rowsOf(holder, "commit")
  }
})
