import { Context, type Effect, type Option, Schema, type Stream } from "effect"

/**
 * Key of an object: the hash of its bytes and a part that no other object has. A key is never used again, so a deletion
 * that arrives late deletes nothing new.
 */
export const ObjectKey = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}-[0-9a-f]{16}$/)).pipe(
  Schema.brand("ObjectKey")
)
export type ObjectKey = typeof ObjectKey.Type

/** The bytes cannot be stored or read now. The cause is logged and not shown. */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  cause: Schema.Defect(),
  /** True if the storage has no space left, which an operator has to change. */
  isFull: Schema.Boolean
}) {
  override get message() {
    return this.isFull
      ? "The storage of files is full; repeat the request later, with the same Idempotency-Key"
      : "The storage of files is out of reach; repeat the request in a few seconds, with the same Idempotency-Key"
  }
}

/** Range of bytes. Both ends are included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** Stores bytes by their key: in a folder, or in an S3-compatible service (docs/decisions/0026-media-storage.md). */
export class ObjectStorage extends Context.Service<
  ObjectStorage,
  {
    /** Stores the bytes of a local file. A reader sees the whole object or none, and a repetition changes nothing. */
    readonly put: (key: ObjectKey, path: string) => Effect.Effect<void, StorageUnavailable>
    /** Returns the number of bytes of an object. None if it does not exist. */
    readonly size: (key: ObjectKey) => Effect.Effect<Option.Option<number>, StorageUnavailable>
    /** Reads an object or a range of it. None if the object does not exist. Fails before the first byte, or later. */
    readonly read: (
      key: ObjectKey,
      range?: ByteRange
    ) => Effect.Effect<Option.Option<Stream.Stream<Uint8Array, StorageUnavailable>>, StorageUnavailable>
    /** Deletes an object, if it exists. */
    readonly delete: (key: ObjectKey) => Effect.Effect<void, StorageUnavailable>
  }
>()("domain/ObjectStorage") {}
