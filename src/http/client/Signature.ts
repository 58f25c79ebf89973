/* The two signature schemes of deliveries (docs/webhooks.md). Like `Webhooks.ts`, it has no dependencies. */

type Bytes = Uint8Array<ArrayBuffer>

/** A header and its valid form. */
export interface Header {
  readonly name: string
  readonly form: RegExp
}

export interface Scheme {
  /** The signed headers, each followed by a full stop, before the body. The timestamp is the last one. */
  readonly signed: ReadonlyArray<Header>
  readonly signature: Header
  /** The header with the signature of the new secret during a rotation. */
  readonly next?: Header
  readonly keyOf: (secret: string) => Bytes
  readonly signaturesIn: (value: string) => ReadonlyArray<Bytes>
}

/** Without full stops, because they separate the parts of the signed text. */
const ID = /^[\w-]+$/

/** Decimal digits only. Receivers interpret other forms (`0x10`, `1e9`, ` 5`) differently. */
const UNIX_SECONDS = /^[1-9]\d{0,10}$/

/** Signatures of any version, separated by spaces. */
const SIGNATURES = /^\w+,[\w+/=-]+(?: \w+,[\w+/=-]+)*$/

/** The last base64 digit of 32 bytes has two unused bits. They must be 0, because `atob` ignores them. */
const V1 = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/

const HEX = /^[0-9a-f]{64}$/

const utf8 = new TextEncoder()

const fromBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?)$/

/** Tests for `whsec_` and the base64 of 24 to 64 bytes, as in https://www.standardwebhooks.com. */
export const isSecret = (secret: string): boolean => {
  const { length } = fromBase64(SECRET.exec(secret)?.[1] ?? "")
  return length >= 24 && length <= 64
}

const fromHex = (text: string): Bytes => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** Standard Webhooks: one signature for each valid secret. Versions other than `v1` are ignored. */
export const STANDARD: Scheme = {
  signed: [
    { name: "webhook-id", form: ID },
    { name: "webhook-timestamp", form: UNIX_SECONDS }
  ],
  signature: { name: "webhook-signature", form: SIGNATURES },
  keyOf: (secret) => fromBase64(secret.slice("whsec_".length)),
  signaturesIn: (value) => value.split(" ").flatMap((item) => V1.exec(item)?.slice(1).map(fromBase64) ?? [])
}

/** The scheme of this service: one signature per header, with the whole secret as key. */
export const SERVICE: Scheme = {
  signed: [{ name: "x-service-timestamp", form: UNIX_SECONDS }],
  signature: { name: "x-service-signature", form: HEX },
  next: { name: "x-service-signature-next", form: HEX },
  keyOf: (secret) => utf8.encode(secret),
  signaturesIn: (value) => [fromHex(value)]
}

/** True if a header has a valid signature of `content` for `secret`. */
export const isSigned = async (
  { keyOf, signaturesIn }: Scheme,
  secret: string,
  headers: ReadonlyArray<string>,
  content: Bytes
): Promise<boolean> => {
  const hmac = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", keyOf(secret), hmac, false, ["verify"])
  for (const signature of headers.flatMap(signaturesIn)) {
    // Constant time, unlike `===`, so that the duration reveals nothing about the valid signature.
    if (await crypto.subtle.verify("HMAC", key, signature, content)) return true
  }
  return false
}
