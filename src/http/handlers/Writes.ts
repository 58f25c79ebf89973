import type { HttpApiEndpoint, HttpMethod } from "@effect/platform"
import { Effect, Schema } from "effect"
import { hash } from "node:crypto"
import { type Actor, app } from "../../domain/Actor.ts"
import { EventId, Events } from "../../domain/Events.ts"
import { Idempotency, IdempotencyKey, type StoredResponse } from "../../domain/Idempotency.ts"
import { canonical, type JsonObject } from "../../domain/Json.ts"
import type { VersionCondition } from "../../domain/Version.ts"
import type { AdmissionRefused } from "../api/Access.ts"
import { KeyMalformed, KeyMissing } from "../BadRequest.ts"
import { decodeWith, isStrict, jsonBody } from "../Body.ts"
import type { Call } from "../Call.ts"
import { ifMatch } from "../Conditions.ts"
import type { PublicError } from "../ErrorTable.ts"
import { type Handler, readEndpoint } from "../Handler.ts"
import { type Answer, toReply } from "./Answers.ts"

const isKey = Schema.is(IdempotencyKey)

/** Every write carries an `Idempotency-Key`, which is looked at before path and body (decisions, section 4). */
const keyOf = ({ header }: Call): Effect.Effect<IdempotencyKey, KeyMissing | KeyMalformed> => {
  const given = header("idempotency-key")
  if (given === undefined) return new KeyMissing()
  return isKey(given) ? Effect.succeed(given) : new KeyMalformed()
}

/** What tells one operation from another under the same key: method, path with query, and what the body says. */
const fingerprint = ({ method, url }: Call, body: JsonObject | undefined) =>
  hash("sha256", `${method} ${url}\n${body === undefined ? "" : canonical(body)}`, "buffer")

const decodeCause = decodeWith(Schema.Struct({ "X-Service-Event-Id": EventId }))

type WriteMethod = Exclude<HttpMethod.HttpMethod, "GET">

interface WriteInput<Path, Query, Body> {
  readonly actor: Actor
  readonly path: Path
  readonly query: Query
  readonly body: Body
  readonly condition: VersionCondition
}

/** The frame of every write: under which key, with which body, and the answer that is stored, sent and replayed. */
export const makeWrite = Effect.gen(function* () {
  const { once } = yield* Idempotency
  const { hopsAfter } = yield* Events

  /**
   * An app that writes because it was told of an event says so with the event's id, and counts a hop more than it. The
   * id is read at once; what it means is part of the operation, as a replay does not ask.
   */
  const actorOf = Effect.fnUntraced(function* ({ header, installation }: Call) {
    const given = header("x-service-event-id")
    if (given === undefined) return Effect.succeed(app(installation, 0))
    const { "X-Service-Event-Id": cause } = yield* decodeCause({ "X-Service-Event-Id": given }, false)
    return Effect.map(hopsAfter(installation.storeId, cause), (hops) => app(installation, hops))
  })

  const perform = Effect.fnUntraced(function* <E>(
    call: Call,
    key: IdempotencyKey,
    body: JsonObject | undefined,
    operation: (actor: Actor, condition: VersionCondition) => Effect.Effect<StoredResponse, E>
  ) {
    const { installation } = call
    const condition = yield* ifMatch(call.header("if-match"))
    // A delete looks at no body and emits nothing: it ends a chain of events.
    const actor = body === undefined ? Effect.succeed(app(installation, 0)) : yield* actorOf(call)
    const keyed = { storeId: installation.storeId, installationId: installation.id, key }
    const outcome = yield* once(
      { ...keyed, fingerprint: fingerprint(call, body) },
      Effect.flatMap(actor, (actor) => operation(actor, condition))
    )
    return toReply(outcome, {
      ...(outcome.replayed ? { "idempotent-replayed": "true" } : {}),
      ...(body !== undefined && isStrict(call.header("prefer")) ? { "preference-applied": "handling=strict" } : {})
    })
  })

  /** Handles a write: answers with what `run` makes. It may refuse with what the endpoint's definition declares. */
  return <Name extends string, Path, Query, Body, Success, Refusal extends PublicError, Made>(
    endpoint: HttpApiEndpoint.HttpApiEndpoint<Name, WriteMethod, Path, Query, Body, never, Success, Refusal>,
    run: (input: WriteInput<Path, Query, Body>) => Effect.Effect<Made, NoInfer<Refusal> | AdmissionRefused>,
    toAnswer: (made: Made, input: WriteInput<Path, Query, Body>) => Answer
  ): Handler<Name> => {
    const { decodeBody, decodePath, decodeQuery, route, status } = readEndpoint(endpoint)
    return {
      ...route,
      handle: Effect.fnUntraced(function* (call: Call) {
        const key = yield* keyOf(call)
        const path = yield* decodePath(call.params, false)
        const query = yield* decodeQuery(call.query, false)
        const json = route.hasBody ? yield* jsonBody(call) : undefined
        const body = yield* decodeBody(json, isStrict(call.header("prefer")))
        return yield* perform(call, key, json, (actor, condition) => {
          const input = { actor, path, query, body, condition }
          return Effect.map(run(input), (made) => ({ status, ...toAnswer(made, input) }))
        })
      })
    }
  }
})
