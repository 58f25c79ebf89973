import { Schema } from "effect"
import { type Document, type DocumentPage, extend, type JsonText } from "../../domain/Document.ts"
import type { Outcome } from "../../domain/Idempotency.ts"
import { stringify } from "../../domain/Json.ts"

/* Text for the responses of handlers. */

/** A document goes from the database to the socket unparsed. */
export const resource = <Id>({ json }: Document<Id>): JsonText => json

export const page = ({ items, nextCursor }: DocumentPage<string>): JsonText =>
  `{"items":${items},"nextCursor":${JSON.stringify(nextCursor)}}`

/** The id of a deleted resource. */
export const deleted = (_: void, { id }: { readonly id: string }): JsonText => JSON.stringify({ id, deleted: true })

/** The response of a write, or the result of its rehearsal. */
export const written = ({ body, dryRun }: Outcome): JsonText =>
  dryRun === undefined ? body : extend(`{"resource":${body}}`, JSON.stringify(dryRun))

/** Encodes a value by the success schema of a definition, for services that return no JSON. */
export const encoded = <A>({ successSchema }: { readonly successSchema: Schema.Codec<A, unknown> }) => {
  const encode = Schema.encodeSync(successSchema)
  return (found: A): JsonText => stringify(encode(found))
}
