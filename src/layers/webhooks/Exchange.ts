import type { Connection } from "./Connections.ts"
import { explain, StatusInvalid } from "./Failure.ts"

/** Bytes of an answer's body that are kept, for the log (decisions, section 10). */
export const KEPT_BYTES = 16_384

export interface OutgoingRequest {
  /** Judged anew for each request, by `checkUrl`. */
  readonly url: string
  /** Whether it goes to public addresses alone, whatever hosts are allowed. */
  readonly isPublicOnly?: boolean
  /** `Host`, `Content-Length` and `Connection` are added. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What came of a request: an answer with a status, or an error. */
export interface Attempt {
  /** Of the final answer, once its body is complete; null if it never was. */
  readonly status: number | null
  /** The first {@link KEPT_BYTES} of the body as it came in, not decompressed; of an incomplete one too. */
  readonly answer: Uint8Array
  /** One sentence for a person; null exactly if there is a status. */
  readonly error: string | null
  /** Whole milliseconds that it took. */
  readonly durationMillis: number
  /** The header `Retry-After` as it was sent. */
  readonly retryAfter: string | null
}

/** The first bytes of a body. What is kept is copied: the chunk is a view of a buffer many times its size. */
const makeKept = () => {
  const pieces: Array<Uint8Array> = []
  let left = KEPT_BYTES
  return {
    add: (chunk: Uint8Array) => {
      if (left === 0) return
      pieces.push(new Uint8Array(chunk.subarray(0, left)))
      left -= Math.min(left, chunk.length)
    },
    bytes: () => new Uint8Array(Buffer.concat(pieces))
  }
}

/** How far a request got when its time was up. */
const late = (isSent: boolean, status: number | null, timeoutMillis: number): string => {
  const within = `within ${timeoutMillis / 1000} seconds`
  if (!isSent) return `There was no connection to the receiver ${within}`
  if (status === null) return `The receiver did not answer ${within}`
  return `The answer, with status ${status}, was not complete ${within}`
}

export interface ExchangeOptions {
  readonly connection: Connection
  readonly path: string
  readonly request: OutgoingRequest
  readonly timeoutMillis: number
}

/**
 * One request and its answer on a connection, which is released after a complete answer and else destroyed. Calls
 * `done` once, at the latest when the time is up. Gives what ends it without that call.
 */
export const exchange = (
  { connection, path, request, timeoutMillis }: ExchangeOptions,
  done: (attempt: Attempt) => void
): (() => void) => {
  const start = performance.now()
  const kept = makeKept()
  let isOver = false
  let isSent = false
  let status: number | null = null
  let retryAfter: string | null = null

  const stop = (close: () => void) => {
    isOver = true
    clearTimeout(timer)
    close()
  }
  const end = (error: string | null) => {
    if (isOver) return
    stop(error === null ? connection.release : connection.destroy)
    const durationMillis = Math.round(performance.now() - start)
    done({ status: error === null ? status : null, answer: kept.bytes(), error, durationMillis, retryAfter })
  }
  const timer = setTimeout(() => end(late(isSent, status, timeoutMillis)), timeoutMillis)
  connection.dispatch(
    { method: "POST", path, headers: request.headers, body: request.body },
    {
      onRequestStart: () => {
        isSent = true
      },
      onResponseStart: (controller, code, headers) => {
        // An assertion of undici would fail on these. For its message Node parses the source that it stands in, which as
        // a bundle took 2 to 7 s, and nothing else happens meanwhile.
        if (code < 100 || code === 101) return controller.abort(new StatusInvalid())
        if (code < 200) return
        status = code
        retryAfter = [headers["retry-after"]].flat()[0] ?? null
      },
      onResponseData: (_, chunk) => kept.add(chunk),
      onResponseEnd: () => end(null),
      onResponseError: (_, error) => end(explain(error))
    }
  )
  return () => {
    // Afterwards the connection may serve somebody else.
    if (!isOver) stop(connection.destroy)
  }
}
