import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Installation } from "../../domain/access/Installations.ts"
import type { Document, DocumentPage, JsonText } from "../../domain/json/Document.ts"
import type { QueryPage } from "../../domain/Query.ts"
import { CurrentInstallation } from "../api/Middleware.ts"
import { makeEtag } from "../headers/ConditionalRequests.ts"

/** Response of an endpoint, as it is sent and, for a write, stored and replayed. */
export interface ApiResponse {
  readonly status: number
  /** JSON text. */
  readonly body: string
  readonly etag: string | null
}

/** Encodes a response as the outcome of a write: status and entity tag, then the body. */
export const encodeResponse = ({ body, etag, status }: ApiResponse): string => `${status} ${etag ?? ""}\n${body}`

/** Decodes the outcome of a write that {@link encodeResponse} made. */
export const decodeResponse = (outcome: string): ApiResponse => {
  const end = outcome.indexOf("\n")
  const etag = outcome.slice(4, end)
  return { status: Number(outcome.slice(0, 3)), etag: etag === "" ? null : etag, body: outcome.slice(end + 1) }
}

/** Converts a response of an endpoint to one of the router. Its body is JSON text and is not encoded again. */
export const jsonResponse = (
  { body, etag, status }: ApiResponse,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(body, {
    status,
    contentType: "application/json",
    headers: etag === null ? headers : { etag, ...headers }
  })

/** Responds with JSON text. */
export const ok = (body: JsonText): ApiResponse => ({ status: 200, body, etag: null })

/** Responds with a resource and the entity tag of its version. */
export const resource = <Id>(document: Document<Id>): ApiResponse => ({
  status: 200,
  body: `{"data":${document.json}}`,
  etag: makeEtag(document)
})

/** Responds with a new resource (201). */
export const created = <Id>(document: Document<Id>): ApiResponse => ({ ...resource(document), status: 201 })

/** Responds with JSON text that has no version. */
export const entry = (json: JsonText): ApiResponse => ok(`{"data":${json}}`)

/** Responds with data that has no version. */
export const plain = (data: object): ApiResponse => ok(JSON.stringify({ data }))

/** Responds with the id of a deleted resource. */
export const deleted = (id: string): ApiResponse => ok(JSON.stringify({ data: { id, deleted: true } }))

/** Responds with a page of a list. `name` is the member of the items. */
export const page =
  (name: string) =>
  ({ items, nextCursor }: DocumentPage<string>): ApiResponse =>
    ok(`{"${name}":${items},"nextCursor":${JSON.stringify(nextCursor)}}`)

/** Responds with a page of a query. */
export const searchPage =
  (name: string) =>
  ({ items, nextCursor, total }: QueryPage): ApiResponse =>
    ok(`{"${name}":${items},"nextCursor":${JSON.stringify(nextCursor)},"total":${total}}`)

/** Handles a read of the current installation. */
export const read = <A, E, R>(
  run: (installation: Installation) => Effect.Effect<A, E, R>,
  toResponse: (result: A) => ApiResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | CurrentInstallation> =>
  Effect.map(Effect.flatMap(CurrentInstallation, run), (result) => jsonResponse(toResponse(result)))
