/* The two ways in which a delivery is signed (decisions, section 10). Like `Webhooks.ts`, it imports nothing. */

type Bytes = Uint8Array<ArrayBuffer>

/** A header, and the only form that is taken for it. */
export interface Header {
  readonly name: string
  readonly form: RegExp
}

export interface Scheme {
  /** The headers that are signed, a full stop behind each, before the body. The timestamp is the last of them. */
  readonly signed: ReadonlyArray<Header>
  readonly signature: Header
  /** The header that is there while a secret is being replaced, and holds the new one's signature. */
  readonly next?: Header
  readonly keyOf: (secret: string) => Bytes
  readonly signaturesIn: (value: string) => ReadonlyArray<Bytes>
}

/** A full stop would blur where the id ends in the text that is signed. */
const ID = /^[\w-]+$/

/** Decimal digits alone: other spellings of a number (`0x10`, `1e9`, ` 5`) are not the same to every receiver. */
const UNIX_SECONDS = /^[1-9]\d{0,10}$/

/** Items of any version, with a space between them. */
const SIGNATURES = /^\w+,[\w+/=-]+(?: \w+,[\w+/=-]+)*$/

/** The last digit of 32 bytes has two bits to spare, which `atob` ignores: set, they would be a second spelling. */
const V1 = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/

const HEX = /^[0-9a-f]{64}$/

const utf8 = new TextEncoder()

const fromBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?)$/

/** Whether it is base64 of the 24 to 64 bytes that Standard Webhooks asks for: https://www.standardwebhooks.com */
export const isSecret = (secret: string): boolean => {
  const { length } = fromBase64(SECRET.exec(secret)?.[1] ?? "")
  return length >= 24 && length <= 64
}

const fromHex = (text: string): Bytes => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** Standard Webhooks: one signature for each secret that is good, of which versions other than `v1` are passed over. */
export const STANDARD: Scheme = {
  signed: [
    { name: "webhook-id", form: ID },
    { name: "webhook-timestamp", form: UNIX_SECONDS }
  ],
  signature: { name: "webhook-signature", form: SIGNATURES },
  keyOf: (secret) => fromBase64(secret.slice("whsec_".length)),
  signaturesIn: (value) => value.split(" ").flatMap((item) => V1.exec(item)?.slice(1).map(fromBase64) ?? [])
}

/** The service's own: one signature in a header, whose key is the secret as it is written. */
export const SERVICE: Scheme = {
  signed: [{ name: "x-service-timestamp", form: UNIX_SECONDS }],
  signature: { name: "x-service-signature", form: HEX },
  next: { name: "x-service-signature-next", form: HEX },
  keyOf: (secret) => utf8.encode(secret),
  signaturesIn: (value) => [fromHex(value)]
}

/** Whether one of the signatures that the headers hold is that of `content` under `secret`. */
export const isSigned = async (
  { keyOf, signaturesIn }: Scheme,
  secret: string,
  headers: ReadonlyArray<string>,
  content: Bytes
): Promise<boolean> => {
  const hmac = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", keyOf(secret), hmac, false, ["verify"])
  for (const one of headers.flatMap(signaturesIn)) {
    // In constant time, as `===` would not be: how long it takes tells nothing about the right signature.
    if (await crypto.subtle.verify("HMAC", key, one, content)) return true
  }
  return false
}
