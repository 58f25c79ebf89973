import { Context, type Effect, type Option } from "effect"
import type { FileType, ImagesBusy } from "./File.ts"
import type { ServedFile } from "./Files.ts"
import type { StorageUnavailable } from "./ObjectStorage.ts"

/** Widths in which pictures are made. The list is fixed, so that a client cannot fill the storage. */
export const WIDTHS = [64, 160, 320, 640, 1280, 2048] as const
export type Width = (typeof WIDTHS)[number]

/** Maximum height of a picture that is made. A higher one is made narrower than its width. */
export const MAX_HEIGHT = 4096

/** Bytes for a width. */
export interface ServedImage extends ServedFile {
  /** Differs from the variants of other widths and types; none if the bytes are those of the original. */
  readonly variant: string | undefined
  /** True if the picture could not be made. Later requests try again. */
  readonly isFallback: boolean
  /** Forgets that the bytes are stored, because they are lost. The next request makes them again. */
  readonly forget: Effect.Effect<void>
}

/** Sizes of pictures (docs/spec/files.md). */
export class Images extends Context.Service<
  Images,
  {
    /**
     * Finds the bytes of a picture for a width, and makes and stores them first if they do not exist. `accepted` are the
     * types that the client names. SVG, GIF and pictures that cannot be made are served as they are.
     */
    readonly serve: (
      hash: string,
      width: Width,
      accepted: ReadonlySet<FileType>
    ) => Effect.Effect<Option.Option<ServedImage>, ImagesBusy | StorageUnavailable>
  }
>()("domain/Images") {}
