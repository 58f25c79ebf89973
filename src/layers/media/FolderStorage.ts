import { Effect, Option, Stream } from "effect"
import { createReadStream } from "node:fs"
import { copyFile, mkdir, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type ObjectKey, ObjectStorage, type StorageUnavailable } from "../../domain/media/ObjectStorage.ts"
import { syncPath } from "../Folder.ts"
import { isMissing, storageFailure } from "./StorageFailure.ts"

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, StorageUnavailable> =>
  Effect.tryPromise({ try: run, catch: storageFailure })

/** Copies a file so that it exists completely or not at all, even after a crash. */
const copyAtomically = async (from: string, to: string) => {
  const temporary = `${to}.${crypto.randomUUID()}`
  await mkdir(dirname(to), { recursive: true })
  try {
    await copyFile(from, temporary)
    await syncPath(temporary)
    await rename(temporary, to)
    await syncPath(dirname(to))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

const sizeOf = async (path: string) => {
  try {
    return Option.some((await stat(path)).size)
  } catch (error) {
    if (isMissing(error)) return Option.none()
    throw error
  }
}

/** Stores objects in a folder. Its subfolders have the first two digits of the keys as names. */
export const makeFolderStorage = (folder: string): ObjectStorage["Service"] => {
  const pathOf = (key: ObjectKey) => join(folder, key.slice(0, 2), key)
  return ObjectStorage.of({
    put: Effect.fn("FolderStorage.put")((key, path) => attempt(() => copyAtomically(path, pathOf(key)))),

    size: Effect.fn("FolderStorage.size")((key) => attempt(() => sizeOf(pathOf(key)))),

    read: Effect.fn("FolderStorage.read")(function* (key, range) {
      const path = pathOf(key)
      if (Option.isNone(yield* attempt(() => sizeOf(path)))) return Option.none()
      const options = range === undefined ? {} : { start: range.first, end: range.last }
      return Option.some(
        Stream.suspend(() =>
          Stream.fromAsyncIterable<Uint8Array, StorageUnavailable>(createReadStream(path, options), storageFailure)
        )
      )
    }),

    delete: Effect.fn("FolderStorage.delete")((key) => attempt(() => rm(pathOf(key), { force: true })))
  })
}
