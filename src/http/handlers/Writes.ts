import { Effect, Function as Fn, Result, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { hash } from "node:crypto"
import type { Installation } from "../../domain/access/Installations.ts"
import { Actor } from "../../domain/Actor.ts"
import type { BadRequest } from "../../domain/BadRequest.ts"
import { decodeWith } from "../../domain/Decoder.ts"
import { extend } from "../../domain/Document.ts"
import { EventId, EventLoop } from "../../domain/Events.ts"
import { AnswersFull, Idempotency, type Outcome, type StoredResponse } from "../../domain/Idempotency.ts"
import { canonical, type JsonObject } from "../../domain/Json.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { paced } from "../../domain/Pacing.ts"
import type { VersionCondition } from "../../domain/Version.ts"
import type { Write } from "../../domain/Write.ts"
import { CurrentInstallation, CurrentKey, RequestBody } from "../api/Middleware.ts"
import { parseJsonBody } from "../server/BodyReader.ts"
import { parseIfMatch } from "../ConditionalRequests.ts"
import { currentResponse } from "../server/NodeResponse.ts"
import { formatPreferenceApplied, parsePrefer } from "../Preferences.ts"
import { jsonResponse } from "./Answers.ts"

/** The body of a write. */
export interface Payload<A> {
  /** False if the endpoint takes no body. */
  readonly isSent: boolean
  readonly decode: (given: unknown, isStrict: boolean) => Result.Result<A, BadRequest>
  /** The member whose JSON text is stored as it was sent. */
  readonly verbatim: string | undefined
}

/** Makes the decoder of a body once. `HttpApiBuilder` would round numbers and could not follow `Prefer`. */
export const payloadOf = <A, I>(schema: Schema.Codec<A, I>, verbatim?: string): Payload<A> => ({
  isSent: true,
  decode: decodeWith(schema),
  verbatim
})

const noPayload: Payload<undefined> = {
  isSent: false,
  decode: () => Result.succeed(undefined),
  verbatim: undefined
}

/** Refusals of writes with a body or a large response alone. */
const isImpossible = (error: unknown): error is AnswersFull | EventLoop =>
  error instanceof AnswersFull || error instanceof EventLoop

interface WriteInput<Body> {
  readonly installation: Installation
  readonly store: StoreId
  readonly body: Body
  readonly condition: VersionCondition
}

/** Identifies an operation under its key: method, path with query, and the members of the body. */
const fingerprintOf = ({ method, url }: HttpServerRequest.HttpServerRequest, body: JsonObject | undefined) =>
  hash("sha256", `${method} ${url}\n${body === undefined ? "" : canonical(body)}`, "buffer")

const decodeCause = decodeWith(Schema.Struct({ "X-Service-Event-Id": EventId }))

/** The event that the write responds to. Apps that react to events name it. */
const causeOf = (given: string | undefined) => {
  if (given === undefined) return Effect.succeed(null)
  return Effect.map(
    Effect.fromResult(decodeCause({ "X-Service-Event-Id": given }, false)),
    (decoded) => decoded["X-Service-Event-Id"]
  )
}

/** The response of a dry run: that of the write, with its effects. It has no version, and so no tag. */
const withRehearsal = (outcome: Outcome): StoredResponse =>
  outcome.dryRun === undefined
    ? outcome
    : { status: outcome.status, body: extend(outcome.body, JSON.stringify(outcome.dryRun)), etag: null }

/**
 * Handles writes: reads the body, runs the write once under its key, and answers with the response that is stored and
 * replayed.
 */
export const makeWrites = Effect.map(Idempotency, ({ once }) => {
  const write = <Body, Made, E>(
    payload: Payload<Body>,
    run: (input: WriteInput<Body>) => Write<Made, E>,
    toAnswer: (made: Made) => StoredResponse
  ) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { headers } = request
      const installation = yield* CurrentInstallation
      const key = yield* CurrentKey
      const received = { body: yield* RequestBody, header: (name: string) => headers[name] }
      const json = payload.isSent ? yield* parseJsonBody(received, payload.verbatim) : undefined
      const handling = parsePrefer(headers["prefer"])
      const pace: typeof paced = json?.pace ?? Fn.identity
      const body = yield* pace(Effect.suspend(() => Effect.fromResult(payload.decode(json?.given, handling.strict))))
      const fingerprint = yield* pace(Effect.sync(() => fingerprintOf(request, json?.said)))
      const condition = yield* parseIfMatch(headers["if-match"])
      // A delete has no body and emits no event: it ends a chain of events.
      const cause = payload.isSent ? yield* causeOf(headers["x-service-event-id"]) : null
      const { requestId } = yield* currentResponse
      const { id, storeId } = installation
      const outcome = yield* once(
        {
          storeId,
          actor: Actor.App({ id }),
          surface: "rest",
          cause,
          requestId,
          mode: handling["dry-run"] ? "dryRun" : "perform"
        },
        { key, fingerprint },
        run({ installation, store: storeId, body, condition }),
        toAnswer
      )
      return jsonResponse(withRehearsal(outcome), {
        ...(outcome.replayed ? { "idempotent-replayed": "true" } : {}),
        ...formatPreferenceApplied(handling, payload.isSent)
      })
    })

  /** Handles a deletion. It has no body, a small response and no event, so two refusals of other writes cannot occur. */
  const remove = <Made, E>(
    run: (input: WriteInput<undefined>) => Write<Made, E>,
    toAnswer: (made: Made) => StoredResponse
  ) => Effect.catchIf(write(noPayload, run, toAnswer), isImpossible, Effect.die)

  return { remove, write }
})
