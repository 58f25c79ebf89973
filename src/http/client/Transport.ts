import { ConnectionError } from "./Errors.ts"

/* One request over the platform's `fetch`, or another one. */

export interface TransportOptions {
  /** Asks, instead of the platform's `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** How many milliseconds a request waits for the whole of its answer. 60,000 when left out. */
  readonly timeout?: number | undefined
}

export interface Outgoing {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** By what a request, and the call that it belongs to, is found again. */
export interface Names {
  readonly requestId: string
  readonly idempotencyKey?: string | undefined
}

/** An address of the service, which may stand below a path of its host. */
export const below = (url: string, path: string): string => `${url.replace(/\/+$/, "")}${path}`

const TIMEOUT = 60_000

const platformFetch = (url: string, init: RequestInit) => globalThis.fetch(url, init)

/**
 * What came back, whole, or that nothing did. Rejects with the reason of the signal alone. No redirect is followed: the
 * service sends none, and what carries a token goes nowhere else.
 */
export const exchange = async (
  { body, headers, method, url }: Outgoing,
  { fetch = platformFetch, timeout = TIMEOUT }: TransportOptions,
  names: Names,
  signal: AbortSignal | undefined
): Promise<Received | ConnectionError> => {
  signal?.throwIfAborted()
  const timer = AbortSignal.timeout(timeout)
  const init = {
    method,
    // What no header can hold is the caller's mistake, and is told as that.
    headers: new Headers({ ...headers, "x-request-id": names.requestId }),
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
      ? `The service did not answer within ${timeout} ms`
      : `The service cannot be reached at ${url}`
    return new ConnectionError(message, { cause, ...names })
  }
}
