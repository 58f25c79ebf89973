import { Context, Effect, Layer, Option, Result, Schema, SchemaAST } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { refusalOf } from "../../domain/access/AccessRule.ts"
import { type RecentRequest, Requests } from "../../domain/access/Requests.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import { BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { Bulkhead, TakesPermits, WorkWeight } from "../../domain/Bulkhead.ts"
import { issuesOf } from "../../domain/json/Decoder.ts"
import { lineOf } from "../../domain/json/Json.ts"
import { truncateIssues } from "../../domain/Limits.ts"
import { IdempotencyKey } from "../../domain/Idempotency.ts"
import { RateLimit } from "../../domain/RateLimit.ts"
import { Reads } from "../../domain/Reads.ts"
import {
  AccessCheck,
  BearerAuth,
  BodyReception,
  CurrentInstallation,
  CurrentKey,
  EndpointAccess,
  InstallationCheck,
  KeyRequired,
  KnownParameters,
  ReadsLatest,
  RequestBody,
  RequestValidation,
  StoreBulkhead,
  StreamedBody
} from "../api/Middleware.ts"
import { parseBearerToken } from "../headers/Credentials.ts"
import { KeyMalformed, KeyMissing, retryAfterHeader } from "../ErrorTable.ts"
import { makeAccessEntry } from "../server/AccessLog.ts"
import { readBody } from "../server/BodyReader.ts"
import { currentResponse, type NodeResponse } from "../server/NodeResponse.ts"

/** Makes the entry of a request for the list that members of its store can read. */
const makeRecentRequest = (response: NodeResponse): RecentRequest => {
  const { method, milliseconds, requestId, route, status } = makeAccessEntry(response)
  return { at: new Date().toISOString(), method, route, status, milliseconds, requestId }
}

const BearerAuthLive = Layer.effect(
  BearerAuth,
  Effect.gen(function* () {
    const { admit, recheck } = yield* RateLimit
    const { note } = yield* Requests
    const { onPrimary, onReplica } = yield* Reads

    return BearerAuth.of({
      bearer: Effect.fnUntraced(function* (httpEffect, { endpoint }) {
        const response = yield* currentResponse
        // Not the library's decoder: all surfaces parse the header in the same way.
        const token = parseBearerToken(response.req)
        if (token === undefined) return yield* new InvalidToken()
        const installation = yield* admit(token)
        response.installationId = installation.id
        response.once("close", () => note(installation, makeRecentRequest(response)))
        const isRead = endpoint.method === "GET" && !Context.get(endpoint.annotations, ReadsLatest)
        const run = isRead ? onReplica : onPrimary
        // Not together in a context: merging it would copy all services of the request.
        const provided = httpEffect.pipe(
          Effect.provideService(CurrentInstallation, installation),
          Effect.provideService(InstallationCheck, { recheck: Effect.suspend(() => recheck(token)) })
        )
        return yield* run(installation, provided)
      })
    })
  })
)

/** Fails at startup if an endpoint has no access rule. */
export const AccessCheckLive = Layer.succeed(AccessCheck, (httpEffect, { endpoint }) => {
  const rule = Option.getOrThrowWith(
    Context.getOption(endpoint.annotations, EndpointAccess),
    () => new Error(`The endpoint ${endpoint.identifier} has no access rule`)
  )
  return Effect.gen(function* () {
    const refusal = refusalOf(yield* CurrentInstallation, rule)
    return yield* refusal === undefined ? httpEffect : Effect.fail(refusal)
  })
})

const NO_BODY = Result.succeed(Buffer.alloc(0))

const BodyReceptionLive = Layer.succeed(BodyReception, (httpEffect, { endpoint }) =>
  endpoint.payload.size === 0 || Context.get(endpoint.annotations, StreamedBody)
    ? Effect.provideService(httpEffect, RequestBody, NO_BODY)
    : Effect.provideServiceEffect(
        httpEffect,
        RequestBody,
        Effect.flatMap(currentResponse, ({ req }) => Effect.result(readBody(req)))
      )
)

const responseBytes = ({ body }: HttpServerResponse.HttpServerResponse) =>
  body._tag === "Uint8Array" ? body.body.length : 0

const StoreBulkheadLive = Layer.effect(
  StoreBulkhead,
  Effect.map(Bulkhead, ({ withPermit }) => {
    return StoreBulkhead.of((httpEffect, { endpoint }) => {
      const { annotations, identifier: name } = endpoint
      if (Context.get(annotations, StreamedBody)) return httpEffect
      const weight = Context.get(annotations, WorkWeight)
      if (Context.get(annotations, TakesPermits)) return httpEffect
      return Effect.flatMap(CurrentInstallation, ({ storeId }) =>
        Effect.flatMap(RequestBody, (body) => {
          const bytes = Result.isSuccess(body) ? body.success.length : 0
          return withPermit({ storeId, name, weight, bytes }, httpEffect, responseBytes)
        })
      )
    })
  })
)

const RequestValidationLive = HttpApiMiddleware.layerSchemaErrorTransform(RequestValidation, (error) =>
  // A response that does not match its schema is a defect.
  error.kind === "Body" || error.kind === "ResponseHeaders"
    ? Effect.fail(error)
    : new BadRequest({ reason: INVALID, issues: issuesOf(error.cause) })
)

const KnownParametersLive = Layer.succeed(KnownParameters, (httpEffect, { endpoint: { query } }) => {
  const known =
    query !== undefined && SchemaAST.isObjects(query.ast)
      ? query.ast.propertySignatures.map(({ name }) => String(name))
      : []
  const advice = known.length === 0 ? "the request takes none" : `use ${known.join(", ")}`
  const check = Effect.flatMap(HttpServerRequest.ParsedSearchParams, (parameters) => {
    const issues = Object.keys(parameters).flatMap((name) =>
      known.includes(name) ? [] : [lineOf([name], `is not a query parameter of this request; ${advice}`)]
    )
    return issues.length === 0
      ? Effect.void
      : Effect.fail(new BadRequest({ reason: INVALID, issues: truncateIssues(issues) }))
  })
  return Effect.andThen(check, httpEffect)
})

const isIdempotencyKey = Schema.is(IdempotencyKey)

const readKey = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const key = headers["idempotency-key"]
  if (key === undefined) return yield* new KeyMissing()
  return isIdempotencyKey(key) ? key : yield* new KeyMalformed()
})

const KeyRequiredLive = Layer.succeed(KeyRequired, (httpEffect) =>
  Effect.provideServiceEffect(httpEffect, CurrentKey, readKey)
)

/** Implementations of the API's middleware. `PartnerApi` defines their order. */
export const ApiMiddleware = Layer.mergeAll(
  BearerAuthLive,
  AccessCheckLive,
  BodyReceptionLive,
  StoreBulkheadLive,
  KnownParametersLive,
  RequestValidationLive,
  KeyRequiredLive
)

/** Seconds after which a request that was refused with 503 can be repeated. */
const BUSY_SECONDS = 1

/**
 * Adds the headers of an error response by its status: `WWW-Authenticate` (RFC 9110, section 11.6.1) and `Retry-After`
 * (section 10.2.3).
 */
export const ErrorHeaders = HttpRouter.middleware(
  Effect.succeed((app) =>
    Effect.map(app, (response) => {
      if (response.status === 401) return HttpServerResponse.setHeader(response, "www-authenticate", "Bearer")
      return response.status === 503
        ? HttpServerResponse.setHeaders(response, retryAfterHeader(BUSY_SECONDS))
        : response
    })
  )
).layer
