import { Context, Effect, Option, Schema, Stream } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse, UrlParams } from "effect/http"
import { HttpApi, HttpApiClient } from "effect/http-api"
import { bareNumbers, isObject, stringify } from "../../domain/ExactJson.ts"
import { DEFAULT_LIMIT } from "../../domain/Page.ts"
import { Encoded } from "../../domain/Write.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { type Answered, type ClientOptions, makeSend, type Send } from "./Api.ts"
import type { Answer, UpdateOptions } from "./Calls.ts"
import { ApiError, ConnectionError, OAuthError } from "./Errors.ts"

/*
 * The client for programs of Effect, published as `partner-api/client/effect`: `HttpApiClient` over the definitions in
 * src/http/api. It sends as `partner-api/client` does, and hands on bodies as the service wrote them, as that does. The
 * library's decoder would round numbers, and fail on what a newer service answers; its errors do not survive HTTP.
 */

export { CollectionId } from "../../domain/catalog/Collection.ts"
export { ProductId } from "../../domain/catalog/Product.ts"

/** Why a call fails: `OAuthError` where its token had ended, and could not be renewed. */
export type CallError = ApiError | ConnectionError | OAuthError

/** The options of a call. Interruption gives it up. All but `requestId` are of writes. */
export interface EffectOptions extends Omit<UpdateOptions, "signal" | "dryRun" | "strict"> {
  /** Decides the write and answers what it would lead to. Nothing is kept. */
  readonly dryRun?: boolean | undefined
}

/** The headers of an answer. */
export type AnswerFacts = Omit<Answer<unknown>, "data">

/** The current call: its options, and its answer once there is one. Only `EffectClient` provides it. */
export class Call extends Context.Service<Call, { readonly options: EffectOptions; answer?: Answered }>()(
  "partner-api/client/Call"
) {}

/** The operations of the API by group and name, as `HttpApiClient` has them. */
export type Operations = HttpApiClient.ForApi<typeof PartnerApi, CallError, Call>

interface DryRunAnswer {
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

/** The page of a list to read. By its type, a cursor fits every list. */
export interface PageQuery {
  readonly cursor?: typeof Cursor.Type
  readonly limit: number
}

export interface EffectClient {
  /**
   * Calls one operation. Answers its body and headers. A write without an answer is sent again under its key.
   *
   * @example
   * const { data } = yield* client.call((api) => api.Products.createProduct({ payload: { name: "Lantern" } }))
   */
  readonly call: {
    <A extends object, E>(
      operation: (api: Operations) => Effect.Effect<A, E, Call>,
      options: EffectOptions & { readonly dryRun: true }
    ): Effect.Effect<Extract<A, DryRunAnswer> & AnswerFacts, CallError>
    <A extends object, E>(
      operation: (api: Operations) => Effect.Effect<A, E, Call>,
      options?: EffectOptions & { readonly dryRun?: false | undefined }
    ): Effect.Effect<Exclude<A, DryRunAnswer> & AnswerFacts, CallError>
  }
  /**
   * Walks a list to its end, page after page.
   *
   * @example
   * client.stream((api, query) => api.Products.listProducts({ query }), ({ products }) => products)
   */
  readonly stream: <A extends object, E, Item>(
    operation: (api: Operations, query: PageQuery) => Effect.Effect<A, E, Call>,
    itemsOf: (page: Extract<A, AnyPage>) => ReadonlyArray<Item>
  ) => Stream.Stream<Item, CallError>
}

/** JSON for `value` of `putAppData`. */
export const appDataValue = (value: unknown): Encoded => new Encoded(stringify(value))

const isCallError = (error: unknown): error is CallError =>
  error instanceof ApiError || error instanceof ConnectionError || error instanceof OAuthError

/** Fails with the client's own errors. Others are defects: a mistake of the caller, or a token store that fails. */
const orDie = (error: unknown) => (isCallError(error) ? Effect.fail(error) : Effect.die(error))

/** An `HttpClient` with the tokens, keys and retries of `partner-api/client`. Fails unless the response is a success. */
const transportOf = (send: Send) =>
  HttpClient.makeWith(
    (request: Effect.Effect<HttpClientRequest.HttpClientRequest>) =>
      Effect.gen(function* () {
        const { body, method, url, urlParams } = yield* request
        const call = yield* Call
        const query = UrlParams.toString(urlParams)
        const text = body._tag === "Uint8Array" ? bareNumbers(new TextDecoder().decode(body.body)) : undefined
        call.answer = yield* Effect.tryPromise({
          try: (signal) => send(method, query === "" ? url : `${url}?${query}`, { ...call.options, signal }, text),
          catch: (error) => error
        }).pipe(Effect.catch(orDie))
        return HttpClientResponse.fromWeb(yield* request, new Response())
      }),
    Effect.succeed
  )

/** Limits are the service's to check: it may have raised them since. Its `ApiError` has a line for each. */
const api = PartnerApi.annotate(HttpApi.PayloadParseOptions, { disableChecks: true }).annotate(
  HttpApi.QueryParseOptions,
  { disableChecks: true }
)

const isPage = <A>(answer: A): answer is Extract<A, AnyPage> => isObject(answer) && "nextCursor" in answer

/** A client of every operation, for one installation, with every failure in the type. */
export const createEffectClient = (options: ClientOptions): EffectClient => {
  const operations = HttpApiClient.makeWith(api, {
    httpClient: transportOf(makeSend(options)),
    transformResponse: () => Effect.map(Call, ({ answer }) => answer?.body)
  }).pipe(Effect.runSync)

  /** The body and the headers that one operation is answered with. */
  const run = <A extends object, E>(
    operation: (api: Operations) => Effect.Effect<A, E, Call>,
    options: EffectOptions
  ) =>
    Effect.gen(function* () {
      const call: typeof Call.Service = { options }
      const value = yield* Effect.provideService(operation(operations), Call, call)
      if (call.answer === undefined) return yield* Effect.die(new TypeError("The operation called nothing"))
      const { body: _, ...facts } = call.answer
      return { value, facts }
    }).pipe(Effect.catch(orDie))

  function call<A extends object, E>(
    operation: (api: Operations) => Effect.Effect<A, E, Call>,
    options: EffectOptions & { readonly dryRun: true }
  ): Effect.Effect<Extract<A, DryRunAnswer> & AnswerFacts, CallError>
  function call<A extends object, E>(
    operation: (api: Operations) => Effect.Effect<A, E, Call>,
    options?: EffectOptions & { readonly dryRun?: false | undefined }
  ): Effect.Effect<Exclude<A, DryRunAnswer> & AnswerFacts, CallError>
  function call(operation: (api: Operations) => Effect.Effect<object, unknown, Call>, options: EffectOptions = {}) {
    return Effect.map(run(operation, options), ({ facts, value }) => ({ ...value, ...facts }))
  }

  return {
    call,
    stream: (operation, itemsOf) =>
      Stream.paginate<PageQuery, ReturnType<typeof itemsOf>[number], CallError>({ limit: DEFAULT_LIMIT }, (query) =>
        Effect.flatMap(
          run((api) => operation(api, query), {}),
          ({ value }) => {
            if (!isPage(value)) return Effect.die(new TypeError("The operation answers no list"))
            const { nextCursor } = value
            const next =
              nextCursor === null ? Option.none() : Option.some({ ...query, cursor: Cursor.make(nextCursor) })
            return Effect.succeed([itemsOf(value), next] as const)
          }
        )
      )
  }
}
