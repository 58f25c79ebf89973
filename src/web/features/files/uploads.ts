import { Result, Schema } from "effect"
import { useEffect, useEffectEvent, useState } from "react"
import { MAX_FILE_BYTES, MediaFile } from "../../../domain/media/File.ts"
import type { IdempotencyKey, StoreId } from "../../../rpc/Client.ts"
import { errorMessageOf } from "../../shared/data/errorMessages.ts"
import { FileRejected, rejectionOf } from "../../shared/data/fileRejection.ts"
import { newIdempotencyKey } from "../../shared/data/queries.ts"
import { whileSignedIn } from "../../shared/data/session.ts"
import { fileTexts } from "./fileTexts.ts"

/** Maximum size of a picture in MiB. */
export const MAX_MEBIBYTES = MAX_FILE_BYTES / 1024 ** 2

/** Types of the file chooser. iPhones convert HEIC to one of them. */
export const ACCEPTED = MediaFile.fields.contentType.literals.join(",")

/** A picture that is not uploaded yet. */
export interface Upload {
  /** Also the key of its request, so that a retry stores the picture once. */
  readonly key: IdempotencyKey
  readonly file: File
  /** Key of the item whose picture it replaces. */
  readonly replaces: string | undefined
  /** Sent part, from 0 to 1. */
  readonly progress: number
  /** Message for people after a failure. */
  readonly problem?: string
}

/** Uploads of a page. */
export interface Uploads {
  readonly pending: ReadonlyArray<Upload>
  /** Starts uploads. `replaces` is the key of an item that gets the picture. */
  readonly add: (files: Iterable<File>, replaces?: string) => void
  readonly remove: (key: IdempotencyKey) => void
  readonly retry: (key: IdempotencyKey) => void
  readonly clear: () => void
}

const decodeFile = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Struct({ data: MediaFile })))

const UNREACHABLE = new FileRejected("RpcClientError", "")

const MAX_NAME_LENGTH = 255

/** Sends a picture. `fetch` reports no progress. */
const send = (storeId: StoreId, { file, key }: Upload, signal: AbortSignal, report: (progress: number) => void) =>
  new Promise<MediaFile>((resolve, reject) => {
    const name = file.name.trim().slice(-MAX_NAME_LENGTH) || "file"
    const request = new XMLHttpRequest()
    request.open("POST", `/rpc/files?${new URLSearchParams({ storeId, name }).toString()}`)
    request.setRequestHeader("content-type", "application/octet-stream")
    request.setRequestHeader("idempotency-key", key)
    request.upload.addEventListener("progress", ({ loaded, total }) => report(loaded / Math.max(total, 1)))
    request.addEventListener("error", () => reject(UNREACHABLE))
    request.addEventListener("load", () => {
      if (request.status !== 201) return reject(rejectionOf(request.status, request.responseText))
      return Result.match(decodeFile(request.responseText), {
        onFailure: () => reject(UNREACHABLE),
        onSuccess: ({ data }) => resolve(data)
      })
    })
    signal.addEventListener("abort", () => request.abort())
    request.send(file)
  })

const withoutProblem = ({ problem: _, ...upload }: Upload): Upload => ({ ...upload, progress: 0 })

/**
 * Uploads pictures one after the other, so that they arrive in their order. A failed upload stays until it is repeated or
 * removed, and the next one starts.
 */
export const useUploads = (
  storeId: StoreId,
  onUploaded: (file: MediaFile, replaces: string | undefined) => void
): Uploads => {
  const [pending, setPending] = useState<ReadonlyArray<Upload>>([])
  const change = (key: IdempotencyKey, members: Partial<Upload>) =>
    setPending((now) => now.map((upload) => (upload.key === key ? { ...upload, ...members } : upload)))
  const remove = (key: IdempotencyKey) => setPending((now) => now.filter((upload) => upload.key !== key))
  const current = pending.find(({ problem }) => problem === undefined)?.key

  const finish = useEffectEvent((upload: Upload, file: MediaFile, signal: AbortSignal) => {
    if (signal.aborted) return
    remove(upload.key)
    onUploaded(file, upload.replaces)
  })
  const start = useEffectEvent((key: IdempotencyKey, signal: AbortSignal) => {
    const upload = pending.find((one) => one.key === key)
    if (upload === undefined) return
    whileSignedIn(() => send(storeId, upload, signal, (progress) => change(key, { progress }))).then(
      (file) => finish(upload, file, signal),
      (error: unknown) => (signal.aborted ? undefined : change(key, { problem: errorMessageOf(error).advice }))
    )
  })
  useEffect(() => {
    if (current === undefined) return
    const controller = new AbortController()
    start(current, controller.signal)
    return () => controller.abort()
  }, [current])

  return {
    pending,
    add: (files, replaces) => {
      const added = [...files].map((file) => ({
        key: newIdempotencyKey(),
        file,
        replaces,
        progress: 0,
        ...(file.size > MAX_FILE_BYTES ? { problem: fileTexts.upload.tooLarge(MAX_MEBIBYTES) } : {})
      }))
      setPending((now) => [...now, ...added])
    },
    remove,
    // At the end, because the upload that runs is the first one.
    retry: (key) =>
      setPending((now) => [
        ...now.filter((upload) => upload.key !== key),
        ...now.filter((upload) => upload.key === key).map(withoutProblem)
      ]),
    clear: () => setPending([])
  }
}
