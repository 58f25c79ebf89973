import { Effect, Option, Schema, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { createReadStream } from "node:fs"
import { UnknownStore } from "../../domain/access/Stores.ts"
import { ObjectKey, ObjectStorage } from "../../domain/media/ObjectStorage.ts"
import type { StoreId } from "../../domain/Store.ts"
import { millisOf } from "../../domain/Uuid.ts"
import { ObjectStorageLive } from "../media/ObjectStorage.ts"
import { receiveBytes } from "../media/Receiving.ts"
import { storageFailure } from "../media/StorageFailure.ts"
import type { BackupFailed } from "../postgres/BackupFiles.ts"
import { orDefectExcept } from "../sql/Errors.ts"
import { SnapshotConnections } from "../sql/Postgres.ts"
import { requiredRowReader, rowReader, rowsReader } from "../sql/Rows.ts"
import { snapshot } from "../sql/Transaction.ts"
import { type BackupWriter, createWriter, Manifest } from "./BackupStream.ts"
import { keepTransaction } from "./Session.ts"
import { listTables, rowsOfStore, selectLines, type StoreTable } from "./StoreTables.ts"

/** Rows of a statement. A row has a megabyte at most. */
const ROWS = 100

const StoredObject = Schema.Struct({ key: ObjectKey, hash: Schema.String, bytes: Schema.Int, isSize: Schema.Boolean })

/** Object whose bytes are missing or differ from its row. */
export interface DamagedObject {
  readonly key: ObjectKey
  readonly problem: "damaged" | "missing"
}

const readLines = rowsReader(Schema.Struct({ line: Schema.String }))
const readCount = requiredRowReader(Schema.Struct({ count: Schema.Int }))
const readObjects = rowsReader(StoredObject)

const Facts = Schema.Struct({
  name: Schema.String,
  plan: Manifest.fields.plan,
  clock: Schema.Int,
  createdAt: Schema.String,
  migrations: Schema.Array(Schema.String),
  newestEntry: Schema.NullOr(Schema.String),
  apps: Manifest.fields.apps,
  installations: Manifest.fields.installations,
  accounts: Manifest.fields.accounts
})
const readFacts = rowReader(Schema.Struct({ facts: Schema.fromJsonString(Facts) }))

/** Reads what a manifest says, except numbers of rows and objects. */
const describe = (sql: SqlClient.SqlClient, store: StoreId) =>
  readFacts(sql`
    select json_build_object(
      'name', s.name, 'clock', s.id_clock, 'createdAt', now(),
      'plan', json_build_object(
        'name', p.name, 'productLimit', p.product_limit, 'collectionLimit', p.collection_limit, 'mediaLimit', p.media_limit
      ),
      'migrations', (select json_agg(name || ' ' || left(hash, 8) order by migration_id) from effect_sql_migrations),
      'newestEntry', (select j.id from journal j where j.store_id = s.id order by j.id desc limit 1),
      'apps', (
        select coalesce(json_agg(json_build_object('id', a.id, 'name', a.name) order by a.id), '[]')
        from installations i join apps a on a.id = i.app_id where i.store_id = s.id
      ),
      'installations', (
        select coalesce(json_agg(json_build_object('id', i.id, 'appId', i.app_id, 'planIds', (
          select coalesce(json_agg(distinct b.plan_id), '[]') from subscriptions b
          where b.store_id = i.store_id and b.installation_id = i.id
        ), 'pendingDeliveries', (
          select count(*) from deliveries d
          where d.store_id = i.store_id and d.installation_id = i.id and d.finished_at is null
        )) order by i.id), '[]')
        from installations i where i.store_id = s.id
      ),
      'accounts', (
        select coalesce(json_agg(json_build_object(
          'id', m.id, 'name', m.name, 'email', m.email,
          'isMember', exists (select from members o where o.store_id = s.id and o.merchant_id = m.id)
        ) order by m.id), '[]')
        from merchants m where m.id in (
          select merchant_id from members where store_id = s.id
          union select created_by from agents where store_id = s.id
          union select decided_by from proposals where store_id = s.id
        )
      )
    )::text as facts
    from stores s join plans p on p.name = s.plan where s.id = ${store} and s.deleted_at is null
  `)

/** Lists the objects whose bytes belong to the store: those of files, and those that an undo can bring back. */
const listObjects = (sql: SqlClient.SqlClient, store: StoreId) =>
  readObjects(sql`
    select key, hash, bytes, false as "isSize" from media_objects where store_id = ${store} and was_used
    union all
    select s.key, s.hash, s.bytes, true from media_sizes s where s.store_id = ${store} and s.bytes is not null
  `)

/** Writes the rows of a table. */
const writeTable = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  table: StoreTable,
  store: StoreId,
  writer: BackupWriter,
  onRows: (rows: number) => void
) {
  const columns = table.columns.map(({ name }) => name)
  yield* writer.write(`${JSON.stringify({ table: table.name, columns })}\n`)
  yield* sql.unsafe(`declare rows_of_store no scroll cursor for ${selectLines(table, store)}`)
  for (;;) {
    const rows = yield* readLines(sql`fetch forward ${sql.literal(String(ROWS))} from rows_of_store`)
    if (rows.length === 0) break
    yield* writer.write(rows.map(({ line }) => `${line}\n`).join(""))
    onRows(rows.length)
  }
  yield* sql`close rows_of_store`
})

/** Writes the manifest and all rows, as of one moment. Returns the manifest and the objects of the store. */
const writeRows = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  store: StoreId,
  writer: BackupWriter,
  progress: Progress
) {
  yield* keepTransaction(sql)
  const found = yield* describe(sql, store)
  if (Option.isNone(found)) return yield* new UnknownStore({ id: store })
  const { clock, name, newestEntry, ...facts } = found.value.facts
  const tables = yield* listTables(sql)
  const rows: Record<string, number> = {}
  for (const table of tables) {
    const { count } = yield* readCount(
      sql`select count(*)::integer as count from ${sql.literal(rowsOfStore(table, store))}`
    )
    rows[table.name] = count
    progress.total += count
  }
  const objects = yield* listObjects(sql, store)
  progress.total += objects.length
  const manifest: Manifest = {
    ...facts,
    format: 1,
    store: { id: store, name },
    newest: Math.max(clock, newestEntry === null ? 0 : millisOf(newestEntry) * 1000),
    rows,
    objects: { count: objects.length, bytes: objects.reduce((sum, { bytes }) => sum + bytes, 0) }
  }
  yield* writer.write(`${JSON.stringify(manifest)}\n`)
  for (const table of tables) yield* writeTable(sql, table, store, writer, (count) => (progress.done += count))
  return { manifest, objects }
})

/** Writes an object, whose bytes are compared with its row first. Returns its problem, if it has one. */
const writeObject = Effect.fnUntraced(function* (
  store: StoreId,
  { bytes, hash, isSize, key }: typeof StoredObject.Type,
  writer: BackupWriter
) {
  const { read } = yield* ObjectStorage
  const found = yield* read(key)
  if (Option.isNone(found)) return "missing" as const
  const received = yield* receiveBytes(store, found.value).pipe(
    Effect.asSome,
    Effect.catchTag(["FileEmpty", "FileTooLarge"], () => Effect.succeedNone)
  )
  if (Option.isNone(received) || received.value.bytes !== bytes || (!isSize && received.value.hash !== hash)) {
    return "damaged" as const
  }
  yield* writer.write(`${JSON.stringify({ object: key, bytes })}\n`)
  const stored = Stream.fromAsyncIterable<Uint8Array, BackupFailed | ReturnType<typeof storageFailure>>(
    createReadStream(received.value.path),
    storageFailure
  )
  yield* Stream.runForEach(stored, writer.write)
  return undefined
}, Effect.scoped)

/** Rows and objects of an export or restore. */
export interface Progress {
  done: number
  total: number
}

/**
 * Writes everything of a store to a file: rows of one moment, then the bytes of its objects. An object without its bytes is
 * reported and left out.
 */
export const exportStore = Effect.fn("exportStore")(
  function* (
    store: StoreId,
    file: string,
    progress: Progress,
    onDamaged: (object: DamagedObject) => Effect.Effect<void>
  ) {
    const { open } = yield* SnapshotConnections
    const writer = yield* createWriter(file)
    const { manifest, objects } = yield* Effect.scoped(
      Effect.flatMap(open, (sql) => snapshot(sql, writeRows(sql, store, writer, progress)))
    ).pipe(orDefectExcept<BackupFailed | UnknownStore>())
    let damaged = 0
    for (const object of objects) {
      const problem = yield* writeObject(store, object, writer)
      progress.done++
      if (problem === undefined || object.isSize) continue
      damaged++
      yield* onDamaged({ key: object.key, problem })
    }
    yield* writer.finish
    return { manifest, damaged }
  },
  Effect.scoped,
  Effect.provide(ObjectStorageLive)
)
