import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { MediaLimitReached, UNUSED_HOURS } from "../../domain/media/File.ts"
import type { ReceivedFile } from "../../domain/media/Files.ts"
import { ObjectKey, ObjectStorage } from "../../domain/media/ObjectStorage.ts"
import { StoreId } from "../../domain/Store.ts"
import { PARTITION_MILLIS, partAt } from "../journal/Journal.ts"
import { plainArray, textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { PURGE_BATCH } from "../sql/Purging.ts"
import { rowReader, rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { isMoving } from "../storeMove/Moving.ts"
import { FileRows, requireSpace, URL_HASH } from "./FileRows.ts"

const readHashes = rowsReader(Schema.Struct({ hash: Schema.String, wasUsed: Schema.Boolean }))
const readNamed = rowsReader(Schema.Struct({ hash: Schema.String, at: Schema.String }))
const readStore = rowReader(Schema.Struct({ store: Schema.toType(StoreId) }))
const readKeys = rowsReader(Schema.Struct({ key: ObjectKey }))

/** Bytes of unused objects that a store may have, as a multiple of its limit. Deletions do not free space at once. */
const MAX_STORED = 2

/** Parts of the journal, newest first. The first one is the next, for clocks that differ. */
const newestParts = (journalDays: number) => {
  const now = Date.now()
  return Array.from({ length: Math.ceil((journalDays * 86_400_000) / PARTITION_MILLIS) + 2 }, (_, age) =>
    partAt(now - (age - 1) * PARTITION_MILLIS)
  )
}

/** Makes a key that no object has, for the bytes of a file or of a size of it. */
export const newKey = (hash: string) => ObjectKey.make(`${hash}-${randomBytes(8).toString("hex")}`)

/**
 * Objects of stores, with their bytes.
 *
 * The row of an object precedes its bytes, and the row of a file follows them. After a crash, an object without files is
 * left, which the purge deletes.
 */
export class Objects extends Context.Service<Objects>()("layers/media/Objects", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const storage = yield* ObjectStorage
    const { journalDays } = yield* OperatorLimits

    const { findObject, lockUsage } = yield* FileRows

    /** Finds the object of received bytes or creates it, and restarts the time for which it is kept without files. */
    const claim = Effect.fnUntraced(function* (
      store: StoreId,
      { bytes, color, contentType, hash, height, isOpaque, width }: ReceivedFile
    ) {
      const usage = yield* lockUsage(store)
      const existing = yield* findObject(store, hash)
      if (Option.isNone(existing) || !existing.value.isUsed) yield* requireSpace(usage, bytes)
      const { limit, stored } = usage
      const isCounted = Option.isSome(existing) && !existing.value.isKept
      if (!isCounted) {
        if (stored + bytes > limit * MAX_STORED) return yield* new MediaLimitReached({ limit, isByUnused: true })
        yield* sql`update media_usage set stored = stored + ${bytes} where store_id = ${store}`
      }
      if (Option.isSome(existing)) {
        yield* sql`
          update media_objects set unused_since = clock_timestamp(), kept_until = null
          where store_id = ${store} and hash = ${hash} and unused_since is not null
        `
        return existing.value.key
      }
      const key = newKey(hash)
      yield* sql`
        insert into media_objects (store_id, hash, key, content_type, bytes, width, height, color, is_opaque, unused_since)
        values (
          ${store}, ${hash}, ${key}, ${contentType}, ${bytes}, ${width}, ${height}, ${color}, ${isOpaque}, clock_timestamp()
        )
      `
      return key
    })

    const isExpired = sql`
      unused_since < now() - interval '${constant(UNUSED_HOURS)} hours' and (kept_until is null or kept_until < now())
    `

    /**
     * Finds which hashes an undo can bring back, and the time of the newest journal entry that names each. Products are
     * read first: their deletion moves a name to the journal. Each statement reads 30 days of the journal of the store.
     */
    const findNamed = Effect.fnUntraced(function* (store: StoreId, hashes: ReadonlyArray<string>) {
      const found = new Map<string, string>()
      const note = (rows: ReadonlyArray<{ readonly hash: string; readonly at: string }>) => {
        for (const { at, hash } of rows) found.set(hash, at)
      }
      const missing = () => hashes.filter((hash) => !found.has(hash))
      note(
        yield* readNamed(sql`
          select distinct named[1] as hash, now()::text as at
          from products p cross join lateral regexp_matches(p.document::text, ${URL_HASH}, 'g') as named
          where p.store_id = ${store} and named[1] = any(${plainArray(hashes)}::text[])
        `)
      )
      for (const part of newestParts(journalDays)) {
        if (missing().length === 0) break
        note(
          yield* readNamed(sql`
            select named[1] as hash, max(j.at)::text as at
            from journal j cross join lateral regexp_matches(j.before, ${URL_HASH}, 'g') as named
            where j.store_id = ${store} and j.part = ${part} and j.resource = 'product'
              and j.at > now() - interval '${constant(journalDays)} days'
              and named[1] = any(${plainArray(missing())}::text[])
            group by named[1]
          `)
        )
      }
      return found
    })

    /** Keeps the expired objects of a store that an undo can bring back, up to the limit of its plan. Deletes the others. */
    const purgeStore = Effect.fnUntraced(function* (store: StoreId) {
      const expired = yield* readHashes(sql`
        select hash, was_used as "wasUsed" from media_objects
        where store_id = ${store} and ${isExpired} limit ${constant(PURGE_BATCH)}
      `)
      const used = expired.filter(({ wasUsed }) => wasUsed).map(({ hash }) => hash)
      const named = used.length === 0 ? new Map<string, string>() : yield* findNamed(store, used)
      const isOfBatch = sql`
        store_id = ${store} and hash = any(${plainArray(expired.map(({ hash }) => hash))}::text[]) and ${isExpired}
      `
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select from media_usage where store_id = ${store} for no key update`
          yield* sql`
            update media_usage set stored = stored - (
              select coalesce(sum(bytes), 0) from media_objects where ${isOfBatch} and kept_until is null
            ) where store_id = ${store}
          `
          yield* sql`
            with kept as (
              update media_objects o set kept_until = named.at + interval '${constant(journalDays)} days'
              from unnest(${plainArray([...named.keys()])}::text[], ${textArray([...named.values()])}::timestamptz[])
                as named (hash, at)
              where o.store_id = ${store} and o.hash = named.hash and ${isExpired}
              returning o.store_id, o.hash
            ), unsized as (
              delete from media_sizes s using kept where s.store_id = kept.store_id and s.hash = kept.hash returning s.key
            )
            insert into media_deletions (key) select key from unsized
          `
          yield* sql`
            with crowded as (
              select hash from (
                select hash, sum(bytes) over (order by unused_since desc, hash) as total
                from media_objects where store_id = ${store} and kept_until is not null and unused_since is not null
              ) as kept
              where total > (select p.media_limit from stores s join plans p on p.name = s.plan where s.id = ${store})
            ), gone as (
              delete from media_objects where (${isOfBatch}) or (store_id = ${store} and hash in (select hash from crowded))
              returning store_id, hash, key
            )
            insert into media_deletions (key)
            select key from gone union all select s.key from media_sizes s join gone using (store_id, hash)
          `
        })
      )
      return named.size
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

      /**
       * Deletes a batch of objects of one store that have no files, first the rows, then the bytes, and notes which objects
       * are kept for an undo. Returns the number of both. A later round deletes bytes that could not be deleted.
       */
      purge: Effect.gen(function* () {
        const store = yield* readStore(sql`
          (
            select store_id as store from media_objects
            where kept_until is null and unused_since < now() - interval '${constant(UNUSED_HOURS)} hours'
              and not ${isMoving("media_objects")}
            order by unused_since limit 1
          ) union all (
            select store_id from media_objects where kept_until < now() and not ${isMoving("media_objects")} order by kept_until limit 1
          ) limit 1
        `)
        const kept = Option.isSome(store) ? yield* purgeStore(store.value.store) : 0
        const keys = yield* readKeys(sql`select key from media_deletions limit ${constant(PURGE_BATCH)}`)
        yield* Effect.forEach(
          keys,
          ({ key }) => Effect.andThen(storage.delete(key), sql`delete from media_deletions where key = ${key}`),
          { concurrency: 4, discard: true }
        )
        return keys.length + kept
      }).pipe(orDefect, Effect.withSpan("Objects.purge"))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
