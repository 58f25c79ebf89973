import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { FileId, FileNotFound, FileType } from "../../domain/media/File.ts"
import { Files } from "../../domain/media/Files.ts"
import { type ByteRange, ObjectKey, ObjectStorage } from "../../domain/media/ObjectStorage.ts"
import { QueryTooSlow } from "../../domain/Query.ts"
import type { StoreId } from "../../domain/Store.ts"
import { foldCase } from "../../domain/Text.ts"
import { optionalString } from "../Settings.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { QueryTimeout } from "../sql/Queries.ts"
import { END, pageReader, selectPage } from "../sql/Pages.ts"
import { findJson, rowReader, rowsReader } from "../sql/Rows.ts"
import { time } from "../sql/Times.ts"
import { FileRows, termsOf, URL_HASH } from "./FileRows.ts"
import { inspectFile } from "./FileTypes.ts"
import { ImageWorkers } from "./ImageWorkers.ts"
import { Objects } from "./Objects.ts"
import { receiveBytes } from "./Receiving.ts"

const readPage = pageReader(FileId)
const readHash = rowReader(Schema.Struct({ hash: Schema.String }))
const readName = rowReader(Schema.Struct({ name: Schema.String }))
const readCopies = rowsReader(Schema.Struct({ source: Schema.String, url: Schema.String }))
const readServed = rowReader(Schema.Struct({ key: ObjectKey, contentType: FileType, bytes: Schema.Int }))

export const FilesLive = Layer.effect(
  Files,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const storage = yield* ObjectStorage
    const workers = yield* ImageWorkers
    const { insert, lockUsage, release, use } = yield* FileRows
    const { keep, purge } = yield* Objects
    const mediaUrl = Option.map(yield* optionalString("MEDIA_URL"), (url) => url.replace(/\/+$/, ""))

    const NO_MEMBERS = sql``

    const baseOf = (origin: string) => Option.getOrElse(mediaUrl, () => `${origin}/media`)

    const urlOf = (origin: string) => sql`${baseOf(origin)}::text || '/' || f.hash || '/' || f.url_name`

    const json = (origin: string, members = NO_MEMBERS) => sql`
      json_build_object(
        'id', f.id,
        'url', ${urlOf(origin)},
        'contentType', o.content_type, 'bytes', o.bytes, 'width', o.width, 'height', o.height, 'color', o.color,
        'alt', f.alt, 'name', f.name, 'createdAt', ${time("f.created_at")}${members}
      )::text as json
    `

    const selectFiles = (store: StoreId, origin: string) => sql`
      select f.id, ${json(origin)} from files f join media_objects o using (store_id, hash) where f.store_id = ${store}
    `

    const matches = (search: string | undefined) =>
      search === undefined ? sql`true` : sql`strpos(f.terms, ${foldCase(search)}) > 0`

    /**
     * Number of products for each hash in their URLs. The hash identifies the bytes also after a change of `MEDIA_URL`.
     * Reads all products of the store: an index of their URLs would slow down every write of a product.
     */
    const usage = (store: StoreId) => sql`
      select named.hash, count(distinct named.id)::integer as products
      from (
        select p.id, substring(urls.url from ${URL_HASH}::text) as hash
        from products p cross join lateral (
          select p.document ->> 'imageUrl' as url
          union all select medium ->> 'url' from json_array_elements(p.document -> 'media') as medium
          union all select variant ->> 'imageUrl' from json_array_elements(p.document -> 'variants') as variant
        ) as urls
        where p.store_id = ${store}
      ) as named
      where named.hash is not null group by named.hash
    `

    const get = Effect.fnUntraced(function* (store: StoreId, id: FileId, origin: string) {
      const found = yield* findJson(sql`${selectFiles(store, origin)} and f.id = ${id}`)
      return Option.isSome(found) ? found.value : yield* new FileNotFound({ id })
    })

    return Files.of({
      receive: Effect.fn("Files.receive")(function* (store, bytes) {
        const received = yield* receiveBytes(store, bytes)
        return { ...received, ...(yield* inspectFile(workers, store, received.path)) }
      }),

      keep,

      create: Effect.fn("Files.create")(function* (store, { contentType, hash }, details, origin) {
        yield* use(store, hash)
        const { id } = yield* insert(store, hash, contentType, details)
        return yield* Effect.catchTag(get(store, id, origin), "FileNotFound", Effect.die)
      }, orDefect),

      get: Effect.fn("Files.get")(get, orDefect),

      list: Effect.fn("Files.list")((store, { cursor, limit }, search, origin) => {
        return readPage(
          selectPage(
            sql,
            sql`${selectFiles(store, origin)} and f.id < ${cursor ?? END} and ${matches(search)}`,
            limit,
            "desc"
          )
        )
      }, orDefect),

      listUsed: Effect.fn("Files.listUsed")(function* (store, { cursor, limit }, { search, unused }, origin) {
        const isSelected =
          unused === undefined ? sql`true` : unused ? sql`used.hash is null` : sql`used.hash is not null`
        const select = sql`
          select f.id, ${json(origin, sql`, 'usage', coalesce(used.products, 0)`)}
          from files f join media_objects o using (store_id, hash)
            left join (${usage(store)}) as used on used.hash = f.hash
          where f.store_id = ${store} and f.id < ${cursor ?? END} and ${matches(search)} and ${isSelected}
        `
        return yield* Effect.timeoutOrElse(orDefect(readPage(selectPage(sql, select, limit, "desc"))), {
          duration: yield* QueryTimeout,
          orElse: () => new QueryTooSlow()
        })
      }),

      updateAlt: Effect.fn("Files.updateAlt")(function* (store, id, alt, origin) {
        const found = yield* readName(sql`select name from files where store_id = ${store} and id = ${id} for update`)
        if (Option.isNone(found)) return yield* new FileNotFound({ id })
        yield* sql`
          update files set alt = ${alt}, terms = ${termsOf(found.value.name, alt)}
          where store_id = ${store} and id = ${id}
        `
        return yield* get(store, id, origin)
      }, orDefect),

      delete: Effect.fn("Files.delete")(function* (store, id) {
        yield* lockUsage(store)
        const deleted = yield* readHash(sql`
          delete from files where store_id = ${store} and id = ${id} returning hash
        `)
        if (Option.isNone(deleted)) return yield* new FileNotFound({ id })
        yield* release(store, deleted.value.hash)
      }, orDefect),

      isOwn: (url, origin) => url.startsWith(`${baseOf(origin)}/`) || url.startsWith(`${origin}/`),

      findCopies: Effect.fn("Files.findCopies")(function* (store, sources, origin) {
        const rows = yield* readCopies(sql`
          select f.source, ${urlOf(origin)} as url
          from unnest(${textArray(sources)}::text[]) as wanted (url)
            join files f on f.store_id = ${store} and md5(f.source) = md5(wanted.url) and f.source = wanted.url
          order by f.id
        `)
        return new Map(rows.map(({ source, url }) => [source, url]))
      }, orDefect),

      serve: Effect.fn("Files.serve")(function* (hash) {
        const found = yield* readServed(sql`
          select o.key, o.content_type as "contentType", o.bytes from media_objects o join stores s on s.id = o.store_id
          where o.hash = ${hash} and o.unused_since is null and s.deleted_at is null
        `)
        return Option.map(found, ({ bytes, contentType, key }) => ({
          bytes,
          contentType,
          read: (range?: ByteRange) => storage.read(key, range)
        }))
      }, orDefect),

      purge: Effect.orDie(purge)
    })
  })
)
