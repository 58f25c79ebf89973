import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Data, Deferred, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { createHash, randomUUID } from "node:crypto"
import type { Installation } from "../../src/domain/access/Installations.ts"
import { Idempotency, IdempotencyKey, type KeyedRequest, type StoredResponse } from "../../src/domain/Idempotency.ts"
import { IdempotencyLive } from "../../src/layers/Idempotency.ts"
import { AccessLive } from "../../src/layers/access/Access.ts"
import { makeInstallation } from "../support/Api.ts"
import { PostgresTest } from "../support/PostgresTest.ts"
import { connection, databaseUrl, rowsOf, waiting, watch } from "../support/Process.ts"

class Refused extends Data.TaggedError("Refused") {}

const Live = Layer.mergeAll(IdempotencyLive, AccessLive).pipe(Layer.provideMerge(PostgresTest))

const keyOf = Schema.decodeSync(IdempotencyKey)

const installed = makeInstallation([])

const request = (installation: Installation, key: string, body = "body"): KeyedRequest => ({
  storeId: installation.storeId,
  installationId: installation.id,
  key: keyOf(key),
  fingerprint: createHash("sha256").update(body).digest()
})

/** An operation that writes a row, so that what is kept of it can be seen: the store's name. */
const rename = (installation: Installation, name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.as(sql`update stores set name = ${name} where id = ${installation.storeId}`, {
      status: 200,
      body: `{"data":"${name}"}`,
      etag: '"1"'
    } satisfies StoredResponse)
  ).pipe(Effect.orDie)

const nameOf = ({ storeId }: Installation) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [store] = yield* sql<{ readonly name: string }>`select name from stores where id = ${storeId}`
    return store?.name
  })

const once = <E>(
  keyed: KeyedRequest,
  operation: Effect.Effect<StoredResponse, E, SqlClient.SqlClient>
): Effect.Effect<unknown, unknown, Idempotency | SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const idempotency = yield* Idempotency
    return yield* idempotency.once(keyed, Effect.provideService(operation, SqlClient.SqlClient, sql))
  })

const recordsOf = ({ id }: Installation) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select key, status, body, etag from idempotency_records where installation_id = ${id} order by key`
  )

/** Lets the records of an installation end now. */
const expire = ({ id }: Installation) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update idempotency_records set expires_at = clock_timestamp() where installation_id = ${id}`
  )

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("IdempotencyLive", (it) => {
  it.effect("keeps a record for 24 hours by the database's clock", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const installation = yield* installed
      yield* once(request(installation, "one"), rename(installation, "First"))
      const [row] = yield* sql<{ readonly seconds: number }>`
        select extract(epoch from expires_at - clock_timestamp())::float8 as seconds
        from idempotency_records where installation_id = ${installation.id}
      `
      assert.approximately(row?.seconds ?? 0, 24 * 3600, 60)
      assert.isAtMost(row?.seconds ?? 0, 24 * 3600)
    })
  )

  it.effect("runs anew under a key whose record has ended, purged or not, and whatever is asked with it", () =>
    Effect.gen(function* () {
      const installation = yield* installed
      yield* once(request(installation, "one"), rename(installation, "First"))
      yield* expire(installation)
      const second = yield* once(request(installation, "one"), rename(installation, "Second"))
      assert.deepInclude(second, { body: '{"data":"Second"}', replayed: false })
      const replay = yield* once(request(installation, "one"), rename(installation, "Third"))
      assert.deepInclude(replay, { body: '{"data":"Second"}', replayed: true })
      yield* expire(installation)
      const other = yield* once(request(installation, "one", "another body"), rename(installation, "Fourth"))
      assert.deepInclude(other, { body: '{"data":"Fourth"}', replayed: false })
      assert.strictEqual(yield* nameOf(installation), "Fourth")
      assert.lengthOf(yield* recordsOf(installation), 1)
    })
  )

  it.effect("has one effect for many requests at once under a key whose record has ended", () =>
    Effect.gen(function* () {
      const installation = yield* installed
      yield* once(request(installation, "one"), rename(installation, "Old"))
      yield* expire(installation)
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => `New ${index}`),
        (name) => once(request(installation, "one"), rename(installation, name)),
        { concurrency: "unbounded" }
      )
      const body = `{"data":"${(yield* nameOf(installation)) ?? ""}"}`
      for (const answer of answers) assert.deepInclude(answer, { body })
    })
  )

  it.effect("leaves nothing of an operation that fails or breaks, and runs the next one", () =>
    Effect.gen(function* () {
      const installation = yield* installed
      const ask = request(installation, "one")
      const before = yield* nameOf(installation)
      const refused = yield* Effect.exit(once(ask, Effect.zipRight(rename(installation, "Half"), new Refused())))
      assert.deepStrictEqual(refused, Exit.fail(new Refused()))
      const broken = yield* Effect.exit(once(ask, Effect.zipRight(rename(installation, "Half"), Effect.die("broken"))))
      assert.deepStrictEqual(broken, Exit.die("broken"))
      assert.strictEqual(yield* nameOf(installation), before)
      assert.lengthOf(yield* recordsOf(installation), 0)
      assert.deepInclude(yield* once(ask, rename(installation, "Whole")), { replayed: false })
      assert.strictEqual(yield* nameOf(installation), "Whole")
    })
  )

  it.scoped("makes the second request wait for the first, and run when that one fails", () =>
    Effect.gen(function* () {
      const installation = yield* installed
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      const [entered, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Deferred.succeed(entered, undefined).pipe(
        Effect.zipRight(Deferred.await(go)),
        Effect.zipRight(rename(installation, "First")),
        Effect.zipRight(new Refused())
      )
      const first = yield* Effect.fork(once(request(installation, "one"), slow))
      yield* Deferred.await(entered)
      // The claim travels while the operation begins: until it has arrived, either request could be the first.
      const claimed = rowsOf(
        watcher,
        `select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
           and application_name = 'partner-api' and query ilike '%insert into idempotency_records%'`
      )
      yield* watch(claimed, (rows) => rows.length === 1)
      const second = yield* Effect.fork(once(request(installation, "one"), rename(installation, "Second")))
      yield* waiting(watcher, 1)
      assert.deepStrictEqual(yield* recordsOf(installation), [])
      yield* Deferred.succeed(go, undefined)
      assert.instanceOf(yield* Effect.flip(Fiber.join(first)), Refused)
      assert.deepInclude(yield* Fiber.join(second), { body: '{"data":"Second"}', replayed: false })
    })
  )

  it.effect("stores status, body and entity tag with the write: who sees one sees the other", () =>
    Effect.gen(function* () {
      const installation = yield* installed
      yield* once(request(installation, "one"), rename(installation, "First"))
      assert.deepStrictEqual(yield* recordsOf(installation), [
        { key: "one", status: 200, body: '{"data":"First"}', etag: '"1"' }
      ])
    })
  )

  it.scoped("purges ended records in batches of 1000, and neither live ones nor those that are being replaced", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { purge } = yield* Idempotency
      yield* sql`delete from idempotency_records`
      const installation = yield* installed
      const insert = (n: number, ends: string) => sql`
        insert into idempotency_records (store_id, installation_id, key, fingerprint, status, body, expires_at)
        select ${installation.storeId}, ${installation.id}, ${randomUUID()} || n, '', 200, '{}', now() + ${ends}::interval
        from generate_series(1, ${n}::integer) as n
      `
      yield* insert(2500, "-1 second")
      yield* insert(3, "1 hour")
      const other = yield* installed
      yield* once(request(other, "held"), rename(other, "First"))
      yield* expire(other)
      const holder = yield* Effect.flatMap(databaseUrl, connection)
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "select 1 from idempotency_records where installation_id = $1 for update", [other.id])

      const purged = [yield* purge, yield* purge, yield* purge, yield* purge]
      assert.deepStrictEqual(purged, [1000, 1000, 500, 0])
      assert.lengthOf(yield* recordsOf(installation), 3)
      yield* rowsOf(holder, "rollback")
      assert.strictEqual(yield* purge, 1)
      assert.lengthOf(yield* recordsOf(other), 0)
    })
  )
})
