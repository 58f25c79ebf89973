import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"
import type { JsonText } from "../../domain/json/Document.ts"
import { parseMembers, type StoredDocument } from "../../domain/json/StoredDocument.ts"
import { isText } from "../../domain/Text.ts"
import { constant, type Fragment, sql } from "./Statement.ts"

/*
 * Reads send the text of stored documents. Those that another release wrote are completed before: a statement puts a mark
 * before their text, so that the others are sent without being parsed.
 */

/** Mark before a document. It is white space of JSON, which no stored text contains. */
const MARK = "\n"

/** The parts of a codec that reads of texts need. */
export type DocumentText = Pick<StoredDocument<never>, "schemaHash" | "completeText">

/** Expression of the text of a document in a row with `schema_hash`, marked if another release may have written it. */
export const documentText = ({ schemaHash }: DocumentText, text: Fragment, hash = sql`schema_hash`): Fragment =>
  sql`case when ${hash} = ${constant(schemaHash)} then ${text} else E'\\n' || ${text} end`

/** Completes the marked documents of a document or a list. */
export const completeMarked = ({ completeText }: DocumentText, json: JsonText): JsonText =>
  json.includes(MARK) ? completeText(json) : json

/** Schema of a column with a stored document: its text, or the value that the driver parsed. */
export const StoredColumn = <A>(document: StoredDocument<A>) =>
  Schema.declareConstructor<A>()(
    [],
    () => (column, ast, options) =>
      column === null
        ? Effect.fail(new SchemaIssue.InvalidType(ast, column, options))
        : Effect.sync(() => (isText(column) ? document.parse(column) : document.decode(column)))
  )

/** Schema of a column with the text of any stored resource. */
export const MembersText = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Record(Schema.String, Schema.Unknown),
    SchemaTransformation.transform({ decode: parseMembers, encode: (members) => JSON.stringify(members) })
  )
)

/** Schema of a column that {@link documentText} selects, alone or in a list. Decoding completes it. */
export const CompletedText = (document: DocumentText) =>
  Schema.String.pipe(
    Schema.decode(
      SchemaTransformation.transform({
        decode: (json) => completeMarked(document, json),
        encode: (json: JsonText) => json
      })
    )
  )
