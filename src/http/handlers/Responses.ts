import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Installation } from "../../domain/access/Installations.ts"
import type { Document, DocumentPage, JsonText } from "../../domain/json/Document.ts"
import type { StoredResponse } from "../../domain/Idempotency.ts"
import { CurrentInstallation } from "../api/Middleware.ts"
import { makeEtag } from "../headers/ConditionalRequests.ts"

/** Converts a stored response to a response of the router. Its body is JSON text and is not encoded again. */
export const jsonResponse = (
  { body, etag, status }: StoredResponse,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(body, {
    status,
    contentType: "application/json",
    headers: etag === null ? headers : { etag, ...headers }
  })

const ok = (body: JsonText): StoredResponse => ({ status: 200, body, etag: null })

/** Responds with a resource and the entity tag of its version. */
export const resource = <Id>(document: Document<Id>): StoredResponse => ({
  status: 200,
  body: `{"data":${document.json}}`,
  etag: makeEtag(document)
})

/** Responds with a new resource (201). */
export const created = <Id>(document: Document<Id>): StoredResponse => ({ ...resource(document), status: 201 })

/** Responds with JSON text that has no version. */
export const entry = (json: JsonText): StoredResponse => ok(`{"data":${json}}`)

/** Responds with data that has no version. */
export const plain = (data: object): StoredResponse => ok(JSON.stringify({ data }))

/** Responds with the id of a deleted resource. */
export const deleted = (id: string): StoredResponse => ok(JSON.stringify({ data: { id, deleted: true } }))

/** Responds with a page of a list. `name` is the member of the items. */
export const page =
  (name: string) =>
  ({ items, nextCursor }: DocumentPage<string>): StoredResponse =>
    ok(`{"${name}":${items},"nextCursor":${JSON.stringify(nextCursor)}}`)

/** Handles a read of the current installation. */
export const read = <A, E, R>(
  run: (installation: Installation) => Effect.Effect<A, E, R>,
  toResponse: (result: A) => StoredResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | CurrentInstallation> =>
  Effect.map(Effect.flatMap(CurrentInstallation, run), (result) => jsonResponse(toResponse(result)))
