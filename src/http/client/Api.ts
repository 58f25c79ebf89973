import { isObject, type JsonObject, parse, stringify } from "../../domain/ExactJson.ts"
import { type Bearer, bearerOf, type TokenStore } from "./Bearer.ts"
import type { Answer, CallOptions, DryRun, Listing, Page, Rehearsed, UpdateOptions } from "./Calls.ts"
import { ApiError, ConnectionError } from "./Errors.ts"
import { listing } from "./Listing.ts"
import { type RetryOptions, retrying } from "./Retry.ts"
import { below, exchange, type Names, type Outgoing, type Received, type TransportOptions } from "./Transport.ts"

/* How every operation of the API is asked, and its answer read: the calls of both clients. */

/** The prefix of all paths of operations. */
const PREFIX = "/api/platform/v1"

export interface ClientOptions extends TransportOptions, RetryOptions {
  /** Where the service is, as in `https://platform.example`. */
  readonly url: string
  /** An access token, or where an installation's tokens are kept: those are renewed as they end. */
  readonly tokens: string | TokenStore
}

export type Query = Readonly<Record<string, string | number | undefined>>

export type ListQuery = Query & { readonly cursor?: string | undefined }

export type AnyWriteOptions = UpdateOptions | DryRun<UpdateOptions>

/** The answer to a request: a success, whose body has data or is a page. */
export interface Answered extends Omit<Answer<unknown>, "data"> {
  readonly body: JsonObject
}

/** Sends one operation, with all that the options ask for. The path begins behind the service's address. */
export type Send = (
  method: string,
  path: string,
  options: AnyWriteOptions & CallOptions,
  body?: string
) => Promise<Answered>

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
const isAnswer = <Data>(body: JsonObject): body is { readonly data: Data } => "data" in body
const isRehearsal = <Data>(body: JsonObject): body is JsonObject & Rehearsed<Data> => body["dryRun"] === true
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

/** Sends calls with a token that is renewed, and again where they were not answered: a write under the same key. */
export const makeSend = (options: ClientOptions): Send => {
  const bearer: Bearer = bearerOf(options.tokens, options)

  /** A call with the token there is, and once more with the next where that is refused: under the same key. */
  const call = async (request: Outgoing, names: Names, signal: AbortSignal | undefined) => {
    const send = (token: string) => {
      const headers = { ...request.headers, accept: "application/json", authorization: `Bearer ${token}` }
      return retrying(() => exchange({ ...request, headers }, options, names, signal), options, signal)
    }
    const token = await orAborted(bearer.current(), signal)
    const first = await send(token)
    const next = first.status === 401 ? await orAborted(bearer.renew(token), signal) : undefined
    return next === undefined ? first : send(next)
  }

  return async (method, path, given, body) => {
    const { requestId = crypto.randomUUID(), signal } = given
    const write = method === "GET" ? undefined : { idempotencyKey: given.idempotencyKey ?? crypto.randomUUID() }
    const headers = {
      ...(write === undefined ? {} : { ...headersOf(given), "idempotency-key": write.idempotencyKey }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    }
    const names = { requestId, ...write }
    const received = await call({ method, url: below(options.url, path), headers, body }, names, signal)
    const named = { ...names, requestId: received.headers.get("x-request-id") ?? requestId }
    if (received.status < 200 || received.status >= 300) throw refusal(received, named)
    const parsed = bodyIn(received, named)
    if (!isObject(parsed) || !("data" in parsed || "nextCursor" in parsed)) {
      throw new ConnectionError("The service answered without data", named)
    }
    return {
      body: parsed,
      etag: received.headers.get("etag") ?? undefined,
      isReplayed: received.headers.get("idempotent-replayed") === "true",
      requestId: named.requestId
    }
  }
}

export const makeApi = (options: ClientOptions): Api => {
  const send = makeSend(options)

  return {
    read: async <Data>(path: string, query: Query, options: CallOptions): Promise<Answer<Data>> => {
      const { body, ...answer } = await send("GET", `${PREFIX}${path}${queryOf(query)}`, options)
      if (!isAnswer<Data>(body)) throw new ConnectionError("The service answered without data", answer)
      return { data: body.data, ...answer }
    },
    list: <Item>(path: string, items: string, query: ListQuery, options: CallOptions): Listing<Item> =>
      listing(query.cursor, async (cursor): Promise<Page<Item>> => {
        const { body, requestId } = await send("GET", `${PREFIX}${path}${queryOf({ ...query, cursor })}`, options)
        const { [items]: held, nextCursor } = body
        if (!isListOf<Item>(held)) throw new ConnectionError(`The service answered without ${items}`, { requestId })
        return { items: held, nextCursor: typeof nextCursor === "string" ? nextCursor : null, requestId }
      }),
    write: async <Data>(
      method: "POST" | "PUT" | "PATCH" | "DELETE",
      path: string,
      query: Query,
      options: AnyWriteOptions,
      content?: unknown
    ): Promise<Answer<Data> | Rehearsed<Data>> => {
      const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID()
      const text = content === undefined ? undefined : stringify(content)
      const url = `${PREFIX}${path}${queryOf(query)}`
      const { body, ...answer } = await send(method, url, { ...options, idempotencyKey }, text)
      if (isRehearsal<Data>(body)) return { ...body, requestId: answer.requestId }
      if (!isAnswer<Data>(body)) {
        throw new ConnectionError("The service answered without data", { ...answer, idempotencyKey })
      }
      return { data: body.data, ...answer }
    }
  }
}
