import { type Header, isSecret, isSigned, type Scheme, SERVICE, STANDARD } from "./Signature.ts"

/*
 * Verification of webhooks for receivers, published as `partner-api/webhooks`. It has no dependencies and runs wherever Web
 * Crypto exists (Node 22 and newer, Deno, Bun, edge workers).
 */

/** The product or collection after the write. */
export interface WebhookResource {
  readonly id: string
  /** Increases with every write of the resource. Order deliveries by it. */
  readonly version: number
  readonly [field: string]: unknown
}

interface Envelope {
  /** The same in every attempt, and in `webhook-id`. Deduplicate deliveries by it. */
  readonly id: string
  /** RFC 3339, in UTC. */
  readonly occurredAt: string
  readonly storeId: string
  readonly actor: { readonly type: "app" | "merchant" | "agent" }
  /** The installation of the write. Absent if no app wrote. */
  readonly originInstallationId?: string
  /** The change set of the write. Absent if it was not part of one. */
  readonly changeSetId?: string
  /** The number of events in a row that led to this write. */
  readonly hops: number
}

export interface ProductUpdated extends Envelope {
  readonly kind: "catalog.product.updated.v1"
  readonly data: { readonly product: WebhookResource }
}

export interface CollectionUpdated extends Envelope {
  readonly kind: "catalog.collection.updated.v1"
  /** An automated collection has no `productIds`. */
  readonly data: { readonly collection: WebhookResource }
}

/** The events of this version, distinguished by `kind`. */
export type WebhookEvent = ProductUpdated | CollectionUpdated

/** An event of a kind that is newer than this version. A separate type, because its `kind` is any text. */
export interface UnknownWebhookEvent extends Envelope {
  readonly kind: string
  readonly data: Readonly<Record<string, unknown>>
}

export type WebhookRefusalReason =
  /** A signature header is missing. */
  | "missing-header"
  /** A header is repeated, too long or malformed. */
  | "malformed-header"
  /** Signed too long ago (a replay, a slow queue) or in the future (a wrong clock). */
  | "timestamp-outside-tolerance"
  /** Signed with another secret, or the body is not the exact signed bytes. */
  | "signature-mismatch"
  /** The signature is valid, but the body is not an event. */
  | "malformed-body"
  /** The signature is valid, but `webhook-id` is not the event's id. */
  | "id-mismatch"

export interface WebhookRefusal {
  readonly ok: false
  readonly reason: WebhookRefusalReason
  /** One line for a log, without the secret or parts of the request. */
  readonly message: string
}

/** The result of a verification. `known` is false for a verified event of a newer kind. */
export type WebhookResult =
  | { readonly ok: true; readonly known: true; readonly event: WebhookEvent }
  | { readonly ok: true; readonly known: false; readonly event: UnknownWebhookEvent }
  | WebhookRefusal

interface HeadersLike {
  readonly get: (name: string) => string | null | undefined
}

/** A `Headers` object, or the headers of a Node request: names in any case, several values as an array. */
export type WebhookHeaders = HeadersLike | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface VerifyWebhookOptions {
  /** The allowed seconds between timestamp and clock, in both directions. Default: 300. */
  readonly toleranceSeconds?: number | undefined
  /** The current time in Unix seconds. Default: the clock of the machine. */
  readonly now?: number | undefined
}

/** The member of `data` of each event kind of this version. A test compares them with the service. */
const RESOURCES: Readonly<Record<WebhookEvent["kind"], string>> = {
  "catalog.product.updated.v1": "product",
  "catalog.collection.updated.v1": "collection"
}

const RESOURCE_OF: ReadonlyMap<string, string> = new Map(Object.entries(RESOURCES))

const ACTOR_TYPES: ReadonlySet<unknown> = new Set(["app", "merchant", "agent"])

const DEFAULT_TOLERANCE = 300

/** Characters of a header: ten signatures. Each costs a hash of the whole body. */
const MAX_HEADER = 512

const utf8 = new TextEncoder()

/** Keeps a byte order mark, which is then invalid JSON, so that no signed byte is ignored. */
const fromUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const refuse = (reason: WebhookRefusalReason, message: string): WebhookRefusal => ({ ok: false, reason, message })

const isHeaders = (headers: WebhookHeaders): headers is HeadersLike => typeof headers.get === "function"

const valuesOf = (headers: WebhookHeaders, name: string): ReadonlyArray<string> => {
  if (isHeaders(headers)) {
    const value = headers.get(name)
    return typeof value === "string" ? [value] : []
  }
  return Object.entries(headers)
    .filter(([header]) => header.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
}

const read = (headers: WebhookHeaders, { form, name }: Header): string | WebhookRefusal => {
  const [value, ...others] = valuesOf(headers, name)
  if (value === undefined) return refuse("missing-header", `${name} is missing`)
  if (others.length > 0) return refuse("malformed-header", `${name} is repeated`)
  return value.length <= MAX_HEADER && form.test(value) ? value : refuse("malformed-header", `${name} is malformed`)
}

const readAll = (headers: WebhookHeaders, required: ReadonlyArray<Header>): ReadonlyArray<string> | WebhookRefusal => {
  const values: Array<string> = []
  for (const header of required) {
    const value = read(headers, header)
    if (typeof value !== "string") return value
    values.push(value)
  }
  return values
}

const isPresent = (headers: WebhookHeaders, { name }: Header) => valuesOf(headers, name).length > 0

const signaturesOf = (headers: WebhookHeaders, { next, signature }: Scheme) =>
  readAll(headers, next !== undefined && isPresent(headers, next) ? [signature, next] : [signature])

/** Requires all headers of Standard Webhooks if one is present, so that removing headers cannot select the scheme. */
const selectScheme = (headers: WebhookHeaders): Scheme =>
  [...STANDARD.signed, STANDARD.signature].some((header) => isPresent(headers, header)) ? STANDARD : SERVICE

const validateSecrets = (secret: string | ReadonlyArray<string>): ReadonlyArray<string> => {
  const secrets = typeof secret === "string" ? [secret] : secret
  if (Array.isArray(secrets) && secrets.length > 0 && secrets.every(isSecret)) return secrets
  throw new TypeError(
    "secret must be whsec_ and the base64 of 24 to 64 bytes, without white space, or an array of these"
  )
}

const validateHeaders = (headers: WebhookHeaders) => {
  if (typeof headers === "object" && headers !== null) return
  throw new TypeError("headers must be the headers of the request: a Headers object, or an object of names and values")
}

const bytesOf = (rawBody: string | Uint8Array | ArrayBuffer): Uint8Array => {
  if (typeof rawBody === "string") return utf8.encode(rawBody)
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody)
  if (ArrayBuffer.isView(rawBody)) return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength)
  throw new TypeError("rawBody must be the body as it was received, text or bytes, not parsed JSON")
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isResource = (value: unknown) =>
  isRecord(value) && typeof value["id"] === "string" && Number.isSafeInteger(value["version"])

const isData = (kind: string, data: unknown) => {
  const resource = RESOURCE_OF.get(kind)
  return isRecord(data) && (resource === undefined || isResource(data[resource]))
}

/** Tests for an event. Other members are allowed, because the service can add some. */
const isEvent = (value: unknown): value is UnknownWebhookEvent =>
  isRecord(value) &&
  typeof value["id"] === "string" &&
  typeof value["kind"] === "string" &&
  typeof value["occurredAt"] === "string" &&
  typeof value["storeId"] === "string" &&
  isRecord(value["actor"]) &&
  ACTOR_TYPES.has(value["actor"]["type"]) &&
  ["string", "undefined"].includes(typeof value["originInstallationId"]) &&
  Number.isSafeInteger(value["hops"]) &&
  isData(value["kind"], value["data"])

const isKnown = (event: UnknownWebhookEvent): event is WebhookEvent => RESOURCE_OF.has(event.kind)

const eventIn = (body: Uint8Array): UnknownWebhookEvent | undefined => {
  try {
    const value: unknown = JSON.parse(fromUtf8.decode(body))
    return isEvent(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Verifies that a delivery comes from the service and returns its event. Uses the headers of Standard Webhooks if one of
 * them is present, otherwise `X-Service-Timestamp` with `X-Service-Signature` or, during a rotation,
 * `X-Service-Signature-Next`.
 *
 * @param secret the secret of the webhook, `whsec_…`. During a rotation the old and the new one, either of which can match.
 * @param rawBody the body exactly as it was received, before parsing.
 * @returns a promise of the event, or of the reason for refusing the delivery. No request makes it reject.
 * @throws TypeError (the promise rejects) for invalid arguments: a missing or malformed secret, missing headers, a tolerance
 * or clock that is not a number of seconds, a missing or parsed body.
 *
 * @example
 * import { verifyWebhook } from "partner-api/webhooks"
 *
 * const handle = async (request: Request): Promise<Response> => {
 *   const result = await verifyWebhook(secret, request.headers, await request.arrayBuffer())
 *   if (!result.ok) return new Response(result.message, { status: 400 })
 *   if (result.known && result.event.kind === "catalog.product.updated.v1") await save(result.event.data.product)
 *   return new Response(null, { status: 204 })
 * }
 */
export const verifyWebhook = async (
  secret: string | ReadonlyArray<string>,
  headers: WebhookHeaders,
  rawBody: string | Uint8Array | ArrayBuffer,
  { now = Date.now() / 1000, toleranceSeconds = DEFAULT_TOLERANCE }: VerifyWebhookOptions = {}
): Promise<WebhookResult> => {
  const secrets = validateSecrets(secret)
  if (!(toleranceSeconds >= 0 && Number.isFinite(now))) throw new TypeError("toleranceSeconds and now must be seconds")
  validateHeaders(headers)
  const body = bytesOf(rawBody)

  const scheme = selectScheme(headers)
  const signed = readAll(headers, scheme.signed)
  if ("ok" in signed) return signed
  const signatures = signaturesOf(headers, scheme)
  if ("ok" in signatures) return signatures

  const distance = Math.abs(now - Number(signed.at(-1)))
  if (distance > toleranceSeconds) {
    const message = `The timestamp differs from this clock by ${Math.round(distance)} s; ${toleranceSeconds} s are allowed`
    return refuse("timestamp-outside-tolerance", message)
  }

  // A copy before the first `await`, so that the caller cannot change the bytes between verification and parsing.
  const head = utf8.encode(`${signed.join(".")}.`)
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)

  for (const one of secrets) {
    if (!(await isSigned(scheme, one, signatures, content))) continue
    const event = eventIn(content.subarray(head.length))
    if (event === undefined) return refuse("malformed-body", "The signature is valid, but the body is not an event")
    if (scheme === STANDARD && signed[0] !== event.id) {
      return refuse("id-mismatch", "The signature is valid, but webhook-id is not the id of the event")
    }
    return isKnown(event) ? { ok: true, known: true, event } : { ok: true, known: false, event }
  }
  return refuse("signature-mismatch", "No signature matches: the secret is different, or the body was changed")
}
