import { Context, Effect, Option, Schema, Stream } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse, UrlParams } from "effect/http"
import { HttpApi, HttpApiClient } from "effect/http-api"
import { isObject } from "../../domain/json/Json.ts"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { type SuccessResponse, type ClientOptions, makeSend, type Send } from "./Api.ts"
import type { Answer, UpdateOptions } from "./Calls.ts"
import { ApiError, ConnectionError, OAuthError } from "./Errors.ts"

/*
 * The client for Effect programs, published as `partner-api/client/effect`: `HttpApiClient` over the definitions in
 * src/http/api. It sends requests like `partner-api/client`. Bodies are not decoded by the schemas, because the decoder
 * would fail on fields of a newer service.
 */

export { CollectionId } from "../../domain/catalog/Collection.ts"
export { ProductId } from "../../domain/catalog/Product.ts"

/** The errors of a call. `OAuthError`: the token expired and could not be refreshed. */
export type CallError = ApiError | ConnectionError | OAuthError

/** The options of a call. All except `requestId` apply to writes only. Interruption cancels the call. */
export interface EffectOptions extends Omit<UpdateOptions, "signal" | "dryRun" | "strict"> {
  /** Returns the result and effects of the write without storing them. */
  readonly dryRun?: boolean | undefined
}

/** The headers of a response. */
export type AnswerFacts = Omit<Answer<unknown>, "data">

/** The options of the current call, and its response once it exists. Only `EffectClient` provides it. */
export class Call extends Context.Service<Call, { readonly options: EffectOptions; response?: SuccessResponse }>()(
  "partner-api/client/Call"
) {}

/** The operations of the API by group and name, as in `HttpApiClient`. */
export type Operations = HttpApiClient.ForApi<typeof PartnerApi, CallError, Call>

interface DryRunBody {
  readonly dryRun: true
}

interface AnyPage {
  readonly nextCursor: string | null
}

const Cursor = Schema.String.pipe(
  Schema.brand("ProductId"),
  Schema.brand("CollectionId"),
  Schema.brand("OrderId"),
  Schema.brand("CustomerId")
)

/** The page of a list to read. The type of the cursor matches every list. */
export interface PageQuery {
  readonly cursor?: typeof Cursor.Type
  readonly limit: number
}

export interface EffectClient {
  /**
   * Calls one operation and returns its body and headers. Retried writes keep their key.
   *
   * @example
   * const { data } = yield* client.call((api) => api.Products.createProduct({ payload: { name: "Lantern" } }))
   */
  readonly call: {
    <A extends object, E>(
      operation: (api: Operations) => Effect.Effect<A, E, Call>,
      options: EffectOptions & { readonly dryRun: true }
    ): Effect.Effect<Extract<A, DryRunBody> & AnswerFacts, CallError>
    <A extends object, E>(
      operation: (api: Operations) => Effect.Effect<A, E, Call>,
      options?: EffectOptions & { readonly dryRun?: false | undefined }
    ): Effect.Effect<Exclude<A, DryRunBody> & AnswerFacts, CallError>
  }
  /**
   * Streams the items of a list, page after page.
   *
   * @example
   * client.stream((api, query) => api.Products.listProducts({ query }), ({ products }) => products)
   */
  readonly stream: <A extends object, E, Item>(
    operation: (api: Operations, query: PageQuery) => Effect.Effect<A, E, Call>,
    itemsOf: (page: Extract<A, AnyPage>) => ReadonlyArray<Item>
  ) => Stream.Stream<Item, CallError>
}

const isCallError = (error: unknown): error is CallError =>
  error instanceof ApiError || error instanceof ConnectionError || error instanceof OAuthError

/** Fails with the errors of the client. Others are defects: mistakes of the caller, or a failing token store. */
const orDie = (error: unknown) => (isCallError(error) ? Effect.fail(error) : Effect.die(error))

/** Makes an `HttpClient` with the tokens, keys and retries of `partner-api/client`. Fails unless the response is a success. */
const makeHttpClient = (send: Send) =>
  HttpClient.makeWith(
    (request: Effect.Effect<HttpClientRequest.HttpClientRequest>) =>
      Effect.gen(function* () {
        const { body, method, url, urlParams } = yield* request
        const call = yield* Call
        const query = UrlParams.toString(urlParams)
        const text = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : undefined
        call.response = yield* Effect.tryPromise({
          try: (signal) => send(method, query === "" ? url : `${url}?${query}`, { ...call.options, signal }, text),
          catch: (error) => error
        }).pipe(Effect.catch(orDie))
        return HttpClientResponse.fromWeb(yield* request, new Response())
      }),
    Effect.succeed
  )

/** The API without checks of limits. The service checks them, and a newer service may have other limits. */
const api = PartnerApi.annotate(HttpApi.PayloadParseOptions, { disableChecks: true }).annotate(
  HttpApi.QueryParseOptions,
  { disableChecks: true }
)

const isPage = <A>(body: A): body is Extract<A, AnyPage> => isObject(body) && "nextCursor" in body

/** Creates a client of every operation for one installation, with all errors in its types. */
export const createEffectClient = (options: ClientOptions): EffectClient => {
  const operations = HttpApiClient.makeWith(api, {
    httpClient: makeHttpClient(makeSend(options)),
    transformResponse: () => Effect.map(Call, ({ response }) => response?.body)
  }).pipe(Effect.runSync)

  /** Runs one operation. Returns its body and headers. */
  const run = <A extends object, E>(
    operation: (api: Operations) => Effect.Effect<A, E, Call>,
    options: EffectOptions
  ) =>
    Effect.gen(function* () {
      const call: typeof Call.Service = { options }
      const value = yield* Effect.provideService(operation(operations), Call, call)
      if (call.response === undefined) return yield* Effect.die(new TypeError("The operation sent no request"))
      const { body: _, ...metadata } = call.response
      return { value, metadata }
    }).pipe(Effect.catch(orDie))

  function call<A extends object, E>(
    operation: (api: Operations) => Effect.Effect<A, E, Call>,
    options: EffectOptions & { readonly dryRun: true }
  ): Effect.Effect<Extract<A, DryRunBody> & AnswerFacts, CallError>
  function call<A extends object, E>(
    operation: (api: Operations) => Effect.Effect<A, E, Call>,
    options?: EffectOptions & { readonly dryRun?: false | undefined }
  ): Effect.Effect<Exclude<A, DryRunBody> & AnswerFacts, CallError>
  function call(operation: (api: Operations) => Effect.Effect<object, unknown, Call>, options: EffectOptions = {}) {
    return Effect.map(run(operation, options), ({ metadata, value }) => ({ ...value, ...metadata }))
  }

  return {
    call,
    stream: (operation, itemsOf) =>
      Stream.paginate<PageQuery, ReturnType<typeof itemsOf>[number], CallError>({ limit: DEFAULT_LIMIT }, (query) =>
        Effect.flatMap(
          run((api) => operation(api, query), {}),
          ({ value }) => {
            if (!isPage(value)) return Effect.die(new TypeError("The operation does not return a list"))
            const { nextCursor } = value
            const next =
              nextCursor === null ? Option.none() : Option.some({ ...query, cursor: Cursor.make(nextCursor) })
            return Effect.succeed([itemsOf(value), next] as const)
          }
        )
      )
  }
}
