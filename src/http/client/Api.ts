import { isObject, type JsonObject } from "../../domain/json/Json.ts"
import { type Bearer, makeBearer, type TokenStore } from "./Bearer.ts"
import {
  type Answer,
  type CallOptions,
  type DryRun,
  type Listing,
  makeListing,
  type Page,
  type DryRunAnswer,
  type SearchListing,
  type SearchPage,
  type UpdateOptions,
  type WriteOptions
} from "./Calls.ts"
import { ApiError, ConnectionError } from "./Errors.ts"
import { type RetryOptions, withRetries } from "./Retry.ts"
import {
  joinUrl,
  sendRequest,
  type RequestBody,
  type RequestIds,
  type HttpRequest,
  type HttpResponse,
  type TransportOptions
} from "./Transport.ts"

/* Requests and responses of every operation, for both clients. */

/** The prefix of all paths of operations. */
const PREFIX = "/api/platform/v1"

export interface ClientOptions extends TransportOptions, RetryOptions {
  /** The URL of the service, as in `https://platform.example`. */
  readonly url: string
  /** An access token, or the token store of an installation, whose tokens are refreshed when they expire. */
  readonly tokens: string | TokenStore
}

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

export type ListQuery = Query & { readonly cursor?: string | null | undefined }

export type AnyWriteOptions = UpdateOptions | DryRun<UpdateOptions>

/** A successful response. Its body has data or is a page of a list or of the change feed. */
export interface SuccessResponse extends Omit<Answer<unknown>, "data"> {
  readonly body: JsonObject
}

/** Sends one operation with its options. The path is relative to the URL of the service. */
export type Send = (
  method: string,
  path: string,
  options: AnyWriteOptions & CallOptions,
  body?: RequestBody
) => Promise<SuccessResponse>

type Bytes = Exclude<RequestBody, string>

/** The requests of the generated operations. */
export interface Api {
  readonly read: <Data>(path: string, query: Query, options: CallOptions) => Promise<Answer<Data>>
  /** Makes a list. `items` is the member of a page that has the items. */
  readonly list: <Item>(path: string, items: string, query: ListQuery, options: CallOptions) => Listing<Item>
  readonly search: <Item>(path: string, items: string, query: ListQuery, options: CallOptions) => SearchListing<Item>
  /** Reads a page of the change feed. */
  readonly feed: <Page extends object>(path: string, query: Query, options: CallOptions) => Promise<Page>
  /** Performs a write that has no dry run. */
  readonly perform: <Data>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    query: Query,
    options: WriteOptions,
    body?: unknown
  ) => Promise<Answer<Data>>
  /** Sends the bytes of a file. */
  readonly upload: <Data>(path: string, query: Query, options: WriteOptions, bytes: Bytes) => Promise<Answer<Data>>
  readonly write: <Data>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    query: Query,
    options: AnyWriteOptions,
    body?: unknown
  ) => Promise<Answer<Data> | DryRunAnswer<Data>>
}

const formatQuery = (query: Query) => {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)]]
  )
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`
}

/* The service defines the types of `data` and items, so only the shape of a response is checked. */

/** Returns the data of a response. Throws if it has none. */
const dataOf = <Data>(body: JsonObject, ids: RequestIds): Data => {
  if (!("data" in body)) throw new ConnectionError("The response has no data", ids)
  return body["data"] as Data
}

const isText = (value: unknown) => typeof value === "string"

const preferences = ({ dryRun = false, strict = false }: AnyWriteOptions) =>
  [...(strict ? ["handling=strict"] : []), ...(dryRun ? ["handling=dry-run"] : [])].join(", ")

const formatTag = (version: number | string) => (typeof version === "number" ? `"${version}"` : version)

const writeHeaders = (options: AnyWriteOptions): Readonly<Record<string, string>> => {
  const prefer = preferences(options)
  return {
    ...(prefer === "" ? {} : { prefer }),
    ...(options.ifMatch === undefined ? {} : { "if-match": formatTag(options.ifMatch) }),
    ...(options.eventId === undefined ? {} : { "x-service-event-id": options.eventId })
  }
}

/** Settles with `promise`, or rejects when the signal aborts. */
const orAborted = <A>(promise: Promise<A>, signal: AbortSignal | undefined): Promise<A> =>
  signal === undefined
    ? promise
    : new Promise((resolve, reject) => {
        const abort = () => reject(signal.reason)
        signal.addEventListener("abort", abort, { once: true })
        promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
      })

const parseBody = ({ text }: HttpResponse, ids: RequestIds): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ConnectionError("The response is not JSON", { cause, ...ids })
  }
}

const toApiError = ({ status, text }: HttpResponse, ids: RequestIds) => {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  const { error, issues } = isObject(body) ? body : {}
  const message = typeof error === "string" ? error : `The service responded with ${status} and no error message`
  return new ApiError(message, { status, issues: Array.isArray(issues) ? issues.filter(isText) : [], ...ids })
}

/** Makes the function that sends calls, with token refresh and retries. A retried write keeps its key. */
export const makeSend = (options: ClientOptions): Send => {
  validateOptions(options)
  const bearer: Bearer = makeBearer(options.tokens, options)

  /** Sends a call, and once more with a new token if the current one is refused. */
  const sendWithToken = async (request: HttpRequest, ids: RequestIds, signal: AbortSignal | undefined) => {
    const send = (token: string) => {
      const headers = { ...request.headers, accept: "application/json", authorization: `Bearer ${token}` }
      return withRetries(() => sendRequest({ ...request, headers }, options, ids, signal), options, signal)
    }
    const token = await orAborted(bearer.current(), signal)
    const first = await send(token)
    const next = first.status === 401 ? await orAborted(bearer.renew(token), signal) : undefined
    return next === undefined ? first : send(next)
  }

  return async (method, path, call, body) => {
    const { requestId = crypto.randomUUID(), signal } = call
    const write = method === "GET" ? undefined : { idempotencyKey: call.idempotencyKey ?? crypto.randomUUID() }
    const headers = {
      ...(write === undefined ? {} : { ...writeHeaders(call), "idempotency-key": write.idempotencyKey }),
      ...(body === undefined
        ? {}
        : { "content-type": typeof body === "string" ? "application/json" : "application/octet-stream" })
    }
    const ids = { requestId, ...write }
    const received = await sendWithToken({ method, url: joinUrl(options.url, path), headers, body }, ids, signal)
    const responseIds = { ...ids, requestId: received.headers.get("x-request-id") ?? requestId }
    if (received.status < 200 || received.status >= 300) throw toApiError(received, responseIds)
    const parsed = parseBody(received, responseIds)
    if (!isObject(parsed) || !["data", "nextCursor", "nextPosition"].some((member) => member in parsed)) {
      throw new ConnectionError("The response has no data", responseIds)
    }
    return {
      body: parsed,
      etag: received.headers.get("etag") ?? undefined,
      isReplayed: received.headers.get("idempotent-replayed") === "true",
      requestId: responseIds.requestId
    }
  }
}

/** Returns a required query parameter, or throws. Without it, a request could mean something else. */
export const required = (name: string, value: string): string => {
  if (typeof value !== "string") throw new TypeError(`${name} is missing`)
  return value
}

/** Throws for options without which every call would fail. JavaScript calls are not checked by types. */
const validateOptions = (options: ClientOptions | undefined) => {
  if (typeof options?.url !== "string" || options.url === "") {
    throw new TypeError("url must be the URL of the service, as in https://platform.example")
  }
  const { tokens } = options
  if (!(typeof tokens === "string" ? tokens !== "" : isObject(tokens))) {
    throw new TypeError("tokens must be an access token, or a token store with app, load and save")
  }
}

/** Makes the requests of the generated operations. */
export const makeApi = (options: ClientOptions): Api => {
  const send = makeSend(options)

  /** Reads a page of a list, and its body. */
  const readPage = async <Item>(path: string, items: string, query: ListQuery, options: CallOptions) => {
    const { body, requestId } = await send("GET", `${PREFIX}${path}${formatQuery(query)}`, options)
    const { [items]: rows, nextCursor } = body
    if (!Array.isArray(rows)) throw new ConnectionError(`The response has no ${items}`, { requestId })
    const page: Page<Item> = {
      items: rows as ReadonlyArray<Item>,
      nextCursor: typeof nextCursor === "string" ? nextCursor : null,
      requestId
    }
    return { page, body }
  }

  return {
    read: async <Data>(path: string, query: Query, options: CallOptions): Promise<Answer<Data>> => {
      const { body, ...metadata } = await send("GET", `${PREFIX}${path}${formatQuery(query)}`, options)
      return { data: dataOf<Data>(body, metadata), ...metadata }
    },
    list: <Item>(path: string, items: string, query: ListQuery, options: CallOptions): Listing<Item> =>
      makeListing(query.cursor, async (cursor): Promise<Page<Item>> => {
        const { page } = await readPage<Item>(path, items, { ...query, cursor }, options)
        return page
      }),
    search: <Item>(path: string, items: string, query: ListQuery, options: CallOptions): SearchListing<Item> =>
      makeListing(query.cursor, async (cursor): Promise<SearchPage<Item>> => {
        const { body, page } = await readPage<Item>(path, items, { ...query, cursor }, options)
        return { ...page, total: typeof body["total"] === "number" ? body["total"] : null }
      }),
    feed: async <Page extends object>(path: string, query: Query, options: CallOptions): Promise<Page> => {
      const { body } = await send("GET", `${PREFIX}${path}${formatQuery(query)}`, options)
      return body as Page
    },
    perform: async <Data>(
      method: "POST" | "PUT" | "PATCH" | "DELETE",
      path: string,
      query: Query,
      options: WriteOptions,
      content?: unknown
    ): Promise<Answer<Data>> => {
      const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID()
      const text = content === undefined ? undefined : JSON.stringify(content)
      const { body, ...metadata } = await send(
        method,
        `${PREFIX}${path}${formatQuery(query)}`,
        { ...options, idempotencyKey },
        text
      )
      return { data: dataOf<Data>(body, { ...metadata, idempotencyKey }), ...metadata }
    },
    upload: async <Data>(path: string, query: Query, options: WriteOptions, bytes: Bytes) => {
      const { body, ...metadata } = await send("POST", `${PREFIX}${path}${formatQuery(query)}`, options, bytes)
      return { data: dataOf<Data>(body, metadata), ...metadata }
    },
    write: async <Data>(
      method: "POST" | "PUT" | "PATCH" | "DELETE",
      path: string,
      query: Query,
      options: AnyWriteOptions,
      content?: unknown
    ): Promise<Answer<Data> | DryRunAnswer<Data>> => {
      const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID()
      const text = content === undefined ? undefined : JSON.stringify(content)
      const url = `${PREFIX}${path}${formatQuery(query)}`
      const { body, ...metadata } = await send(method, url, { ...options, idempotencyKey }, text)
      if (body["dryRun"] === true)
        return { ...(body as JsonObject & DryRunAnswer<Data>), requestId: metadata.requestId }
      return { data: dataOf<Data>(body, { ...metadata, idempotencyKey }), ...metadata }
    }
  }
}
