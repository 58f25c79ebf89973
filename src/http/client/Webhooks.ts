import { type Header, isSecret, isSigned, type Scheme, SERVICE, STANDARD } from "./Signature.ts"

/*
 * What a receiver of webhooks needs, published by itself as `partner-api/webhooks`: it imports nothing of the service
 * or its libraries, and runs wherever Web Crypto does (browsers, Deno, edge workers, Node 20 and newer).
 */

/** The product or collection as the write left it. Numbers of more digits than a double holds are in the body alone. */
export interface WebhookResource {
  readonly id: string
  /** Rises with every write of the resource. Deliveries come in any order: of two, this tells which is newer. */
  readonly version: number
  readonly [field: string]: unknown
}

interface Envelope {
  /** The same in every attempt to deliver the event, and in `webhook-id`: what a receiver that has seen it ignores. */
  readonly id: string
  /** RFC 3339, in UTC. */
  readonly occurredAt: string
  readonly storeId: string
  readonly actor: { readonly type: "app" | "merchant" | "agent" }
  /** The installation that made the write; absent when none did. */
  readonly originInstallationId?: string
  /** How many writes that answered an event led to this one. */
  readonly hops: number
}

export interface ProductUpdated extends Envelope {
  readonly kind: "catalog.product.updated.v1"
  readonly data: { readonly product: WebhookResource }
}

export interface CollectionUpdated extends Envelope {
  readonly kind: "catalog.collection.updated.v1"
  /** An automated collection comes without `productIds`. */
  readonly data: { readonly collection: WebhookResource }
}

/** The events that this version knows, told apart by their kind. */
export type WebhookEvent = ProductUpdated | CollectionUpdated

/** An event of a kind that came after this version. Apart from the others, as any text may be its kind. */
export interface UnknownWebhookEvent extends Envelope {
  readonly kind: string
  readonly data: Readonly<Record<string, unknown>>
}

export type WebhookRefusalReason =
  /** A header of the signature is not there. */
  | "missing-header"
  /** A header is there more than once, too long, or not in its form. */
  | "malformed-header"
  /** Signed too long ago (a replay, a slow queue), or in the future: one of the two clocks is wrong. */
  | "timestamp-outside-tolerance"
  /** Another secret, or not the exact bytes that were signed. */
  | "signature-mismatch"
  /** The signature is right, but what it signs is no event. */
  | "malformed-body"
  /** The signature is right, but `webhook-id` is not the event's id. */
  | "id-mismatch"

export interface WebhookRefusal {
  readonly ok: false
  readonly reason: WebhookRefusalReason
  /** One line for a log. It repeats neither the secret nor what was sent. */
  readonly message: string
}

/** `known` tells an event that this version knows from one of a kind that came later: both are verified. */
export type WebhookResult =
  | { readonly ok: true; readonly known: true; readonly event: WebhookEvent }
  | { readonly ok: true; readonly known: false; readonly event: UnknownWebhookEvent }
  | WebhookRefusal

interface HeadersLike {
  readonly get: (name: string) => string | null | undefined
}

/** A `Headers`, or the headers of a Node request: names in any case, and several values as an array. */
export type WebhookHeaders = HeadersLike | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface VerifyWebhookOptions {
  /** How many seconds the timestamp may be from the clock, before and after it. 300 when absent. */
  readonly toleranceSeconds?: number | undefined
  /** The clock, in Unix seconds. The machine's when absent. */
  readonly now?: number | undefined
}

/** The kinds that this version knows, and what their `data` holds. A test compares them with those of the service. */
const RESOURCE_OF: ReadonlyMap<string, string> = new Map([
  ["catalog.product.updated.v1", "product"],
  ["catalog.collection.updated.v1", "collection"]
])

const ACTOR_TYPES: ReadonlySet<unknown> = new Set(["app", "merchant", "agent"])

const DEFAULT_TOLERANCE = 300

/** Characters of a header. It is room for ten signatures, each of which costs a hash of the whole body. */
const MAX_HEADER = 512

const utf8 = new TextEncoder()

/** A byte order mark is kept, and so is no JSON: nothing that was signed is passed over. */
const fromUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const refuse = (reason: WebhookRefusalReason, message: string): WebhookRefusal => ({ ok: false, reason, message })

const isHeaders = (headers: WebhookHeaders): headers is HeadersLike => typeof headers.get === "function"

const valuesOf = (headers: WebhookHeaders, name: string): ReadonlyArray<string> => {
  if (isHeaders(headers)) {
    const value = headers.get(name)
    return typeof value === "string" ? [value] : []
  }
  return Object.entries(headers)
    .filter(([given]) => given.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
}

const read = (headers: WebhookHeaders, { form, name }: Header): string | WebhookRefusal => {
  const [value, ...others] = valuesOf(headers, name)
  if (value === undefined) return refuse("missing-header", `${name} is missing`)
  if (others.length > 0) return refuse("malformed-header", `${name} is there more than once`)
  return value.length <= MAX_HEADER && form.test(value) ? value : refuse("malformed-header", `${name} is malformed`)
}

const readAll = (headers: WebhookHeaders, wanted: ReadonlyArray<Header>): ReadonlyArray<string> | WebhookRefusal => {
  const values: Array<string> = []
  for (const header of wanted) {
    const value = read(headers, header)
    if (typeof value !== "string") return value
    values.push(value)
  }
  return values
}

const isThere = (headers: WebhookHeaders, { name }: Header) => valuesOf(headers, name).length > 0

const signaturesOf = (headers: WebhookHeaders, { next, signature }: Scheme) =>
  readAll(headers, next !== undefined && isThere(headers, next) ? [signature, next] : [signature])

/** One header of Standard Webhooks is enough to be held to all of it: taking some away must not choose the scheme. */
const schemeOf = (headers: WebhookHeaders): Scheme =>
  [...STANDARD.signed, STANDARD.signature].some((header) => isThere(headers, header)) ? STANDARD : SERVICE

const secretsOf = (secret: string | ReadonlyArray<string>): ReadonlyArray<string> => {
  const secrets = typeof secret === "string" ? [secret] : secret
  if (secrets.length > 0 && secrets.every(isSecret)) return secrets
  throw new TypeError(
    "secret must be whsec_ and the base64 of 24 to 64 bytes, without white space, or several of these"
  )
}

const bytesOf = (rawBody: string | Uint8Array | ArrayBuffer): Uint8Array => {
  if (typeof rawBody === "string") return utf8.encode(rawBody)
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody)
  if (ArrayBuffer.isView(rawBody)) return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength)
  throw new TypeError("rawBody must be the body as it was received, text or bytes, and not what was parsed from it")
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isResource = (value: unknown) =>
  isRecord(value) && typeof value["id"] === "string" && Number.isSafeInteger(value["version"])

const isData = (kind: string, data: unknown) => {
  const resource = RESOURCE_OF.get(kind)
  return isRecord(data) && (resource === undefined || isResource(data[resource]))
}

/** Members that are not looked at may be there too: receivers are not told before the service adds one. */
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
 * Whether a delivery comes from the service, and the event that it tells of. By the headers of Standard Webhooks when
 * one of them is there, else by `X-Service-Timestamp` and `X-Service-Signature`, or the `X-Service-Signature-Next` that
 * is there while a secret is replaced.
 *
 * @param secret a webhook's secret, `whsec_…`; or the old one and the new while it rotates, of which either will do.
 * @param rawBody the body exactly as it was received, before anything parses it.
 * @returns a promise of the event, or of why the delivery is refused. Whatever is sent, it does not reject.
 * @throws TypeError (the promise rejects) when the caller is wrong: a secret that is none, a tolerance or a clock that
 * is no number of seconds, a body that was parsed already.
 *
 * @example
 * import { verifyWebhook } from "partner-api/webhooks"
 *
 * const handle = async (request: Request): Promise<Response> => {
 *   const result = await verifyWebhook(secret, request.headers, await request.arrayBuffer())
 *   if (!result.ok) return new Response(result.message, { status: 400 })
 *   if (result.known && result.event.kind === "catalog.product.updated.v1") await keep(result.event.data.product)
 *   return new Response(null, { status: 204 })
 * }
 */
export const verifyWebhook = async (
  secret: string | ReadonlyArray<string>,
  headers: WebhookHeaders,
  rawBody: string | Uint8Array | ArrayBuffer,
  { now = Date.now() / 1000, toleranceSeconds = DEFAULT_TOLERANCE }: VerifyWebhookOptions = {}
): Promise<WebhookResult> => {
  const secrets = secretsOf(secret)
  if (!(toleranceSeconds >= 0 && Number.isFinite(now))) throw new TypeError("toleranceSeconds and now must be seconds")
  const body = bytesOf(rawBody)

  const scheme = schemeOf(headers)
  const signed = readAll(headers, scheme.signed)
  if ("ok" in signed) return signed
  const signatures = signaturesOf(headers, scheme)
  if ("ok" in signatures) return signatures

  const distance = Math.abs(now - Number(signed.at(-1)))
  if (distance > toleranceSeconds) {
    const message = `Signed ${Math.round(distance)} s away from this clock, of which ${toleranceSeconds} s are allowed`
    return refuse("timestamp-outside-tolerance", message)
  }

  // A copy, made before the first wait: what is parsed are the bytes that were verified, whatever the caller does.
  const head = utf8.encode(`${signed.join(".")}.`)
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)

  for (const one of secrets) {
    if (!(await isSigned(scheme, one, signatures, content))) continue
    const event = eventIn(content.subarray(head.length))
    if (event === undefined) return refuse("malformed-body", "The signature is right, but the body is no event")
    if (scheme === STANDARD && signed[0] !== event.id) {
      return refuse("id-mismatch", "The signature is right, but webhook-id is not the id of the event")
    }
    return isKnown(event) ? { ok: true, known: true, event } : { ok: true, known: false, event }
  }
  return refuse("signature-mismatch", "No signature fits: the secret is another, or the body is not as it was sent")
}
