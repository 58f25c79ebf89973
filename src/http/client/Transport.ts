import { ConnectionError } from "./Errors.ts"

/* One request over `fetch`. */

export interface TransportOptions {
  /** Replaces the `fetch` of the platform. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** Milliseconds for the complete response to a request. Default: 60,000. */
  readonly timeout?: number | undefined
}

/** JSON, or the bytes of a file. A body can be sent again. */
export type RequestBody = string | Blob | Uint8Array<ArrayBuffer>

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: RequestBody | undefined
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Identifies a request and the write that it belongs to. */
export interface RequestIds {
  readonly requestId: string
  readonly idempotencyKey?: string | undefined
}

/** Joins the URL of the service, which can have a path, and a path of the API. */
export const joinUrl = (url: string, path: string): string => `${url.replace(/\/+$/, "")}${path}`

const TIMEOUT = 60_000

const platformFetch = (url: string, init: RequestInit) => globalThis.fetch(url, init)

/**
 * Sends a request. Returns the response or a connection error, and rejects only with the reason of the signal. Redirects
 * are not followed, so that tokens are sent to the service only.
 */
export const sendRequest = async (
  { body, headers, method, url }: HttpRequest,
  { fetch = platformFetch, timeout = TIMEOUT }: TransportOptions,
  ids: RequestIds,
  signal: AbortSignal | undefined
): Promise<HttpResponse | ConnectionError> => {
  signal?.throwIfAborted()
  const timer = AbortSignal.timeout(timeout)
  const init = {
    method,
    // Outside the `try`: an invalid header value is a mistake of the caller and throws a TypeError.
    headers: new Headers({ ...headers, "x-request-id": ids.requestId }),
    redirect: "manual",
    signal: signal === undefined ? timer : AbortSignal.any([signal, timer]),
    ...(body === undefined ? {} : { body })
  } as const
  try {
    const response = await fetch(url, init)
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch (cause) {
    signal?.throwIfAborted()
    const message = timer.aborted
      ? `The service did not respond within ${timeout} ms`
      : `The service cannot be reached at ${url}`
    return new ConnectionError(message, { cause, ...ids })
  }
}

/** Encodes a value as one segment of a path. Throws for values that would change the path. */
export const pathSegment = (value: string): string => {
  if (typeof value !== "string" || value === "" || value === "." || value === "..") {
    throw new TypeError(`"${value}" is not a valid id`)
  }
  return encodeURIComponent(value)
}
