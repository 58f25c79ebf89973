/** JSON text that the service produced, safe to send unchanged. */
export type JsonText = string

/**
 * Resource as stored and returned: JSON text, not a decoded copy. Reads pass this text from the database to the socket;
 * decoding and encoding a page of 50 products costs more than the rest of the request.
 */
export interface Document<Id> {
  readonly id: Id
  readonly version: number
  readonly json: JsonText
  /** Part of `json` that may change without a new version. */
  readonly computed?: JsonText
}

/** Page of resources: a JSON array and the cursor of the next page. */
export interface DocumentPage<Id> {
  readonly items: JsonText
  readonly nextCursor: Id | null
}

/** Adds members to a document. Both texts are JSON objects with at least one member. */
export const extend = (document: JsonText, members: JsonText): JsonText =>
  `${document.slice(0, -1)},${members.slice(1)}`
