import type { Connection } from "./Connections.ts"
import { explain, StatusInvalid } from "./Failure.ts"

/** Bytes of an answer's body that are kept, for the log (decisions, section 10). */
export const KEPT_BYTES = 16_384

/** The headers of an answer that somebody reads. */
const HEARD = ["retry-after", "content-type", "cache-control"] as const

/** What they said, as it was sent. */
export type Heard = Readonly<Partial<Record<(typeof HEARD)[number], string>>>

const heard = (headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>): Heard =>
  Object.fromEntries(
    HEARD.flatMap((name) => {
      const [value] = [headers[name]].flat()
      return value === undefined ? [] : [[name, value]]
    })
  )

export interface OutgoingRequest {
  /** Judged anew for each request, by `checkUrl`. */
  readonly url: string
  /** Whether it goes to public addresses alone, whatever hosts are allowed. */
  readonly isPublicOnly?: boolean
  /** `Host`, `Content-Length` and `Connection` are added. */
  readonly headers: Readonly<Record<string, string>>
  /** What is posted; null gets what is there, of which more than {@link KEPT_BYTES} is not read. */
  readonly body: string | null
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
  readonly headers: Heard
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
  const isPost = request.body !== null
  const kept = makeKept()
  let isOver = false
  let isSent = false
  let status: number | null = null
  let headers: Heard = {}
  let length = 0

  const stop = (close: () => void) => {
    isOver = true
    clearTimeout(timer)
    close()
  }
  const end = (error: string | null) => {
    if (isOver) return
    stop(error === null ? connection.release : connection.destroy)
    const durationMillis = Math.round(performance.now() - start)
    done({ status: error === null ? status : null, answer: kept.bytes(), error, durationMillis, headers })
  }
  const timer = setTimeout(() => end(late(isSent, status, timeoutMillis)), timeoutMillis)
  connection.dispatch(
    { method: isPost ? "POST" : "GET", path, headers: request.headers, body: request.body },
    {
      onRequestStart: () => {
        isSent = true
      },
      onResponseStart: (controller, code, given) => {
        // An assertion of undici would fail on these. For its message Node parses the source that it stands in, which as
        // a bundle took 2 to 7 s, and nothing else happens meanwhile.
        if (code < 100 || code === 101) return controller.abort(new StatusInvalid())
        if (code < 200) return
        status = code
        headers = heard(given)
      },
      onResponseData: (_, chunk) => {
        kept.add(chunk)
        length += chunk.length
        if (!isPost && length > KEPT_BYTES) end(`The answer is longer than ${KEPT_BYTES} bytes`)
      },
      onResponseEnd: () => end(null),
      onResponseError: (_, error) => end(explain(error))
    }
  )
  return () => {
    // Afterwards the connection may serve somebody else.
    if (!isOver) stop(connection.destroy)
  }
}
