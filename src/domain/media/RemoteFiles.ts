import { Context, type Effect, Option, type Scope } from "effect"
import type { StoreId } from "../Store.ts"
import { cutText } from "../Text.ts"
import { parseUrl } from "../Url.ts"
import type { FileNotFetched, ImagesBusy } from "./File.ts"
import type { FileRefused, ReceivedFile } from "./Files.ts"
import type { StorageUnavailable } from "./ObjectStorage.ts"

/** Errors of a picture that cannot be copied from its URL. */
export type FetchError = FileNotFetched | FileRefused | ImagesBusy | StorageUnavailable

/** Pictures at URLs of others (docs/spec/files.md, Pictures by URL). */
export class RemoteFiles extends Context.Service<
  RemoteFiles,
  {
    /** Checks a URL without a lookup of its host. */
    readonly check: (url: string) => Effect.Effect<void, FileNotFetched>
    /** Receives the picture at a URL, as `Files.receive` does with uploaded bytes. */
    readonly receive: (store: StoreId, url: string) => Effect.Effect<ReceivedFile, FetchError, Scope.Scope>
  }
>()("domain/RemoteFiles") {}

/** Longest name of a file that is taken from a URL. */
const MAX_NAME = 255

const decodePart = Option.liftThrowable(decodeURIComponent)

/** Makes the name of a file from the last part of its URL. */
export const nameOfUrl = (url: string): string => {
  const last =
    parseUrl(url)
      ?.pathname.split("/")
      .findLast((part) => part !== "") ?? ""
  const name = Option.getOrElse(decodePart(last), () => last).replaceAll("\0", "")
  return cutText(name.trim(), MAX_NAME).trim() || "file"
}
