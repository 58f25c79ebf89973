import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Product } from "../../domain/catalog/Product.ts"
import { FileId, FileType, type FileDetails, MediaLimitReached } from "../../domain/media/File.ts"
import { ObjectKey, StorageUnavailable } from "../../domain/media/ObjectStorage.ts"
import { type StoreId, StoreNotFound } from "../../domain/Store.ts"
import { cutText, foldCase } from "../../domain/Text.ts"
import { slugify } from "../catalog/Slugify.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowReader, rowsReader } from "../sql/Rows.ts"
import { EXTENSIONS } from "./FileTypes.ts"

const readUsage = rowReader(
  Schema.Struct({
    used: Schema.NumberFromString,
    stored: Schema.NumberFromString,
    limit: Schema.NumberFromString
  })
)
const readObject = rowReader(
  Schema.Struct({ key: ObjectKey, bytes: Schema.Int, isUsed: Schema.Boolean, isKept: Schema.Boolean })
)
const readId = requiredRowReader(Schema.Struct({ id: Schema.toType(FileId) }))
const readUnused = rowsReader(Schema.Struct({ hash: Schema.String, contentType: FileType }))

/** Fails if the bytes would exceed the limit of the plan. */
export const requireSpace = ({ limit, used }: { readonly limit: number; readonly used: number }, bytes: number) =>
  used + bytes > limit ? Effect.fail(new MediaLimitReached({ limit, isByUnused: false })) : Effect.void

/** Makes the end of a URL of a name. The type decides its extension, because the name may have another one. */
const urlNameOf = (name: string, contentType: FileType) =>
  `${slugify(name.replace(/\.\w{1,8}$/, "")) || "file"}.${EXTENSIONS[contentType]}`

export const termsOf = (name: string, alt: string) => foldCase(`${name}\n${alt}`)

/** Regular expression of the hash in a URL of a file, for statements and code. */
export const URL_HASH = "/([0-9a-f]{64})/"

const PICTURE_URL = new RegExp(`${URL_HASH}(?:\\d+/)?([^/?#]+)`)

/** Finds the hashes in the URLs of a product, with the name in the URL and the text of the medium. */
const picturesOf = ({ imageUrl, media, variants }: Product) => {
  const shown = [imageUrl, ...variants.map((variant) => variant.imageUrl)].flatMap((url) =>
    typeof url === "string" ? [{ url }] : []
  )
  // Media last: they have texts.
  const named = [...shown, ...media].flatMap(({ url, ...medium }) => {
    const [, hash, name = ""] = PICTURE_URL.exec(url) ?? []
    const alt = "alt" in medium && typeof medium.alt === "string" ? medium.alt.replaceAll("\0", "") : ""
    return hash === undefined ? [] : [[hash, { name: cutText(name, 255), alt: cutText(alt, 512) }] as const]
  })
  return new Map(named)
}

/**
 * Rows of files and the usage of stores. All changes of a store lock its usage first, so that the limit is exact and no
 * object is deleted while an upload counts on it.
 */
export class FileRows extends Context.Service<FileRows>()("layers/media/FileRows", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

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

    const findObject = (store: StoreId, hash: string) =>
      readObject(sql`
        select key, bytes, unused_since is null as "isUsed", kept_until is not null as "isKept"
        from media_objects where store_id = ${store} and hash = ${hash}
      `)

    /** Counts an object for a new file, inside the transaction of the file. */
    const use = Effect.fnUntraced(function* (store: StoreId, hash: string) {
      const usage = yield* lockUsage(store)
      const object = yield* findObject(store, hash)
      if (Option.isNone(object)) {
        // The upload took longer than unused bytes are kept.
        return yield* new StorageUnavailable({ cause: new Error("The object was deleted"), isFull: false })
      }
      const { bytes, isKept, isUsed } = object.value
      if (isUsed) return
      yield* requireSpace(usage, bytes)
      yield* sql`
        update media_objects set unused_since = null, kept_until = null, was_used = true
        where store_id = ${store} and hash = ${hash}
      `
      yield* sql`
        update media_usage set used = used + ${bytes}, stored = stored + ${isKept ? bytes : 0} where store_id = ${store}
      `
    })

    /** Inserts the row of a file, whose object is counted. */
    const insert = (store: StoreId, hash: string, contentType: FileType, { alt, name, source }: FileDetails) =>
      readId(sql`
        insert into files (store_id, id, hash, name, url_name, alt, terms, source, created_at)
        values (
          ${store}, uuid_v7(clock_micros()), ${hash}, ${name}, ${urlNameOf(name, contentType)}, ${alt},
          ${termsOf(name, alt)}, ${source ?? null}, statement_timestamp()
        ) returning id
      `)

    const findUnused = (store: StoreId, hashes: ReadonlyArray<string>) =>
      readUnused(sql`
        select hash, content_type as "contentType" from media_objects
        where store_id = ${store} and hash = any(${plainArray(hashes)}::text[]) and unused_since is not null and was_used
      `)

    return {
      lockUsage,
      findObject,
      use,
      insert,

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
       * Makes files of the deleted pictures that an undo brings back into a product, for as long as their bytes exist and
       * the plan has space. Without space, the URL stays without bytes.
       */
      restore: Effect.fn("FileRows.restore")(
        function* (store: StoreId, restored: Product, current?: Product) {
          const pictures = picturesOf(restored)
          if (current !== undefined) for (const hash of picturesOf(current).keys()) pictures.delete(hash)
          const hashes = [...pictures.keys()]
          if (hashes.length === 0 || (yield* findUnused(store, hashes)).length === 0) return
          yield* lockUsage(store)
          for (const { contentType, hash } of yield* findUnused(store, hashes)) {
            const details = pictures.get(hash)
            if (details === undefined) continue
            yield* use(store, hash).pipe(
              Effect.andThen(insert(store, hash, contentType, details)),
              Effect.catchTag(["MediaLimitReached", "StorageUnavailable"], () => Effect.void)
            )
          }
        },
        // The undo has found the store.
        Effect.catchTag("StoreNotFound", () => Effect.void),
        orDefect
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
