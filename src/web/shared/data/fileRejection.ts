import { Result, Schema } from "effect"

/** Rejection of a file by the service. The tag selects the message for people. */
export class FileRejected extends Error {
  readonly _tag: string

  constructor(tag: string, message: string) {
    super(message)
    this._tag = tag
  }
}

const TAGS: Readonly<Record<number, string>> = { 401: "NotSignedIn", 429: "RateLimitExceeded", 503: "StoreBusy" }

const decodeRejection = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Struct({ error: Schema.String, issues: Schema.optional(Schema.Array(Schema.String)) }))
)

/** Error of a response to a file. A response that is no JSON came from a proxy. */
export const rejectionOf = (status: number, text: string): FileRejected =>
  Result.match(decodeRejection(text), {
    onFailure: () => new FileRejected("RpcClientError", text),
    onSuccess: ({ error, issues = [] }) =>
      new FileRejected(TAGS[status] ?? "FileRejected", [error, ...issues].join(". "))
  })
