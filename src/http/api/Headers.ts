import { Predicate } from "effect"

/* The headers of requests and responses in the OpenAPI document. They depend on the method, not on the definition. */

const requestId = { type: "string", minLength: 1, maxLength: 128, pattern: "^[A-Za-z0-9_.:/+=-]+$" }

/** Optional request headers. Without examples, because readers would copy and send them. */
export const parameters = {
  Prefer: {
    name: "Prefer",
    in: "header",
    required: false,
    description:
      "`handling=strict` (RFC 7240): unknown and read-only fields are refused with 400 instead of being ignored. `handling=dry-run`: returns the result or error of the write, the events it would emit and the collections the product would enter and leave. Nothing is stored, and the write itself can use the same key",
    schema: { type: "string" }
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    required: false,
    description:
      'The `ETag` of the expected version, as in `"3"`, or `*` for any. Fails with 412 if the resource has another version',
    schema: { type: "string" }
  },
  EventId: {
    name: "X-Service-Event-Id",
    in: "header",
    required: false,
    description:
      "The id of the event that caused this write. Apps that respond to each other's events in a loop get 422 after 10 such writes in a row",
    schema: { type: "string", format: "uuid" }
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description: "The client's id for this request. It is returned in the response and logged by the service",
    schema: requestId
  }
}

export const headers = {
  RequestId: {
    description:
      "The id of the request in the service's log: the client's id if it is well formed, otherwise a new one",
    schema: requestId,
    example: "6f1c2d0e-9a55-4c1b-8d0f-7b9b8a1f5c11"
  },
  ETag: {
    description:
      "The version of the resource, for `If-Match`. Collections add a hash of their products, which can change without a new version. Compressed responses add the coding",
    schema: { type: "string", pattern: '^"[0-9]+(\\.[0-9a-f]{16})?(-br|-gzip)?"$' },
    example: '"1"'
  },
  IdempotentReplayed: {
    description: "Present if the response was stored by an earlier request with this Idempotency-Key",
    schema: { type: "string", enum: ["true"] }
  },
  PreferenceApplied: {
    description: "The preferences of `Prefer` that were applied",
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

const hasBody = (method: string) => method !== "get" && method !== "delete"

/** Makes a different key for each example body, so that all examples can be sent. */
const keyExamples = (operation: string, bodies: ReadonlyArray<string>) =>
  bodies.length === 0
    ? { example: `${operation}-1` }
    : { examples: Object.fromEntries(bodies.map((name, index) => [name, { value: `${operation}-${index + 1}` }])) }

const idempotencyKey = (operation: string, bodies: ReadonlyArray<string>) => ({
  name: "Idempotency-Key",
  in: "header",
  required: true,
  description:
    "A new key for each operation, and the same key on its retries. The operation runs once, and a retry within 24 hours returns the stored response. A different request with the key fails with 409",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  ...keyExamples(operation, bodies)
})

/**
 * Makes the request headers of a method. `bodies` are the titles of the example bodies. Conditional operations accept
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
  ...(hasBody(method) ? [parameter("EventId")] : []),
  parameter("RequestId")
]

const hasVersion = (response: unknown) =>
  Predicate.hasProperty(response, "data") && Predicate.hasProperty(response.data, "version")

/** Makes the response headers of a method and status. `response` is an example body; one with a version has an `ETag`. */
export const responseHeaders = (method: string, status: string, response: unknown) => {
  const isSuccessfulWrite = method !== "get" && Number(status) < 400
  return {
    "X-Request-Id": header("RequestId"),
    ...(hasVersion(response) ? { ETag: header("ETag") } : {}),
    ...(isSuccessfulWrite
      ? { "Idempotent-Replayed": header("IdempotentReplayed"), "Preference-Applied": header("PreferenceApplied") }
      : {}),
    ...(status === "503" ? { "Retry-After": header("RetryAfter") } : {}),
    ...(status === "401" ? { "WWW-Authenticate": header("WWWAuthenticate") } : {})
  }
}
