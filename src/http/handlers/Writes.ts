import { Effect, Schema } from "effect"
import { hash } from "node:crypto"
import { Actor } from "../../domain/Actor.ts"
import type { Document } from "../../domain/Document.ts"
import { EventId } from "../../domain/Events.ts"
import { Idempotency, IdempotencyKey, type StoredResponse } from "../../domain/Idempotency.ts"
import { canonical, type JsonObject } from "../../domain/Json.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { VersionCondition } from "../../domain/Version.ts"
import type { Write } from "../../domain/Write.ts"
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
  const decodeCause = decodeWith(Cause)

  /** The event that the write answers: an app that writes because it was told of one says so with its id. */
  const causeOf = ({ header }: Call) => {
    const given = header("x-service-event-id")
    if (given === undefined) return Effect.succeed(null)
    return Effect.map(decodeCause({ "X-Service-Event-Id": given }, false), (decoded) => decoded["X-Service-Event-Id"])
  }

  const perform = Effect.fnUntraced(function* <A, E>(
    call: Call,
    key: IdempotencyKey,
    body: JsonObject | undefined,
    describe: (store: StoreId, condition: VersionCondition) => Write<A, E>,
    respond: (value: A) => StoredResponse
  ) {
    const { id, storeId } = call.installation
    const condition = yield* ifMatch(call.header("if-match"))
    // A delete looks at no body and emits nothing: it ends a chain of events.
    const cause = body === undefined ? null : yield* causeOf(call)
    const {
      body: text,
      etag,
      replayed,
      status
    } = yield* once(
      { storeId, actor: Actor.App({ id }), surface: "rest", cause, mode: "perform" },
      { key, fingerprint: fingerprint(call, body) },
      describe(storeId, condition),
      respond
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
      describe: (store: StoreId, input: A) => Write<Document<Id>, E>
    ): Handler => {
      const decode = decodeWith(schema)
      return Effect.fnUntraced(function* (call) {
        const key = yield* keyOf(call)
        const body = yield* jsonBody(call)
        const input = yield* decode(body, isStrict(call.header("prefer")))
        return yield* perform(call, key, body, (store) => describe(store, input), resource(201))
      })
    },

    /** Answers 200 with the resource, as it now is, under `data`. */
    update: <Id, A, I, E extends PublicError>(
      idSchema: Schema.Schema<Id, string>,
      schema: Schema.Schema<A, I>,
      describe: (store: StoreId, id: Id, input: A, condition: VersionCondition) => Write<Document<Id>, E>
    ): Handler => {
      const decodePath = decodeWith(Schema.Struct({ id: idSchema }))
      const decode = decodeWith(schema)
      return Effect.fnUntraced(function* (call) {
        const key = yield* keyOf(call)
        const { id } = yield* decodePath(call.params, false)
        const body = yield* jsonBody(call)
        const input = yield* decode(body, isStrict(call.header("prefer")))
        return yield* perform(
          call,
          key,
          body,
          (store, condition) => describe(store, id, input, condition),
          resource(200)
        )
      })
    },

    /** Looks at no body, and answers 200 with what is gone. */
    remove: <Id, E extends PublicError>(
      idSchema: Schema.Schema<Id, string>,
      describe: (store: StoreId, id: Id, condition: VersionCondition) => Write<void, E>
    ): Handler => {
      const decodePath = decodeWith(Schema.Struct({ id: idSchema }))
      return Effect.fnUntraced(function* (call) {
        const key = yield* keyOf(call)
        const { id } = yield* decodePath(call.params, false)
        return yield* perform(
          call,
          key,
          undefined,
          (store, condition) => describe(store, id, condition),
          () => ({ status: 200, body: JSON.stringify({ data: { id, deleted: true } }), etag: null })
        )
      })
    }
  }
})
