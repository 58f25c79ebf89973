import { Effect, Layer, Predicate, Record, type Redacted, Result, type Scope, type Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import { ForeignOrigin } from "../../domain/access/Sessions.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import type { JsonObject } from "../../domain/json/Json.ts"
import { CallBody, Pacing } from "../../domain/Pacing.ts"
import type { RateLimitExceeded } from "../../domain/RateLimit.ts"
import type { StoreNotFound } from "../../domain/Store.ts"
import { parseBearerToken } from "../headers/Credentials.ts"
import { parseJsonBody, readBody } from "../server/BodyReader.ts"
import { makeErrorReply, postRoute, type Reply } from "../Reply.ts"
import type { NodeResponse } from "../server/NodeResponse.ts"
import { toErrorReply, retryAfterHeader } from "../ErrorTable.ts"
import { issuer, MCP_PATHS, metadataUrl } from "../oauth/Discovery.ts"
import { makeOriginPolicy } from "../headers/Origin.ts"

/** A message of an agent over HTTP. */
interface McpRequest<Agent> {
  readonly agent: Agent
  readonly message: JsonObject
  readonly headers: Readonly<Record<string, string>>
  readonly requestId: string
}

interface McpResponse {
  readonly status: number
  readonly contentType: string | undefined
  /** Text, or a stream of events. */
  readonly body: string | Stream.Stream<Uint8Array, unknown>
}

/** Authenticates agents and handles their messages. */
interface McpHandler<Agent> {
  readonly identify: (
    token: Redacted.Redacted
  ) => Effect.Effect<Agent, InvalidToken | StoreNotFound | RateLimitExceeded>
  readonly handle: (sent: McpRequest<Agent>) => Effect.Effect<McpResponse, never, Scope.Scope>
}

const NOT_POST = "Send messages with POST"

/** The headers that are passed on to the protocol. `Authorization` is not. */
const PROTOCOL_HEADERS = /^(?:accept|content-type|mcp-.*)$/

/** Keeps proxies from collecting events. */
const EVENT_HEADERS = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }

const pickProtocolHeaders = ({ headers }: IncomingMessage) =>
  Record.filter(headers, (value, name): value is string => typeof value === "string" && PROTOCOL_HEADERS.test(name))

/**
 * Makes the response to a request without a valid token. It links the metadata for obtaining one (RFC 9728, section 5.1;
 * RFC 6750, section 3.1).
 */
const makeChallenge = (metadata: string, hasToken: boolean): Reply => ({
  ...toErrorReply(new InvalidToken()),
  headers: {
    "www-authenticate": `Bearer ${hasToken ? 'error="invalid_token", ' : ""}resource_metadata="${metadata}"`
  }
})

/**
 * Adds the route of the Model Context Protocol. Each message is a request with the token of an agent. Authentication, rate
 * limit and body limit apply before the protocol library receives the message.
 */
export const makeMcpRoute = <Agent>({ handle, identify }: McpHandler<Agent>) =>
  Effect.gen(function* () {
    const iss = yield* issuer
    const { paceOf } = yield* Pacing
    const { isSameOrigin } = yield* makeOriginPolicy

    const respond = Effect.fnUntraced(function* (
      metadata: string,
      request: IncomingMessage,
      { requestId }: NodeResponse
    ) {
      if (!isSameOrigin(request.headers)) return yield* new ForeignOrigin()
      const token = parseBearerToken(request)
      if (token === undefined) return makeChallenge(metadata, false)
      const identified = yield* Effect.result(identify(token))
      if (Result.isFailure(identified) && identified.failure._tag === "InvalidToken")
        return makeChallenge(metadata, true)
      if (Result.isFailure(identified) && identified.failure._tag === "RateLimitExceeded") {
        return { ...toErrorReply(identified.failure), headers: retryAfterHeader(identified.failure.retryAfter) }
      }
      const agent = yield* Effect.fromResult(identified)
      const body = yield* Effect.result(readBody(request))
      if (Result.isFailure(body)) return makeErrorReply(413, body.failure.message)
      const headers = pickProtocolHeaders(request)
      const { json, pace } = yield* parseJsonBody({ body, header: (name) => request.headers[name]?.toString() }, paceOf)
      const {
        body: answer,
        contentType,
        status
      } = yield* Effect.provideService(handle({ agent, message: json, headers, requestId }), CallBody, {
        length: body.success.length,
        pace
      })
      if (!Predicate.isString(answer)) {
        return HttpServerResponse.stream(answer, { status, contentType, headers: EVENT_HEADERS })
      }
      return {
        status,
        body: answer,
        ...(contentType === undefined ? {} : { headers: { "content-type": contentType } })
      }
    })

    const [path, slashPath] = MCP_PATHS
    const addRoute = (path: (typeof MCP_PATHS)[number]) =>
      postRoute(path, NOT_POST, (request, response) => respond(metadataUrl(iss, path), request, response))
    return Layer.merge(addRoute(path), addRoute(slashPath))
  })
