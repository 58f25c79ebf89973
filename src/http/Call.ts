import type { Result } from "effect"
import type { Installation } from "../domain/access/Installations.ts"
import type { BadRequest } from "../domain/BadRequest.ts"
import type { JsonText } from "../domain/Document.ts"
import type { Query } from "./Query.ts"

/** A request of the API that has passed the door: who asks, and what was matched of its address. */
export interface Call {
  readonly installation: Installation
  /** What names the request in the log of the service. */
  readonly requestId: string
  readonly method: string
  /** Path with query, as it was sent. */
  readonly url: string
  /** A header by its name in lower case; what was sent more than once is joined. */
  readonly header: (name: string) => string | undefined
  /** The body as it was received, or why it was not; empty where the endpoint takes none. */
  readonly body: Result.Result<Buffer, BadRequest>
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>
  /** The parameters of the query that the endpoint has. */
  readonly query: Query
}

/** What a request is answered with: always JSON. */
export interface Reply {
  readonly status: number
  readonly body: JsonText
  readonly headers?: Readonly<Record<string, string>>
}
