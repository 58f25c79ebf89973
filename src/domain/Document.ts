/** JSON text that the service made itself and may send as it is. */
export type JsonText = string

/**
 * A resource as it is stored and returned: its JSON, not a decoded copy of it. Reads pass this text from the database
 * to the socket; decoding and encoding a page of 50 products costs more than everything else in the request.
 */
export interface Document<Id> {
  readonly id: Id
  readonly version: number
  readonly json: JsonText
  /** The part of `json` that may change while the version stays, where there is one. */
  readonly computed?: JsonText
}

/** A page of resources: a JSON array of them, and where the next page starts. */
export interface DocumentPage<Id> {
  readonly items: JsonText
  readonly nextCursor: Id | null
}

/** The document with further members, both given as JSON objects of at least one member. */
export const extend = (document: JsonText, members: JsonText): JsonText =>
  `${document.slice(0, -1)},${members.slice(1)}`
