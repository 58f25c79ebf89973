import { HttpServerRequest } from "@effect/platform"
import { Effect, type Schema } from "effect"
import { createHash } from "node:crypto"
import { type Actor, app } from "../../domain/Actor.ts"
import type { Document } from "../../domain/Document.ts"
import { Idempotency, type StoredResponse } from "../../domain/Idempotency.ts"
import { CurrentInstallation } from "../../domain/Installation.ts"
import { canonical, type JsonObject } from "../../domain/Json.ts"
import type { VersionCondition } from "../../domain/Version.ts"
import { CurrentKey } from "../api/Access.ts"
import { decodeWith, isStrict, jsonBody } from "../Body.ts"
import { etagOf, ifMatch } from "../Conditions.ts"
import { json } from "../Responses.ts"

/** What tells one operation from another under the same key: method, path with query, and what the body says. */
const fingerprint = (method: string, url: string, body: JsonObject | undefined) =>
  createHash("sha256")
    .update(`${method} ${url}\n${body === undefined ? "" : canonical(body)}`)
    .digest()

/** The frame of every write: who asks, under which key, and the answer that is stored, sent and replayed. */
export const makeWrites = Effect.gen(function* () {
  const { once } = yield* Idempotency

  const perform = Effect.fnUntraced(function* <E>(
    body: JsonObject | undefined,
    strict: boolean,
    operation: (actor: Actor, condition: VersionCondition) => Effect.Effect<StoredResponse, E>
  ) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const installation = yield* CurrentInstallation
    const condition = yield* ifMatch(request.headers["if-match"])
    const outcome = yield* once(
      {
        storeId: installation.storeId,
        installationId: installation.id,
        key: yield* CurrentKey,
        fingerprint: fingerprint(request.method, request.originalUrl, body)
      },
      operation(app(installation), condition)
    )
    return json(outcome.body, outcome.status, {
      ...(outcome.etag === null ? {} : { etag: outcome.etag }),
      ...(outcome.replayed ? { "idempotent-replayed": "true" } : {}),
      ...(strict ? { "preference-applied": "handling=strict" } : {})
    })
  })

  return {
    /** A write that takes a body and answers with the resource, as it now is, under `data`. */
    ofResource: <A, I, Id, E>(
      status: 200 | 201,
      schema: Schema.Schema<A, I>,
      operation: (actor: Actor, input: A, condition: VersionCondition) => Effect.Effect<Document<Id>, E>
    ) => {
      const decode = decodeWith(schema)
      return Effect.gen(function* () {
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const body = yield* jsonBody
        const strict = isStrict(headers["prefer"])
        const input = yield* decode(body, strict)
        return yield* perform(body, strict, (actor, condition) =>
          Effect.map(operation(actor, input, condition), ({ json, version }) => ({
            status,
            body: `{"data":${json}}`,
            etag: etagOf(version)
          }))
        )
      })
    },

    /** A deletion: no body is looked at, and the answer says what is gone. */
    ofDeletion: <E>(id: string, operation: (actor: Actor, condition: VersionCondition) => Effect.Effect<void, E>) =>
      perform(undefined, false, (actor, condition) =>
        Effect.as(operation(actor, condition), {
          status: 200,
          body: JSON.stringify({ data: { id, deleted: true } }),
          etag: null
        })
      )
  }
})
