import { Effect, Schema } from "effect"
import { hash } from "node:crypto"
import { type Actor, app } from "../../domain/Actor.ts"
import type { Document } from "../../domain/Document.ts"
import { EventId, Events } from "../../domain/Events.ts"
import { Idempotency, IdempotencyKey, type StoredResponse } from "../../domain/Idempotency.ts"
import { canonical, type JsonObject } from "../../domain/Json.ts"
import type { VersionCondition } from "../../domain/Version.ts"
import { KeyMalformed, KeyMissing } from "../BadRequest.ts"
import { decodeWith, isStrict, jsonBody } from "../Body.ts"
import type { Call, Handler, Reply } from "../Call.ts"
import { etagOf, ifMatch } from "../Conditions.ts"
import type { PublicError } from "../ErrorTable.ts"

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

const Cause = Schema.Struct({ "X-Service-Event-Id": EventId })

const resource =
  (status: number) =>
  <Id>(document: Document<Id>): StoredResponse => ({
    status,
    body: `{"data":${document.json}}`,
    etag: etagOf(document)
  })

/** The frame of every write: under which key, with which body, and the answer that is stored, sent and replayed. */
export const makeWrites = Effect.gen(function* () {
  const { once } = yield* Idempotency
  const { hopsAfter } = yield* Events
  const decodeCause = decodeWith(Cause)

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
    const {
      body: text,
      etag,
      replayed,
      status
    } = yield* once(
      { storeId: installation.storeId, installationId: installation.id, key, fingerprint: fingerprint(call, body) },
      Effect.flatMap(actor, (actor) => operation(actor, condition))
    )
    const strict = body !== undefined && isStrict(call.header("prefer"))
    const reply: Reply = {
      status,
      body: text,
      headers: {
        ...(etag === null ? {} : { etag }),
        ...(replayed ? { "idempotent-replayed": "true" } : {}),
        ...(strict ? { "preference-applied": "handling=strict" } : {})
      }
    }
    return reply
  })

  return {
    /** Answers 201 with the new resource under `data`. */
    create: <A, I, Id, E extends PublicError>(
      schema: Schema.Schema<A, I>,
      operation: (actor: Actor, input: A) => Effect.Effect<Document<Id>, E>
    ): Handler => {
      const decode = decodeWith(schema)
      return Effect.fnUntraced(function* (call) {
        const key = yield* keyOf(call)
        const body = yield* jsonBody(call)
        const input = yield* decode(body, isStrict(call.header("prefer")))
        return yield* perform(call, key, body, (actor) => Effect.map(operation(actor, input), resource(201)))
      })
    },

    /** Answers 200 with the resource, as it now is, under `data`. */
    update: <Id, A, I, E extends PublicError>(
      idSchema: Schema.Schema<Id, string>,
      schema: Schema.Schema<A, I>,
      operation: (actor: Actor, id: Id, input: A, condition: VersionCondition) => Effect.Effect<Document<Id>, E>
    ): Handler => {
      const decodePath = decodeWith(Schema.Struct({ id: idSchema }))
      const decode = decodeWith(schema)
      return Effect.fnUntraced(function* (call) {
        const key = yield* keyOf(call)
        const { id } = yield* decodePath(call.params, false)
        const body = yield* jsonBody(call)
        const input = yield* decode(body, isStrict(call.header("prefer")))
        return yield* perform(call, key, body, (actor, condition) =>
          Effect.map(operation(actor, id, input, condition), resource(200))
        )
      })
    },

    /** Looks at no body, and answers 200 with what is gone. */
    remove: <Id, E extends PublicError>(
      idSchema: Schema.Schema<Id, string>,
      operation: (actor: Actor, id: Id, condition: VersionCondition) => Effect.Effect<void, E>
    ): Handler => {
      const decodePath = decodeWith(Schema.Struct({ id: idSchema }))
      return Effect.fnUntraced(function* (call) {
        const key = yield* keyOf(call)
        const { id } = yield* decodePath(call.params, false)
        return yield* perform(call, key, undefined, (actor, condition) =>
          Effect.as(operation(actor, id, condition), {
            status: 200,
            body: JSON.stringify({ data: { id, deleted: true } }),
            etag: null
          })
        )
      })
    }
  }
})
