import { Schema } from "effect"
import type { Document, DocumentPage, JsonText } from "../../domain/Document.ts"
import { stringify } from "../../domain/Json.ts"
import { DEFAULT_LIMIT, type PageRequest } from "../../domain/Page.ts"

interface Paged<Id> {
  readonly cursor?: Id
  readonly limit?: number
}

/** Which page of a list is asked for. */
export const requestOf = <Id>({ cursor, limit = DEFAULT_LIMIT }: Paged<Id>): PageRequest<Id> => ({ cursor, limit })

/** What a service answers with as JSON. */
export const asItIs = (json: JsonText): JsonText => json

/** A resource is its document: it goes from the database to the socket unparsed. */
export const resource = <Id>({ json }: Document<Id>): JsonText => json

export const page = ({ items, nextCursor }: DocumentPage<string>): JsonText =>
  `{"items":${items},"nextCursor":${JSON.stringify(nextCursor)}}`

/** The id of what is gone. */
export const deleted = (_: void, { id }: { readonly id: string }): JsonText => JSON.stringify({ id, deleted: true })

/** What is no document is encoded by the schema of its definition. */
export const encoded = <A, I>({ successSchema }: { readonly successSchema: Schema.Schema<A, I> }) => {
  const encode = Schema.encodeSync(successSchema)
  return (found: A): JsonText => stringify(encode(found))
}
