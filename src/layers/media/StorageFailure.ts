import { Predicate } from "effect"
import { StorageUnavailable } from "../../domain/media/ObjectStorage.ts"

const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"])

/** Converts an error of the file system or of the network. */
export const storageFailure = (cause: unknown): StorageUnavailable =>
  new StorageUnavailable({ cause, isFull: Predicate.hasProperty(cause, "code") && FULL.has(cause.code) })

/** True if a file does not exist. */
export const isMissing = (error: unknown): boolean => Predicate.hasProperty(error, "code") && error.code === "ENOENT"
