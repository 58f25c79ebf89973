import { AwsClient } from "aws4fetch"
import { Data, Duration, Effect, Option, Redacted, Schedule, Semaphore, Stream } from "effect"
import { hash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { type ByteRange, type ObjectKey, ObjectStorage, StorageUnavailable } from "../../domain/media/ObjectStorage.ts"
import { storageFailure } from "./StorageFailure.ts"

export interface S3Settings {
  /** URL of the service, without the bucket. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  /** Time for a response, and between two parts of its body. */
  readonly timeout?: Duration.Input
}

/** Uploads that a process sends at a time: their bytes are in memory, for their signature and for retries. */
const MAX_UPLOADS = 4

/** Bytes a second of the slowest upload that is waited for. */
const MIN_SPEED = 1024 * 1024

/** The service responded with an error. */
class S3Refused extends Data.TaggedError("S3Refused")<{ readonly method: string; readonly status: number }> {
  override get message() {
    return `The S3 service responded with ${this.status} to ${this.method}; check the settings S3_* and the rights of the key`
  }
}

/** The service did not respond in time. */
class S3TimedOut extends Data.TaggedError("S3TimedOut")<{ readonly method: string }> {
  override get message() {
    return `The S3 service did not respond to ${this.method} in time`
  }
}

/** Errors that a repetition can solve: of the network, of the server, and requests that were too many or too slow. */
const isTemporary = ({ cause }: StorageUnavailable) =>
  !(cause instanceof S3Refused) || cause.status >= 500 || cause.status === 429 || cause.status === 408

/** Few, because a client waits. */
const RETRIES = { schedule: Schedule.exponential("200 millis"), times: 2, while: isTemporary }

/** Stores objects in a bucket of an S3-compatible service, with paths that begin with the bucket. */
export const makeS3Storage = ({
  accessKeyId,
  bucket,
  endpoint,
  region,
  secretAccessKey,
  timeout = "10 seconds"
}: S3Settings): ObjectStorage["Service"] => {
  const client = new AwsClient({ accessKeyId, secretAccessKey: Redacted.value(secretAccessKey), region, service: "s3" })
  const uploads = Semaphore.makeUnsafe(MAX_UPLOADS)
  const limit = Duration.fromInputUnsafe(timeout)

  /** Sends a request. Fails unless the response has one of the statuses. */
  const send = (
    method: "DELETE" | "GET" | "HEAD" | "PUT",
    key: ObjectKey,
    statuses: ReadonlyArray<number>,
    headers: Readonly<Record<string, string>> = {},
    body?: Uint8Array<ArrayBuffer>
  ) =>
    Effect.tryPromise({
      try: async (signal) => {
        const init = { method, headers, ...(body === undefined ? {} : { body }) }
        const request = await client.sign(`${endpoint}/${bucket}/${key}`, init)
        // The body of the signed request is a stream, which would be sent without its length.
        const response = await fetch(request.url, { ...init, headers: request.headers, signal, redirect: "error" })
        if (statuses.includes(response.status)) return response
        await response.body?.cancel()
        throw new S3Refused({ method, status: response.status })
      },
      catch: (cause) => new StorageUnavailable({ cause, isFull: cause instanceof S3Refused && cause.status === 507 })
    }).pipe(
      Effect.timeoutOrElse({
        duration: Duration.sum(limit, Duration.seconds((body?.length ?? 0) / MIN_SPEED)),
        orElse: () => storageFailure(new S3TimedOut({ method }))
      }),
      Effect.retry(RETRIES)
    )

  /** Sends a request whose response has no body of interest. */
  const perform = (...request: Parameters<typeof send>) =>
    Effect.tap(send(...request), (response) => Effect.promise(async () => response.body?.cancel()))

  const bodyOf = ({ body }: Response) =>
    body === null
      ? Stream.empty
      : Stream.fromReadableStream<Uint8Array, StorageUnavailable>({
          evaluate: () => body,
          onError: storageFailure
        }).pipe(
          Stream.timeoutOrElse({
            duration: limit,
            orElse: () => Stream.fail(storageFailure(new S3TimedOut({ method: "GET" })))
          })
        )

  return ObjectStorage.of({
    put: Effect.fn("S3Storage.put")(function* (key, path) {
      const bytes = yield* Effect.tryPromise({ try: () => readFile(path), catch: storageFailure })
      // The service compares the bytes with their hash.
      yield* perform("PUT", key, [200], { "x-amz-content-sha256": hash("sha256", bytes) }, bytes)
    }, uploads.withPermits(1)),

    size: Effect.fn("S3Storage.size")((key) =>
      Effect.map(perform("HEAD", key, [200, 404]), ({ headers, status }) =>
        status === 200 ? Option.some(Number(headers.get("content-length"))) : Option.none()
      )
    ),

    read: Effect.fn("S3Storage.read")(function* (key, range?: ByteRange) {
      const headers = range === undefined ? {} : { range: `bytes=${range.first}-${range.last}` }
      const response = yield* send("GET", key, [range === undefined ? 200 : 206, 404], headers)
      if (response.status !== 404) return Option.some(bodyOf(response))
      yield* Effect.promise(async () => response.body?.cancel())
      return Option.none()
    }),

    delete: Effect.fn("S3Storage.delete")((key) => Effect.asVoid(perform("DELETE", key, [200, 204, 404])))
  })
}
