import { Effect, Option, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ObjectKey, type ObjectStorage, type StorageUnavailable } from "../../domain/media/ObjectStorage.ts"
import { StoreId } from "../../domain/Store.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowReader, rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { bothStorages } from "./ObjectStorage.ts"
import { receiveBytes } from "./Receiving.ts"

/** Objects that are read from the database at a time, and then moved. */
const PAGE = 500

const CONCURRENCY = 4

/** In addition to those of the storage, for bytes that end in the middle. */
const RETRIES = { schedule: Schedule.exponential("1 second"), times: 2 }

const MovedObject = Schema.Struct({ key: ObjectKey, bytes: Schema.Int, isSize: Schema.Boolean })
const PageRow = Schema.Struct({
  storeId: Schema.toType(StoreId),
  hash: Schema.String,
  objects: Schema.fromJsonString(Schema.Array(MovedObject))
})

type NamedObject = typeof MovedObject.Type & Pick<typeof PageRow.Type, "hash" | "storeId">

const readPage = rowsReader(PageRow)
const readTotal = requiredRowReader(Schema.Struct({ bytes: Schema.NumberFromString }))
const readNeed = rowReader(Schema.Struct({ isNeeded: Schema.Boolean }))

export interface MoveRequest {
  readonly to: "folder" | "s3"
  /** Reads what would be moved, and changes nothing. */
  readonly isDryRun: boolean
  /** Deletes objects from the source after their bytes were read back from the target. */
  readonly deletesSource: boolean
  readonly onDamaged: (damaged: {
    readonly storeId: StoreId
    readonly key: ObjectKey
    readonly problem: "damaged" | "missing"
  }) => Effect.Effect<void>
}

/**
 * Makes a move of all objects from one storage to the other. Rows name the objects, so orphans stay. It can be interrupted
 * and repeated: objects that the target has are not copied again. `total` is the number of bytes; `counts` change while
 * `run` runs.
 */
export const makeObjectMove = Effect.fnUntraced(function* ({ deletesSource, isDryRun, onDamaged, to }: MoveRequest) {
  const sql = yield* SqlClient.SqlClient
  const storages = yield* bothStorages
  const target = storages[to]
  const source = storages[to === "s3" ? "folder" : "s3"]
  const counts = { copied: 0, present: 0, deleted: 0, damaged: 0, bytes: 0 }
  const { bytes: total } = yield* readTotal(sql`
    select (
      (select coalesce(sum(bytes), 0) from media_objects) + (select coalesce(sum(bytes), 0) from media_sizes)
    )::text as bytes
  `).pipe(orDefect)

  const listAfter = (last?: typeof PageRow.Type) =>
    readPage(sql`
      select store_id as "storeId", hash, (
        select json_agg(json_build_object('key', key, 'bytes', bytes, 'isSize', is_size)) from (
          select o.key, o.bytes, false as is_size
          union all
          select s.key, s.bytes, true from media_sizes s
          where s.store_id = o.store_id and s.hash = o.hash and s.bytes is not null
        ) as objects
      )::text as objects
      from media_objects o
      where ${last === undefined ? sql`true` : sql`(store_id, hash) > (${last.storeId}, ${last.hash})`}
      order by store_id, hash limit ${constant(PAGE)}
    `).pipe(orDefect)

  /** Finds whether a file or an undo needs an object. None if it was deleted meanwhile. */
  const findNeed = ({ hash, key, storeId }: NamedObject) =>
    readNeed(sql`
      select was_used as "isNeeded" from media_objects
      where store_id = ${storeId} and hash = ${hash} and key = ${key}
      union all
      select false from media_sizes where store_id = ${storeId} and hash = ${hash} and key = ${key}
    `).pipe(orDefect)

  /** Reads an object into a temporary file, and compares it with its row. Sizes have no hash, but can be made again. */
  const read = Effect.fnUntraced(function* (
    storage: ObjectStorage["Service"],
    { bytes, hash, isSize, key, storeId }: NamedObject
  ) {
    const found = yield* storage.read(key)
    if (Option.isNone(found)) return { problem: "missing" } as const
    return yield* receiveBytes(storeId, found.value).pipe(
      Effect.map((received) =>
        received.bytes === bytes && (isSize || received.hash === hash)
          ? ({ path: received.path } as const)
          : ({ problem: "damaged" } as const)
      ),
      Effect.catchTag(["FileEmpty", "FileTooLarge"], () => Effect.succeed({ problem: "damaged" } as const))
    )
  })

  const isIntact = (storage: ObjectStorage["Service"], object: NamedObject) =>
    Effect.scoped(Effect.map(read(storage, object), (found) => "path" in found))

  /** True if the target has the bytes. Their hash is compared in the folder, which is cheap, and before a deletion. */
  const hasArrived = Effect.fnUntraced(function* (object: NamedObject) {
    const size = yield* target.size(object.key)
    if (Option.isNone(size) || size.value !== object.bytes) return false
    return (to === "s3" && !deletesSource) || (yield* isIntact(target, object))
  })

  /** Copies an object, unless a deletion came first. Returns the number of copies. */
  const copy = Effect.fnUntraced(function* (object: NamedObject) {
    const found = yield* read(source, object)
    const need = yield* findNeed(object)
    if (Option.isNone(need)) return 0
    if ("problem" in found) {
      // An upload may be about to store its bytes, and lost sizes are made again.
      if (!need.value.isNeeded) return 0
      counts.damaged++
      yield* onDamaged({ ...object, problem: found.problem })
      return 0
    }
    if (isDryRun) return 1
    yield* target.put(object.key, found.path)
    if (Option.isSome(yield* findNeed(object))) return 1
    yield* target.delete(object.key)
    return 0
  }, Effect.scoped)

  /** Deletes an object from the source if the target has its bytes. Returns the number of deletions. */
  const deleteFromSource = Effect.fnUntraced(function* (object: NamedObject) {
    if (Option.isNone(yield* source.size(object.key)) || !(yield* isIntact(target, object))) return 0
    yield* source.delete(object.key)
    return 1
  })

  const move = Effect.fnUntraced(function* (object: NamedObject) {
    const isPresent = yield* Effect.retry(hasArrived(object), RETRIES)
    const copied = isPresent ? 0 : yield* Effect.retry(copy(object), RETRIES)
    const deleted = deletesSource && !isDryRun ? yield* Effect.retry(deleteFromSource(object), RETRIES) : 0
    counts.present += Number(isPresent)
    counts.copied += copied
    counts.deleted += deleted
    counts.bytes += object.bytes
  })

  const run: Effect.Effect<void, StorageUnavailable> = Effect.gen(function* () {
    let page = yield* listAfter()
    while (page.length > 0) {
      const objects = page.flatMap(({ objects, ...row }) => objects.map((object) => ({ ...row, ...object })))
      yield* Effect.forEach(objects, move, { concurrency: CONCURRENCY, discard: true })
      page = yield* listAfter(page.at(-1))
    }
  })

  return { counts, total, run }
})
