import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Installation } from "../../domain/access/Installations.ts"
import type { Document, DocumentPage, JsonText } from "../../domain/Document.ts"
import type { StoredResponse } from "../../domain/Idempotency.ts"
import { stringify } from "../../domain/Json.ts"
import { CurrentInstallation } from "../api/Middleware.ts"
import { makeEtag } from "../ConditionalRequests.ts"

/** The response of the platform for a stored one. Its body is JSON text already and is not encoded again. */
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

/** A resource with the tag of its version. */
export const resource = <Id>(document: Document<Id>): StoredResponse => ({
  status: 200,
  body: `{"data":${document.json}}`,
  etag: makeEtag(document)
})

/** A resource that the request created. */
export const created = <Id>(document: Document<Id>): StoredResponse => ({ ...resource(document), status: 201 })

/** JSON text that has no version. */
export const entry = (json: JsonText): StoredResponse => ok(`{"data":${json}}`)

/** Data that has no version. */
export const plain = (data: object): StoredResponse => ok(stringify({ data }))

/** The id of a resource that was deleted. */
export const deleted = (id: string): StoredResponse => ok(JSON.stringify({ data: { id, deleted: true } }))

/** A page of a list, under the name of its items. */
export const page =
  (name: string) =>
  ({ items, nextCursor }: DocumentPage<string>): StoredResponse =>
    ok(`{"${name}":${items},"nextCursor":${JSON.stringify(nextCursor)}}`)

/** Handles a read in the name of the current installation. */
export const read = <A, E, R>(
  run: (installation: Installation) => Effect.Effect<A, E, R>,
  toAnswer: (found: A) => StoredResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | CurrentInstallation> =>
  Effect.map(Effect.flatMap(CurrentInstallation, run), (found) => jsonResponse(toAnswer(found)))
