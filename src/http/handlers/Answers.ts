import type { Document, DocumentPage } from "../../domain/Document.ts"
import type { StoredResponse } from "../../domain/Idempotency.ts"
import { stringify } from "../../domain/Json.ts"
import type { Reply } from "../Call.ts"
import { etagOf } from "../Conditions.ts"

/** An answer without its status, which its endpoint's definition has. */
export type Answer = Omit<StoredResponse, "status">

export const toReply = ({ body, etag, status }: StoredResponse, headers: Reply["headers"] = {}): Reply => ({
  status,
  body,
  headers: etag === null ? headers : { etag, ...headers }
})

/** A resource, with the tag of its version. */
export const resource = <Id>(document: Document<Id>): Answer => ({
  body: `{"data":${document.json}}`,
  etag: etagOf(document)
})

/** What has no version, and so no tag. */
export const plain = (data: object): Answer => ({ body: stringify({ data }), etag: null })

/** The id of what is gone. */
export const deleted = (_: void, { path }: { readonly path: { readonly id: string } }): Answer => ({
  body: JSON.stringify({ data: { id: path.id, deleted: true } }),
  etag: null
})

/** A page of a list, under the name of what it holds. */
export const page =
  (name: string) =>
  ({ items, nextCursor }: DocumentPage<string>): Answer => ({
    body: `{"${name}":${items},"nextCursor":${JSON.stringify(nextCursor)}}`,
    etag: null
  })
