import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { hash } from "node:crypto"
import { Actor } from "../../src/domain/Actor.ts"
import { Idempotency, IdempotencyKey, type KeyedRequest, type StoredResponse } from "../../src/domain/Idempotency.ts"
import { NO_GRANTS } from "../../src/domain/access/AccessRule.ts"
import type { Installation } from "../../src/domain/access/Installations.ts"
import type { Write, WriteContext } from "../../src/domain/Write.ts"
import { countOf, deferToCommit, type Part, type Step } from "../../src/layers/sql/Plan.ts"
import { sql } from "../../src/layers/sql/Statement.ts"
import { IdempotencyLive } from "../../src/layers/Idempotency.ts"
import { AccessLive } from "../../src/layers/access/Access.ts"
import { WritesLive } from "../../src/layers/Writes.ts"
import { makeInstallation } from "./Api.ts"
import { PostgresTest } from "./PostgresTest.ts"
import { connection, databaseUrl, rowsOf } from "./Process.ts"
import { contextOf } from "./Writes.ts"

/** Writes under keys, and nothing above them. */
export const KeyedTest = Layer.mergeAll(IdempotencyLive, AccessLive, WritesLive).pipe(Layer.provideMerge(PostgresTest))

export const installed = makeInstallation(NO_GRANTS)

export const appContext = ({ id, storeId }: Installation): WriteContext => contextOf(storeId, Actor.App({ id }))

export const keyed = (key: string, body = "body"): KeyedRequest => ({
  key: Schema.decodeSync(IdempotencyKey)(key),
  fingerprint: hash("sha256", body, "buffer")
})

/** The answer to a write that comes to `value`. */
export const respond = (value: string): StoredResponse => ({ status: 200, body: `{"data":"${value}"}`, etag: '"1"' })

/** Performs a write of the installation under a key, which another `body` makes another request. */
export const once = <E>(installation: Installation, key: string, write: Write<string, E>, body?: string) =>
  Effect.flatMap(Idempotency, ({ once }) => once(appContext(installation), keyed(key, body), write, respond))

const updateName = (store: string, name: string) => sql`update stores set name = ${name} where id = ${store}`

/** A write of which can be seen what is kept: the store's name. `rest` is done between it and the commit. */
export const rename = <E = never>(
  { storeId }: Installation,
  name: string,
  rest: () => Part<unknown, E> = () => Effect.void
) =>
  Effect.gen(function* (): Step<string, E> {
    yield* countOf(updateName(storeId, name))
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
    (sql) => sql`select key, status, body, etag from idempotency_records where actor_id = ${id} order by key`
  )

/** Lets the records of an installation end now. */
export const expire = ({ id }: Installation) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update idempotency_records set expires_at = clock_timestamp() where actor_id = ${id}`
  )

const touch = (installation: string) => sql`update installations set is_active = is_active where id = ${installation}`

/** Holds what a write is to wait for: before it leaves its record, or with the record there and not yet committed. */
export const brake = Effect.fn(function* ({ id }: Installation) {
  const url = yield* databaseUrl
  const [holder, watcher] = [yield* connection(url), yield* connection(url)]
  yield* rowsOf(holder, "begin")
  yield* rowsOf(holder, "select 1 from installations where id = $1 for update", [id])
  return {
    watcher,
    beforeRecord: () => countOf(touch(id)),
    atCommit: () => deferToCommit(touch(id)),
    release: rowsOf(holder, "commit")
  }
})
