import { Schema } from "effect"
import { type Document, type DocumentPage, extend, type JsonText } from "../../domain/json/Document.ts"
import type { Outcome } from "../../domain/Idempotency.ts"
import type { QueryPage } from "../../domain/Query.ts"

/** Returns the stored text of a document, which is sent without parsing. */
export const documentJson = <Id>({ json }: Document<Id>): JsonText => json

/** Joins a page from the stored text of its items. */
export const pageJson = ({ items, nextCursor }: DocumentPage<string>): JsonText =>
  `{"items":${items},"nextCursor":${JSON.stringify(nextCursor)}}`

/** Joins a page of a query. */
export const queryPageJson = ({ total, ...page }: QueryPage): JsonText => extend(pageJson(page), `{"total":${total}}`)

/** Returns the response of a deletion. */
export const deletedJson = (_: void, { id }: { readonly id: string }): JsonText => JSON.stringify({ id, deleted: true })

/** Returns the response of a write, with the result of a dry run if it was one. */
export const writeJson = ({ dryRun, text }: Outcome): JsonText =>
  dryRun === undefined ? text : extend(`{"resource":${text}}`, JSON.stringify(dryRun))

/** Encodes a value with the success schema of a definition, for services that do not return JSON text. */
export const encodeSuccess = <A>({ successSchema }: { readonly successSchema: Schema.Codec<A, unknown> }) => {
  const encode = Schema.encodeSync(successSchema)
  return (value: A): JsonText => JSON.stringify(encode(value))
}
