import { Schema } from "effect"
import { type Document, type DocumentPage, extend, type JsonText } from "../../domain/Document.ts"
import type { Outcome } from "../../domain/Idempotency.ts"
import { stringify } from "../../domain/Json.ts"

/** What a service answers with as JSON. */
export const asItIs = (json: JsonText): JsonText => json

/** A resource is its document: it goes from the database to the socket unparsed. */
export const resource = <Id>({ json }: Document<Id>): JsonText => json

export const page = ({ items, nextCursor }: DocumentPage<string>): JsonText =>
  `{"items":${items},"nextCursor":${JSON.stringify(nextCursor)}}`

/** The id of what is gone. */
export const deleted = (_: void, { id }: { readonly id: string }): JsonText => JSON.stringify({ id, deleted: true })

/** What came of a write: its answer, or what it would be and lead to. */
export const written = ({ body, rehearsal }: Outcome): JsonText =>
  rehearsal === undefined ? body : extend(`{"resource":${body}}`, JSON.stringify(rehearsal))

/** What is no document is encoded by the schema of its definition. */
export const encoded = <A>({ successSchema }: { readonly successSchema: Schema.Codec<A, unknown> }) => {
  const encode = Schema.encodeSync(successSchema)
  return (found: A): JsonText => stringify(encode(found))
}
