import { isObject, parse, stringify } from "../../domain/Json.ts"
import { type Bearer, bearerOf, type TokenStore } from "./Bearer.ts"
import type { Answer, CallOptions, DryRun, Listing, Page, Rehearsed, UpdateOptions } from "./Calls.ts"
import { ApiError, ConnectionError } from "./Errors.ts"
import { listing } from "./Listing.ts"
import { type RetryOptions, retrying } from "./Retry.ts"
import { below, exchange, type Names, type Outgoing, type Received, type TransportOptions } from "./Transport.ts"

/* How every operation of the API is asked, and its answer read. */

export interface ClientOptions extends TransportOptions, RetryOptions {
  /** Where the service is, as in `https://platform.example`. */
  readonly url: string
  /** An access token, or where an installation's tokens are kept: those are renewed as they end. */
  readonly tokens: string | TokenStore
}

export type Query = Readonly<Record<string, string | number | undefined>>

export type ListQuery = Query & { readonly cursor?: string | undefined }

type AnyWriteOptions = UpdateOptions | DryRun<UpdateOptions>

/** How the operations of the client are asked. */
export interface Api {
  readonly read: <Data>(path: string, query: Query, options: CallOptions) => Promise<Answer<Data>>
  /** A list whose pages hold their items in the member `items`. */
  readonly list: <Item>(path: string, items: string, query: ListQuery, options: CallOptions) => Listing<Item>
  readonly write: <Data>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    query: Query,
    options: AnyWriteOptions,
    body?: unknown
  ) => Promise<Answer<Data> | Rehearsed<Data>>
}

const queryOf = (query: Query) => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`
}

/** What the service is trusted to answer, as it is the service that says what that is. */
const isAnswer = <Data>(body: unknown): body is { readonly data: Data } => isObject(body) && "data" in body
const isRehearsal = <Data>(body: unknown): body is Rehearsed<Data> => isObject(body) && body["dryRun"] === true
const isListOf = <Item>(value: unknown): value is ReadonlyArray<Item> => Array.isArray(value)

const isText = (value: unknown) => typeof value === "string"

const preferences = ({ dryRun = false, strict = false }: AnyWriteOptions) =>
  [...(strict ? ["handling=strict"] : []), ...(dryRun ? ["handling=dry-run"] : [])].join(", ")

const tagOf = (version: number | string) => (typeof version === "number" ? `"${version}"` : version)

const headersOf = (options: AnyWriteOptions): Readonly<Record<string, string>> => {
  const prefer = preferences(options)
  return {
    ...(prefer === "" ? {} : { prefer }),
    ...(options.ifMatch === undefined ? {} : { "if-match": tagOf(options.ifMatch) }),
    ...(options.eventId === undefined ? {} : { "x-service-event-id": options.eventId })
  }
}

/** What `promise` comes to, unless the signal is first. */
const orAborted = <A>(promise: Promise<A>, signal: AbortSignal | undefined): Promise<A> =>
  signal === undefined
    ? promise
    : new Promise((resolve, reject) => {
        const abort = () => reject(signal.reason)
        signal.addEventListener("abort", abort, { once: true })
        promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
      })

const bodyIn = ({ text }: Received, names: Names): unknown => {
  try {
    return parse(text)
  } catch (cause) {
    throw new ConnectionError("The service answered what is no JSON", { cause, ...names })
  }
}

const refusal = ({ status, text }: Received, names: Names) => {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  const { error, issues } = isObject(body) ? body : {}
  const message = typeof error === "string" ? error : `The service answered ${status} without a reason`
  return new ApiError(message, { status, issues: Array.isArray(issues) ? issues.filter(isText) : [], ...names })
}

export const makeApi = (options: ClientOptions): Api => {
  const bearer: Bearer = bearerOf(options.tokens, options)
  const base = below(options.url, "/api/platform/v1")

  /** A call with the token there is, and once more with the next where that is refused: under the same key. */
  const call = async (request: Outgoing, names: Names, signal: AbortSignal | undefined) => {
    const send = (token: string) => {
      const headers = { ...request.headers, accept: "application/json", authorization: `Bearer ${token}` }
      return retrying(() => exchange({ ...request, headers }, options, names, signal), options, signal)
    }
    const token = await orAborted(bearer.current(), signal)
    const first = await send(token)
    const next = first.status === 401 ? await orAborted(bearer.renew(token), signal) : undefined
    const received = next === undefined ? first : await send(next)
    const named = { ...names, requestId: received.headers.get("x-request-id") ?? names.requestId }
    if (received.status >= 200 && received.status < 300) return { received, named, body: bodyIn(received, named) }
    throw refusal(received, named)
  }

  const read = (path: string, query: Query, { requestId = crypto.randomUUID(), signal }: CallOptions) =>
    call({ method: "GET", url: `${base}${path}${queryOf(query)}`, headers: {} }, { requestId }, signal)

  return {
    read: async <Data>(path: string, query: Query, options: CallOptions): Promise<Answer<Data>> => {
      const { body, named, received } = await read(path, query, options)
      if (!isAnswer<Data>(body)) throw new ConnectionError("The service answered without data", named)
      const etag = received.headers.get("etag") ?? undefined
      return { data: body.data, etag, isReplayed: false, requestId: named.requestId }
    },
    list: <Item>(path: string, items: string, query: ListQuery, options: CallOptions): Listing<Item> =>
      listing(query.cursor, async (cursor): Promise<Page<Item>> => {
        const { body, named } = await read(path, { ...query, cursor }, options)
        const { [items]: held, nextCursor } = isObject(body) ? body : {}
        if (!isListOf<Item>(held)) throw new ConnectionError(`The service answered without ${items}`, named)
        return {
          items: held,
          nextCursor: typeof nextCursor === "string" ? nextCursor : null,
          requestId: named.requestId
        }
      }),
    write: async <Data>(
      method: "POST" | "PUT" | "PATCH" | "DELETE",
      path: string,
      query: Query,
      options: AnyWriteOptions,
      content?: unknown
    ): Promise<Answer<Data> | Rehearsed<Data>> => {
      const { idempotencyKey = crypto.randomUUID(), requestId = crypto.randomUUID(), signal } = options
      const request = {
        method,
        url: `${base}${path}${queryOf(query)}`,
        headers: {
          ...headersOf(options),
          "idempotency-key": idempotencyKey,
          ...(content === undefined ? {} : { "content-type": "application/json" })
        },
        body: content === undefined ? undefined : stringify(content)
      }
      const { body, named, received } = await call(request, { requestId, idempotencyKey }, signal)
      if (isRehearsal<Data>(body)) return { ...body, requestId: named.requestId }
      if (!isAnswer<Data>(body)) throw new ConnectionError("The service answered without data", named)
      return {
        data: body.data,
        etag: received.headers.get("etag") ?? undefined,
        isReplayed: received.headers.get("idempotent-replayed") === "true",
        requestId: named.requestId
      }
    }
  }
}
