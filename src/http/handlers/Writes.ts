import { Effect, Result, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { hash } from "node:crypto"
import type { Installation } from "../../domain/access/Installations.ts"
import { Actor } from "../../domain/Actor.ts"
import { type Mask, maskDryRun, maskJson, noMask } from "../../domain/access/Masks.ts"
import type { BadRequest } from "../../domain/BadRequest.ts"
import { decodeWith } from "../../domain/json/Decoder.ts"
import { extend } from "../../domain/json/Document.ts"
import { EventId, EventLoop } from "../../domain/Events.ts"
import { StoredResponsesFull, Idempotency, type Outcome } from "../../domain/Idempotency.ts"
import { canonical, isObject, type JsonObject } from "../../domain/json/Json.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Pacing, unpaced } from "../../domain/Pacing.ts"
import type { VersionCondition } from "../../domain/Version.ts"
import type { Write, WriteContext } from "../../domain/Write.ts"
import { CurrentInstallation, CurrentKey, RequestBody } from "../api/Middleware.ts"
import { parseJsonBody } from "../server/BodyReader.ts"
import { parseIfMatch } from "../headers/ConditionalRequests.ts"
import { currentResponse } from "../server/NodeResponse.ts"
import { formatPreferenceApplied, parsePrefer } from "../headers/Preferences.ts"
import { type ApiResponse, decodeResponse, encodeResponse, jsonResponse } from "./Responses.ts"

/** The body of a write. */
export interface Payload<A> {
  /** False if the endpoint takes no body. `optional`: a request without a body is one with an empty object. */
  readonly isSent: boolean | "optional"
  readonly decode: (input: unknown, isStrict: boolean) => Result.Result<A, BadRequest>
}

/** Makes a payload of a schema. The decoder of `HttpApiBuilder` cannot apply `Prefer`. */
export const payloadOf = <A, I>(schema: Schema.Codec<A, I>): Payload<A> => ({
  isSent: true,
  decode: decodeWith(schema)
})

/** Makes an optional payload of a schema: no body means an object without members. */
export const optionalPayloadOf = <A, I>(schema: Schema.Codec<A, I>): Payload<A> => ({
  isSent: "optional",
  decode: decodeWith(schema)
})

/** Payload of an endpoint that takes no body. */
export const withoutBody: Payload<undefined> = {
  isSent: false,
  decode: () => Result.succeed(undefined)
}

/** Errors that only writes with a body or a large response can have. */
const isImpossible = (error: unknown): error is StoredResponsesFull | EventLoop =>
  error instanceof StoredResponsesFull || error instanceof EventLoop

interface WriteInput<Body> {
  readonly installation: Installation
  readonly store: StoreId
  readonly body: Body
  readonly condition: VersionCondition
  /** Author, store and cause of the write. */
  readonly context: WriteContext
}

/** Hashes the operation of a key: method, path with query, and the members of the body. */
const fingerprintOf = ({ method, url }: HttpServerRequest.HttpServerRequest, body: JsonObject | undefined) =>
  hash("sha256", `${method} ${url}\n${body === undefined ? "" : canonical(body)}`, "buffer")

const decodeCause = decodeWith(Schema.Struct({ "X-Service-Event-Id": EventId }))

/** Decodes the id of the event that caused the write. */
export const decodeCausingEvent = (header: string | undefined) => {
  if (header === undefined) return Effect.succeed(null)
  return Effect.map(
    Effect.fromResult(decodeCause({ "X-Service-Event-Id": header }, false)),
    (decoded) => decoded["X-Service-Event-Id"]
  )
}

/** Applies a mask to the resource in `data`. */
const inData =
  (mask: Mask): Mask =>
  (grants) => {
    const reduce = mask(grants)
    return reduce && ((body) => ({ ...body, data: isObject(body["data"]) ? reduce(body["data"]) : body["data"] }))
  }

/**
 * Decodes a response, and reduces it to what the installation sees now: a replay may follow a change of its scopes. The
 * response of a dry run has its result, but no version and no entity tag.
 */
const responseOf = ({ dryRun, text }: Outcome, mask: Mask, installation: Installation): ApiResponse => {
  const stored = decodeResponse(text)
  const response = { ...stored, body: maskJson(inData(mask), installation, stored.body) }
  return dryRun === undefined
    ? response
    : { ...response, body: extend(response.body, JSON.stringify(maskDryRun(installation, dryRun))), etag: null }
}

/**
 * Makes the handlers of writes. They decode the body and run the write once under its idempotency key. Retries get the
 * stored response.
 */
export const makeWrites = Effect.gen(function* () {
  const { once } = yield* Idempotency
  const { paceOf } = yield* Pacing

  const write = <Body, A, E>(
    payload: Payload<Body>,
    run: (input: WriteInput<Body>) => Write<A, E>,
    toResponse: (result: A) => ApiResponse,
    mask: Mask = noMask
  ) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { headers } = request
      const installation = yield* CurrentInstallation
      const key = yield* CurrentKey
      const received = { body: yield* RequestBody, header: (name: string) => headers[name] }
      const isEmpty = Result.isSuccess(received.body) && received.body.success.length === 0
      const isAbsent = payload.isSent === false || (payload.isSent === "optional" && isEmpty)
      const parsed = isAbsent ? undefined : yield* parseJsonBody(received, paceOf)
      const handling = parsePrefer(headers["prefer"])
      const pace = parsed?.pace ?? unpaced
      const body = yield* pace(
        Effect.suspend(() =>
          Effect.fromResult(
            payload.decode(payload.isSent === "optional" ? (parsed?.json ?? {}) : parsed?.json, handling.strict)
          )
        )
      )
      const fingerprint = yield* pace(Effect.sync(() => fingerprintOf(request, parsed?.json)))
      const condition = yield* parseIfMatch(headers["if-match"])
      // A deletion emits no event, so it ends a chain of events.
      const cause = payload.isSent !== false ? yield* decodeCausingEvent(headers["x-service-event-id"]) : null
      const { requestId } = yield* currentResponse
      const { id, storeId } = installation
      const context: WriteContext = {
        storeId,
        actor: Actor.App({ id }),
        surface: "rest",
        cause,
        requestId,
        mode: handling["dry-run"] ? "dryRun" : "perform"
      }
      const outcome = yield* once(
        context,
        { key, fingerprint },
        run({ installation, store: storeId, body, condition, context }),
        (result) => encodeResponse(toResponse(result))
      )
      return jsonResponse(responseOf(outcome, mask, installation), {
        ...(outcome.replayed ? { "idempotent-replayed": "true" } : {}),
        ...formatPreferenceApplied(handling, payload.isSent !== false)
      })
    })

  /** Handles a deletion. Without a body and an event, two errors of other writes cannot occur. */
  const remove = <A, E>(run: (input: WriteInput<undefined>) => Write<A, E>, toResponse: (result: A) => ApiResponse) =>
    Effect.catchIf(write(withoutBody, run, toResponse), isImpossible, Effect.die)

  return { remove, write }
})
