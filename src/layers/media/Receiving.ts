import { Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import { open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FileEmpty, FileTooLarge, MAX_FILE_BYTES } from "../../domain/media/File.ts"
import type { StorageUnavailable } from "../../domain/media/ObjectStorage.ts"
import type { StoreId } from "../../domain/Store.ts"
import { storageFailure } from "./StorageFailure.ts"

/** Creates a temporary file, which is deleted when the scope ends. */
const temporaryFile = Effect.acquireRelease(
  Effect.tryPromise({
    try: async () => {
      const path = join(tmpdir(), `upload-${crypto.randomUUID()}`)
      return { path, handle: await open(path, "wx", 0o600) }
    },
    catch: storageFailure
  }),
  ({ handle, path }) =>
    Effect.promise(async () => {
      await handle.close()
      await rm(path, { force: true })
    })
)

/** Writes bytes to a temporary file and computes their hash, so that memory holds one chunk of a slow upload. */
export const receiveBytes = Effect.fnUntraced(function* <E>(store: StoreId, bytes: Stream.Stream<Uint8Array, E>) {
  const { handle, path } = yield* temporaryFile
  // The store is a part of it, so that nobody can find out by a hash which pictures another store has.
  const hash = createHash("sha256").update(`${store}\n`)
  let size = 0
  yield* Stream.runForEach(bytes, (chunk): Effect.Effect<void, FileTooLarge | StorageUnavailable> => {
    size += chunk.length
    if (size > MAX_FILE_BYTES) return new FileTooLarge()
    hash.update(chunk)
    return Effect.tryPromise({ try: () => handle.appendFile(chunk), catch: storageFailure })
  })
  if (size === 0) return yield* new FileEmpty()
  return { path, hash: hash.digest("hex"), bytes: size }
})
