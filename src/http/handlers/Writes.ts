import { Effect, Function as Fn, Schema } from "effect"
import type { HttpMethod } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { hash } from "node:crypto"
import type { Installation } from "../../domain/access/Installations.ts"
import { Actor } from "../../domain/Actor.ts"
import { decodeWith } from "../../domain/Decoder.ts"
import { EventId } from "../../domain/Events.ts"
import { Idempotency, IdempotencyKey, type Keyed, type Outcome, type StoredResponse } from "../../domain/Idempotency.ts"
import { extend } from "../../domain/Document.ts"
import { canonical, type JsonObject } from "../../domain/Json.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { paced } from "../../domain/Turn.ts"
import type { VersionCondition } from "../../domain/Version.ts"
import type { Write } from "../../domain/Write.ts"
import type { AdmissionRefused } from "../api/Access.ts"
import { jsonBody } from "../Body.ts"
import type { Call } from "../Call.ts"
import { ifMatch } from "../Conditions.ts"
import type { PublicError } from "../ErrorTable.ts"
import { type Handler, readEndpoint } from "../Handler.ts"
import { KeyMalformed, KeyMissing } from "../KeyRefused.ts"
import { appliedOf, type Handling, handlingOf } from "../Preferences.ts"
import { type Answer, toReply } from "./Answers.ts"

const isKey = Schema.is(IdempotencyKey)

/** Every write carries an `Idempotency-Key`, which is looked at before path and body (decisions, section 4). */
const keyOf = ({ header }: Call): Effect.Effect<IdempotencyKey, KeyMissing | KeyMalformed> => {
  const given = header("idempotency-key")
  if (given === undefined) return Effect.fail(new KeyMissing())
  return isKey(given) ? Effect.succeed(given) : Effect.fail(new KeyMalformed())
}

/** What tells one operation from another under the same key: method, path with query, and what the body says. */
const fingerprintOf = ({ method, url }: Call, body: JsonObject | undefined) =>
  hash("sha256", `${method} ${url}\n${body === undefined ? "" : canonical(body)}`, "buffer")

const decodeCause = decodeWith(Schema.Struct({ "X-Service-Event-Id": EventId }))

/** The event that the write answers: an app that writes because it was told of one says so with its id. */
const causeOf = ({ header }: Call) => {
  const given = header("x-service-event-id")
  if (given === undefined) return Effect.succeed(null)
  return Effect.map(
    Effect.fromResult(decodeCause({ "X-Service-Event-Id": given }, false)),
    (decoded) => decoded["X-Service-Event-Id"]
  )
}

type WriteMethod = Exclude<HttpMethod.HttpMethod, "GET">

interface WriteInput<Path, Query, Body> {
  readonly installation: Installation
  readonly store: StoreId
  readonly path: Path
  readonly query: Query
  readonly body: Body
  readonly condition: VersionCondition
}

/** A rehearsal is answered as the write would be, with what that would lead to; it has no version to be named by. */
const rehearsed = (outcome: Outcome): StoredResponse =>
  outcome.rehearsal === undefined
    ? outcome
    : { status: outcome.status, body: extend(outcome.body, JSON.stringify(outcome.rehearsal)), etag: null }

/** The frame of every write: under which key, with which body, and the answer that is stored, sent and replayed. */
export const makeWrite = Effect.gen(function* () {
  const { once } = yield* Idempotency

  const perform = Effect.fnUntraced(function* <A, E>(
    call: Call,
    keyed: Keyed,
    hasBody: boolean,
    handling: Handling,
    describe: (condition: VersionCondition) => Write<A, E>,
    respond: (made: A) => StoredResponse
  ) {
    const { id, storeId } = call.installation
    const condition = yield* ifMatch(call.header("if-match"))
    // A delete looks at no body and emits nothing: it ends a chain of events.
    const cause = hasBody ? yield* causeOf(call) : null
    const mode = handling["dry-run"] ? "rehearse" : "perform"
    const outcome = yield* once(
      { storeId, actor: Actor.App({ id }), surface: "rest", cause, requestId: call.requestId, mode },
      keyed,
      describe(condition),
      respond
    )
    return toReply(rehearsed(outcome), {
      ...(outcome.replayed ? { "idempotent-replayed": "true" } : {}),
      ...appliedOf(handling, hasBody)
    })
  })

  /** Handles a write: answers with what `run` makes. It may refuse with what the endpoint's definition declares. */
  return <
    Name extends string,
    Path extends string,
    Params extends Schema.Codec<unknown, unknown>,
    Query extends Schema.Codec<unknown, unknown>,
    Payload extends Schema.Codec<unknown, unknown>,
    Success extends Schema.Top,
    Refusal extends Schema.Codec<PublicError, unknown>,
    Made
  >(
    endpoint: HttpApiEndpoint.HttpApiEndpoint<Name, WriteMethod, Path, Params, Query, Payload, never, Success, Refusal>,
    run: (
      input: WriteInput<Params["Type"], Query["Type"], Payload["Type"]>
    ) => Write<Made, NoInfer<Refusal>["Type"] | AdmissionRefused>,
    toAnswer: (
      made: Made,
      input: Omit<WriteInput<Params["Type"], Query["Type"], Payload["Type"]>, "condition">
    ) => Answer
  ): Handler<Name> => {
    const { decodeBody, decodePath, decodeQuery, route, status, verbatim } = readEndpoint(endpoint)
    return {
      ...route,
      handle: Effect.fnUntraced(function* (call: Call) {
        const key = yield* keyOf(call)
        const path = yield* Effect.fromResult(decodePath(call.params, false))
        const query = yield* Effect.fromResult(decodeQuery(call.query, false))
        const json = route.hasBody ? yield* jsonBody(call, verbatim) : undefined
        const handling = handlingOf(call.header("prefer"))
        const pace: typeof paced = json?.pace ?? Fn.identity
        const body = yield* pace(Effect.suspend(() => Effect.fromResult(decodeBody(json?.given, handling.strict))))
        const fingerprint = yield* pace(Effect.sync(() => fingerprintOf(call, json?.said)))
        const { installation } = call
        const given = { installation, store: installation.storeId, path, query, body }
        return yield* perform(
          call,
          { key, fingerprint },
          json !== undefined,
          handling,
          (condition) => run({ ...given, condition }),
          (made) => ({ status, ...toAnswer(made, given) })
        )
      })
    }
  }
})
