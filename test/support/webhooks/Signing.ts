import { createHmac, randomBytes } from "node:crypto"
import {
  verifyWebhook,
  type VerifyWebhookOptions,
  type WebhookHeaders,
  type WebhookRefusalReason
} from "../../../src/http/client/Webhooks.ts"

/** A delivery before it is signed. */
export interface Unsigned {
  readonly id: string
  /** Unix seconds. */
  readonly timestamp: number | string
  readonly body: string | Uint8Array
}

const hmac = (key: string | Buffer, parts: ReadonlyArray<string>, body: string | Uint8Array) =>
  createHmac("sha256", key)
    .update(parts.map((part) => `${part}.`).join(""))
    .update(body)

/** One signature of `webhook-signature`, computed independently of the code under test. */
export const standardSignature = (secret: string, { body, id, timestamp }: Unsigned): string =>
  `v1,${hmac(Buffer.from(secret.slice("whsec_".length), "base64"), [id, String(timestamp)], body).digest("base64")}`

/** `X-Service-Signature`, computed independently of the code under test. */
const serviceSignature = (secret: string, { body, timestamp }: Unsigned): string =>
  hmac(secret, [String(timestamp)], body).digest("hex")

/** The service's own headers during a rotation from `secret` to `next`. The first signature uses the old secret. */
export const rotatingHeaders = (secret: string, next: string, unsigned: Unsigned): Record<string, string> => ({
  ...serviceHeaders(secret, unsigned),
  "x-service-signature-next": serviceSignature(next, unsigned)
})

/** The headers of Standard Webhooks. */
export const standardHeaders = (secret: string, unsigned: Unsigned): Record<string, string> => ({
  "webhook-id": unsigned.id,
  "webhook-timestamp": String(unsigned.timestamp),
  "webhook-signature": standardSignature(secret, unsigned)
})

/** The service's own headers. */
export const serviceHeaders = (secret: string, unsigned: Unsigned): Record<string, string> => ({
  "x-service-timestamp": String(unsigned.timestamp),
  "x-service-signature": serviceSignature(secret, unsigned)
})

/** All headers of a delivery. */
export const signedHeaders = (secret: string, unsigned: Unsigned): Record<string, string> => ({
  ...standardHeaders(secret, unsigned),
  ...serviceHeaders(secret, unsigned)
})

/** A new signing secret. */
export const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`

export const SECRET = newSecret()

/** Unix seconds of the signature and reception of the example. */
export const NOW = 1_763_600_000

export const EVENT = {
  id: "01890a5d-ac96-774b-bcce-b302099a8057",
  kind: "catalog.product.updated.v1",
  occurredAt: "2025-11-20T00:53:20.000Z",
  storeId: "01890a5d-ac96-774b-bcce-b302099a8058",
  actor: { type: "app" },
  originInstallationId: "01890a5d-ac96-774b-bcce-b302099a8059",
  hops: 0,
  data: { product: { id: "01890a5d-ac96-774b-bcce-b302099a8060", version: 3, name: "Café ☕ 😀" } }
}

export const BODY = JSON.stringify(EVENT)
export const UNSIGNED: Unsigned = { id: EVENT.id, timestamp: NOW, body: BODY }

export const STANDARD = standardHeaders(SECRET, UNSIGNED)
export const SERVICE = serviceHeaders(SECRET, UNSIGNED)

/** Both signature schemes by name. */
export const SCHEMES = [
  { name: "Standard Webhooks", headers: STANDARD, sign: standardHeaders },
  { name: "the service's own headers", headers: SERVICE, sign: serviceHeaders }
] as const

/** Runs `verifyWebhook` on the example with changed parts. */
export const verify = (
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer = BODY,
  options?: VerifyWebhookOptions
) => verifyWebhook(SECRET, headers, body, { now: NOW, ...options })

/** Returns the reason of a refused delivery. */
export const verdict = async (...input: Parameters<typeof verify>): Promise<WebhookRefusalReason | "accepted"> => {
  const result = await verify(...input)
  return result.ok ? "accepted" : result.reason
}
