import { Predicate } from "effect"

/* The headers of requests and responses in the OpenAPI document. They depend on the method, not on the definition. */

const requestId = { type: "string", minLength: 1, maxLength: 128, pattern: "^[A-Za-z0-9_.:/+=-]+$" }

/** Optional headers. They have no examples, because readers would copy and send them. */
export const parameters = {
  Prefer: {
    name: "Prefer",
    in: "header",
    required: false,
    description:
      "`handling=strict` (RFC 7240): fields that cannot be set are refused with 400, instead of being ignored. `handling=dry-run`: the write is decided and answered as it would be, also where it would be refused, with the events it would send and the collections the product would enter and leave; nothing is kept, and its key may be used by the write itself",
    schema: { type: "string" }
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    required: false,
    description:
      'The `ETag` of the version that is meant, as in `"3"`, or `*` for any: refused with 412 when the resource has another version by now',
    schema: { type: "string" }
  },
  EventId: {
    name: "X-Service-Event-Id",
    in: "header",
    required: false,
    description:
      "The id of the event that this write answers, as its delivery carried it. Apps that answer each other's events without end are refused with 422 after 10 such writes in a row",
    schema: { type: "string", format: "uuid" }
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description: "A name of the client's own for this request, which the answer and the log of the service will carry",
    schema: requestId
  }
}

export const headers = {
  RequestId: {
    description: "The name of the request in the log of the service: the client's own where that is well formed",
    schema: requestId,
    example: "6f1c2d0e-9a55-4c1b-8d0f-7b9b8a1f5c11"
  },
  ETag: {
    description:
      "The version of the resource, for `If-Match`. Of a collection, with a hash of its products, which may change while the version stays; of a compressed answer it names the coding too",
    schema: { type: "string", pattern: '^"[0-9]+(\\.[0-9a-f]{16})?(-br|-gzip)?"$' },
    example: '"1"'
  },
  IdempotentReplayed: {
    description: "There when the answer is the stored one of an earlier request with this Idempotency-Key",
    schema: { type: "string", enum: ["true"] }
  },
  PreferenceApplied: {
    description: "What of `Prefer` was followed",
    schema: { type: "string", enum: ["handling=strict", "handling=dry-run", "handling=strict, handling=dry-run"] }
  },
  RetryAfter: {
    description: "Seconds after which the request may be repeated (RFC 9110)",
    schema: { type: "string", pattern: "^[0-9]+$" },
    example: "1"
  },
  WWWAuthenticate: {
    description: "How to authenticate (RFC 9110)",
    schema: { type: "string", enum: ["Bearer"] }
  }
}

const parameter = (name: keyof typeof parameters) => ({ $ref: `#/components/parameters/${name}` })
const header = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` })

const takesBody = (method: string) => method !== "get" && method !== "delete"

/** One key for each example of a body, so that sending all examples repeats no key. */
const keysOf = (operation: string, bodies: ReadonlyArray<string>) =>
  bodies.length === 0
    ? { example: `${operation}-1` }
    : { examples: Object.fromEntries(bodies.map((name, index) => [name, { value: `${operation}-${index + 1}` }])) }

const idempotencyKey = (operation: string, bodies: ReadonlyArray<string>) => ({
  name: "Idempotency-Key",
  in: "header",
  required: true,
  description:
    "One new key for each operation, and the same on its retries: the operation runs once, and a retry within 24 hours gets the stored answer. With another request it is refused (409)",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  ...keysOf(operation, bodies)
})

/**
 * The headers of a request by its method. `bodies` are the names of the examples. A conditional request can have
 * `If-Match`.
 */
export const requestHeaders = (
  method: string,
  operation: string,
  bodies: ReadonlyArray<string>,
  isConditional: boolean
) => [
  ...(method === "get" ? [] : [idempotencyKey(operation, bodies)]),
  ...(isConditional ? [parameter("IfMatch")] : []),
  ...(method === "get" ? [] : [parameter("Prefer")]),
  ...(takesBody(method) ? [parameter("EventId")] : []),
  parameter("RequestId")
]

const hasVersion = (answer: unknown) =>
  Predicate.hasProperty(answer, "data") && Predicate.hasProperty(answer.data, "version")

/** The headers of a response. A single resource has a version, and so an `ETag`; `answer` is an example of the body. */
export const responseHeaders = (method: string, status: string, answer: unknown) => {
  const isWritten = method !== "get" && Number(status) < 400
  return {
    "X-Request-Id": header("RequestId"),
    ...(hasVersion(answer) ? { ETag: header("ETag") } : {}),
    ...(isWritten
      ? { "Idempotent-Replayed": header("IdempotentReplayed"), "Preference-Applied": header("PreferenceApplied") }
      : {}),
    ...(status === "503" ? { "Retry-After": header("RetryAfter") } : {}),
    ...(status === "401" ? { "WWW-Authenticate": header("WWWAuthenticate") } : {})
  }
}
