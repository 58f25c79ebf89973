import { Context, type Effect, type Option, type Scope, type Stream } from "effect"
import type { DocumentPage, JsonText } from "../json/Document.ts"
import type { PageRequest } from "../Page.ts"
import type { QueryTooSlow } from "../Query.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import type { Write } from "../Write.ts"
import type {
  FileDamaged,
  FileDetails,
  FileEmpty,
  FileFilter,
  FileId,
  FileNotFound,
  FileTooLarge,
  FileType,
  FileTypeRefused,
  ImagesBusy,
  MediaLimitReached,
  TooManyPixels
} from "./File.ts"
import type { ByteRange, StorageUnavailable } from "./ObjectStorage.ts"

/** Bytes that were received completely, and what their header says. They exist until the scope ends. */
export interface ReceivedFile {
  readonly path: string
  /** SHA-256 of store and bytes, in hexadecimal digits. The same bytes have another hash in another store. */
  readonly hash: string
  readonly bytes: number
  readonly contentType: FileType
  readonly width: number | null
  readonly height: number | null
  readonly color: string | null
  /** True if no pixel is transparent. */
  readonly isOpaque: boolean
}

/** Errors of bytes that cannot become a file. */
export type FileRefused = FileEmpty | FileTooLarge | FileTypeRefused | FileDamaged | TooManyPixels

/** Bytes of a file, for its public URL. */
export interface ServedFile {
  readonly contentType: FileType
  readonly bytes: number
  readonly read: (
    range?: ByteRange
  ) => Effect.Effect<Option.Option<Stream.Stream<Uint8Array, StorageUnavailable>>, StorageUnavailable>
}

/**
 * Files of stores (docs/spec/files.md). `origin` is the URL of the service, for the `url` of files without `MEDIA_URL`.
 *
 * An upload has three steps, so that a slow client holds neither a connection nor a slot of its store: `receive`, `keep`
 * and `create`. Changes of files cause no events and no journal entries.
 */
export class Files extends Context.Service<
  Files,
  {
    /** Receives bytes into a temporary file, and checks type and size. */
    readonly receive: <E>(
      store: StoreId,
      bytes: Stream.Stream<Uint8Array, E>
    ) => Effect.Effect<ReceivedFile, E | FileRefused | ImagesBusy | StorageUnavailable, Scope.Scope>
    /** Stores received bytes. Without a file that names them, they are deleted after a while. */
    readonly keep: (
      store: StoreId,
      received: ReceivedFile
    ) => Effect.Effect<void, MediaLimitReached | StorageUnavailable | StoreNotFound>
    /** Creates the file of bytes that are stored, and returns it. */
    readonly create: (
      store: StoreId,
      received: ReceivedFile,
      details: FileDetails,
      origin: string
    ) => Write<JsonText, MediaLimitReached | StorageUnavailable | StoreNotFound>

    readonly get: (store: StoreId, id: FileId, origin: string) => Effect.Effect<JsonText, FileNotFound>
    /** Lists files, newest first. `search` is a part of the name or of the alternative text. */
    readonly list: (
      store: StoreId,
      page: PageRequest<FileId>,
      search: string | undefined,
      origin: string
    ) => Effect.Effect<DocumentPage<FileId>>
    /** Same as `list`, with the number of products that show each file. */
    readonly listUsed: (
      store: StoreId,
      page: PageRequest<FileId>,
      filter: FileFilter,
      origin: string
    ) => Effect.Effect<DocumentPage<FileId>, QueryTooSlow>
    /** Changes the alternative text and returns the file. */
    readonly updateAlt: (store: StoreId, id: FileId, alt: string, origin: string) => Write<JsonText, FileNotFound>
    /** Deletes a file. Its URL ends with the last file of the same bytes. */
    readonly delete: (store: StoreId, id: FileId) => Write<void, FileNotFound | StoreNotFound>

    /** Tests for a URL of this service, whose picture needs no copy. */
    readonly isOwn: (url: string, origin: string) => boolean
    /** Finds the URLs of files that imports copied, by the URLs from which they came. */
    readonly findCopies: (
      store: StoreId,
      sources: ReadonlyArray<string>,
      origin: string
    ) => Effect.Effect<ReadonlyMap<string, string>>

    /** Finds the bytes of a public URL. */
    readonly serve: (hash: string) => Effect.Effect<Option.Option<ServedFile>>
    /** Deletes one batch of bytes that no file has named for a day. Returns their number. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Files") {}
