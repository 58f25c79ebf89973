import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { MediaLimitReached, UNUSED_HOURS } from "../../domain/media/File.ts"
import type { ReceivedFile } from "../../domain/media/Files.ts"
import { ObjectKey, ObjectStorage, StorageUnavailable } from "../../domain/media/ObjectStorage.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { orDefect } from "../sql/Errors.ts"
import { PURGE_BATCH } from "../sql/Purging.ts"
import { rowReader, rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"

const readUsage = rowReader(
  Schema.Struct({
    used: Schema.NumberFromString,
    stored: Schema.NumberFromString,
    limit: Schema.NumberFromString
  })
)
const readObject = rowReader(Schema.Struct({ key: ObjectKey, bytes: Schema.Int, isUsed: Schema.Boolean }))
const readStore = rowReader(Schema.Struct({ store: Schema.toType(StoreId) }))
const readKeys = rowsReader(Schema.Struct({ key: ObjectKey }))

/** Bytes of unused objects that a store may have, as a multiple of its limit. Deletions do not free space at once. */
const MAX_STORED = 2

/** Makes a key that no object has, for the bytes of a file or of a size of it. */
export const newKey = (hash: string) => ObjectKey.make(`${hash}-${randomBytes(8).toString("hex")}`)

/** Fails if the bytes would exceed the limit of the plan. */
const requireSpace = ({ limit, used }: { readonly limit: number; readonly used: number }, bytes: number) =>
  used + bytes > limit ? Effect.fail(new MediaLimitReached({ limit, isByUnused: false })) : Effect.void

/**
 * Rows of objects and the usage of stores. All changes of a store lock its usage first, so that the limit is exact and no
 * object is deleted while an upload counts on it.
 *
 * The row of an object precedes its bytes, and the row of a file follows them. After a crash, an object without files is
 * left, which the purge deletes.
 */
export class Objects extends Context.Service<Objects>()("layers/media/Objects", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const storage = yield* ObjectStorage

    const lockUsage = Effect.fnUntraced(function* (store: StoreId) {
      yield* sql`
        insert into media_usage (store_id) select id from stores where id = ${store} and deleted_at is null
        on conflict do nothing
      `
      const usage = yield* readUsage(sql`
        select u.used::text, u.stored::text, p.media_limit::text as limit
        from media_usage u join stores s on s.id = u.store_id join plans p on p.name = s.plan
        where u.store_id = ${store} and s.deleted_at is null for no key update of u
      `)
      return Option.isSome(usage) ? usage.value : yield* new StoreNotFound()
    })

    const find = (store: StoreId, hash: string) =>
      readObject(sql`
        select key, bytes, unused_since is null as "isUsed" from media_objects where store_id = ${store} and hash = ${hash}
      `)

    /** Finds the object of received bytes or creates it, and restarts the time for which it is kept without files. */
    const claim = Effect.fnUntraced(function* (
      store: StoreId,
      { bytes, color, contentType, hash, height, isOpaque, width }: ReceivedFile
    ) {
      const usage = yield* lockUsage(store)
      const existing = yield* find(store, hash)
      if (Option.isNone(existing) || !existing.value.isUsed) yield* requireSpace(usage, bytes)
      if (Option.isSome(existing)) {
        yield* sql`
          update media_objects set unused_since = clock_timestamp()
          where store_id = ${store} and hash = ${hash} and unused_since is not null
        `
        return existing.value.key
      }
      const { limit, stored } = usage
      if (stored + bytes > limit * MAX_STORED) return yield* new MediaLimitReached({ limit, isByUnused: true })
      const key = newKey(hash)
      yield* sql`
        insert into media_objects (store_id, hash, key, content_type, bytes, width, height, color, is_opaque, unused_since)
        values (
          ${store}, ${hash}, ${key}, ${contentType}, ${bytes}, ${width}, ${height}, ${color}, ${isOpaque}, clock_timestamp()
        )
      `
      yield* sql`update media_usage set stored = stored + ${bytes} where store_id = ${store}`
      return key
    })

    return {
      /** Stores received bytes, unless the store has them. */
      keep: Effect.fn("Objects.keep")(function* (store: StoreId, received: ReceivedFile) {
        const key = yield* sql.withTransaction(claim(store, received))
        yield* Effect.tapError(
          Effect.flatMap(storage.size(key), (size) =>
            Option.isSome(size) && size.value === received.bytes ? Effect.void : storage.put(key, received.path)
          ),
          (error) => Effect.logError("A file could not be stored", error)
        )
      }, orDefect),

      /** Counts an object for a new file, inside the transaction of the file. */
      use: Effect.fnUntraced(function* (store: StoreId, hash: string) {
        const usage = yield* lockUsage(store)
        const object = yield* find(store, hash)
        if (Option.isNone(object)) {
          // The upload took longer than unused bytes are kept.
          return yield* new StorageUnavailable({ cause: new Error("The object was deleted"), isFull: false })
        }
        const { bytes, isUsed } = object.value
        if (isUsed) return
        yield* requireSpace(usage, bytes)
        yield* sql`update media_objects set unused_since = null where store_id = ${store} and hash = ${hash}`
        yield* sql`update media_usage set used = used + ${bytes} where store_id = ${store}`
      }),

      lockUsage,

      /** Ends the use of an object if no file names it. The usage is locked. */
      release: Effect.fnUntraced(function* (store: StoreId, hash: string) {
        yield* sql`
          with released as (
            update media_objects o set unused_since = clock_timestamp()
            where store_id = ${store} and hash = ${hash} and unused_since is null
              and not exists (select from files f where f.store_id = o.store_id and f.hash = o.hash)
            returning bytes
          )
          update media_usage set used = used - released.bytes from released where store_id = ${store}
        `
      }),

      /**
       * Deletes a batch of objects of one store that have no files, first the rows, then the bytes. Returns their number.
       * A later round deletes bytes that could not be deleted.
       */
      purge: Effect.gen(function* () {
        const isExpired = sql`unused_since < now() - interval '${constant(UNUSED_HOURS)} hours'`
        const store = yield* readStore(sql`
          select store_id as store from media_objects where ${isExpired} order by unused_since limit 1
        `)
        if (Option.isSome(store)) {
          yield* sql.withTransaction(
            Effect.andThen(
              sql`select from media_usage where store_id = ${store.value.store} for no key update`,
              sql`
                with gone as (
                  delete from media_objects where store_id = ${store.value.store} and hash = any (array(
                    select hash from media_objects where store_id = ${store.value.store} and ${isExpired}
                    limit ${constant(PURGE_BATCH)}
                  )) returning store_id, hash, key, bytes
                ), freed as (
                  update media_usage set stored = stored - (select coalesce(sum(bytes), 0) from gone)
                  where store_id = ${store.value.store}
                )
                insert into media_deletions (key)
                select key from gone union all select s.key from media_sizes s join gone using (store_id, hash)
              `
            )
          )
        }
        const keys = yield* readKeys(sql`select key from media_deletions limit ${constant(PURGE_BATCH)}`)
        yield* Effect.forEach(
          keys,
          ({ key }) => Effect.andThen(storage.delete(key), sql`delete from media_deletions where key = ${key}`),
          { concurrency: 4, discard: true }
        )
        return keys.length
      }).pipe(orDefect, Effect.withSpan("Objects.purge"))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
