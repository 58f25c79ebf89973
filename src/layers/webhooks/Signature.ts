import { createHmac } from "node:crypto"

const PREFIX = "whsec_"

/** Encodes 256 random bits as a secret of Standard Webhooks. */
export const encodeSecret = (random: Buffer): string => `${PREFIX}${random.toString("base64")}`

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text)

/** Live secrets of a webhook: two during a rotation. */
export interface Secrets {
  readonly secret: string
  readonly previousSecret: string | null
}

/**
 * Signs a body in two schemes (contract, section 6, rule 4; docs/webhooks.md). `now` is in Unix seconds.
 *
 * - `x-service-*`: the previous secret signs `x-service-signature` while it is live, for receivers without support for
 *   rotation. The new one signs `x-service-signature-next` meanwhile.
 * - Standard Webhooks: one signature for each live secret.
 */
export const signatureHeaders = (
  { previousSecret, secret }: Secrets,
  id: string,
  now: number,
  body: string
): Record<string, string> => {
  const timestamp = String(Math.floor(now))
  const service = (key: string) => hmac(key, `${timestamp}.${body}`).digest("hex")
  const standard = (live: string) => {
    const key = Buffer.from(live.slice(PREFIX.length), "base64")
    return `v1,${hmac(key, `${id}.${timestamp}.${body}`).digest("base64")}`
  }
  const always = {
    "x-service-event-id": id,
    "x-service-timestamp": timestamp,
    "webhook-id": id,
    "webhook-timestamp": timestamp
  }
  return previousSecret === null
    ? { ...always, "x-service-signature": service(secret), "webhook-signature": standard(secret) }
    : {
        ...always,
        "x-service-signature": service(previousSecret),
        "x-service-signature-next": service(secret),
        "webhook-signature": `${standard(secret)} ${standard(previousSecret)}`
      }
}
